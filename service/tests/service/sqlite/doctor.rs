//! `doctor` and what it looks at in files and on the network: a SQLite file, certificates.

use crate::doctor::examine;
use crate::folder::Folder;
use crate::program::json;
use pos_connect_foundation::private;
use std::fs::OpenOptions;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use workbench::port;

#[test]
fn a_file_that_is_no_good_is_told_from_one_that_is_not_there() {
    let folder = Folder::new();
    let run = || examine(&folder, &[], &[]);
    run().expect("database", "fault", "there is no database");
    assert!(!folder.path().join("test.db").exists());
    drop(private::create(&folder.path().join("test.db")).unwrap());
    run().expect("database", "fault", "the database is empty; `migrate`");
    json(&folder, &["migrate"]);
    let found = run();
    assert!(found.is_good);
    for check in [
        "database",
        "disk",
        "reserve",
        "log",
        "integrity",
        "storage-key",
    ] {
        found.expect(check, "ok", "");
    }
    let file = folder.path().join("test.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    run().expect("storage-key", "warning", "chmod 600");
    let connection = rusqlite::Connection::open(&file).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'familiar_address'";
    let page: u32 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    drop(connection);
    let damaged = OpenOptions::new().write(true).open(&file).unwrap();
    // What is not looked at first.
    damaged
        .write_all_at(&[0xA5; 4096], u64::from(page - 1) * 4096)
        .unwrap();
    let found = run();
    found.expect("integrity", "fault", "`restore` the newest backup");
    damaged.write_all_at(&[0xA5; 4096], 0).unwrap();
    run().expect("database", "fault", "`restore` the newest backup");
}

/// One refuses the connection, the other takes it and says nothing.
#[test]
fn a_server_without_an_answer_holds_nobody_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = silent.local_addr().map(|address| (silent, address.port()));
    let (_listening, silent) = silent.unwrap();
    for (port, words) in [
        (port::free(), "start the server"),
        (silent, "no answer in time"),
    ] {
        let folder = Folder::with_database(format!("postgres://u@127.0.0.1:{port}/x"));
        let found = examine(&folder, &[], &[]);
        found.expect("database", "fault", words);
    }
}

/// A server with the certificate of its folder.
struct TlsServer {
    child: Child,
    port: u16,
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn openssl(folder: &Path) -> Command {
    let mut openssl = Command::new("openssl");
    openssl
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    openssl
}

/// Makes a certificate for `localhost` that is its own authority.
fn certify(folder: &Path, days: &str) {
    let words = "req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key -out certificate \
                 -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE -days";
    let made = openssl(folder)
        .args(words.split_whitespace())
        .arg(days)
        .status();
    assert!(made.unwrap().success());
}

impl TlsServer {
    fn start(folder: &Path) -> Self {
        let port = port::free();
        let mut server = openssl(folder);
        server.args("s_server -www -quiet -cert certificate -key key -accept".split(' '));
        let child = server.arg(format!("localhost:{port}")).spawn().unwrap();
        let begun = std::time::Instant::now();
        while TcpStream::connect(("localhost", port)).is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "it does not listen"
            );
            std::thread::yield_now();
        }
        Self { child, port }
    }
}

#[test]
fn a_certificate_is_followed_to_its_end() {
    let folder = Folder::prepared();
    let elsewhere = Folder::new();
    for (days, trusted, outcome, words) in [
        ("90", true, "ok", "valid for "),
        ("3", true, "warning", " days; see why it was not renewed"),
        ("90", false, "fault", "not trusted: "),
    ] {
        certify(elsewhere.path(), days);
        // It serves one connection at a time.
        let servers = [(); 2].map(|()| TlsServer::start(elsewhere.path()));
        let certificate = elsewhere.path().join("certificate");
        let trust = match trusted {
            true => certificate.to_str().unwrap(),
            false => "/nowhere",
        };
        let [url, receiver] =
            [0, 1].map(|number| format!("https://localhost:{}", servers[number].port));
        let webhook = format!("webhook:{receiver}/x");
        let options = [
            "--public-url",
            &*url,
            "--messages",
            &*webhook,
            "--message-region",
            "any",
        ];
        let secret = (
            "POS_CONNECT_MESSAGES_SECRET",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        );
        let found = examine(&folder, &options, &[("SSL_CERT_FILE", trust), secret]);
        found.expect("settings", "ok", "");
        found.expect("public-url", outcome, words);
        found.expect("messages", outcome, words);
    }
}

//! The commands, and what they print.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{Program, command, failure, json};
use pos_connect_service::store::SCHEMA;
use serde_json::Value;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

fn names(value: &Value) -> String {
    let members = value.as_object().unwrap();
    let mut names: Vec<_> = members.keys().map(String::as_str).collect();
    names.sort_unstable();
    names.join(" ")
}

#[test]
fn every_command_prints_one_line_of_json() {
    let folder = Folder::prepared();
    let origins = [
        "--origin",
        "https://till.example",
        "--origin",
        "tauri://localhost",
    ];
    let added = json(
        &folder,
        &[&["vendor", "add", "--name", "Corner Till"][..], &origins].concat(),
    );
    assert_eq!(names(&added), "clientId clientSecret mode name origins");
    let id = added["clientId"].as_str().unwrap();
    let rotated = json(&folder, &["vendor", "rotate-secret", id]);
    assert_eq!(names(&rotated), "clientId clientSecret previousSecretUntil");
    assert_ne!(rotated["clientSecret"], added["clientSecret"]);
    let error = failure(&folder, &["vendor", "rotate-secret", id]);
    assert!(error.contains("--end-older"), "{error}");
    json(&folder, &["vendor", "rotate-secret", id, "--end-older"]);
    json(
        &folder,
        &["vendor", "rotate-secret", id, "--overlap-hours", "0"],
    );
    json(&folder, &["vendor", "rotate-secret", id]);
    assert_eq!(json(&folder, &["vendor", "disable", id])["disabled"], true);
    assert_eq!(json(&folder, &["vendor", "enable", id])["disabled"], false);
    assert_eq!(json(&folder, &["vendor", "disable", id])["disabled"], true);
    let listed = json(&folder, &["vendor", "list"]);
    assert_eq!(
        names(&listed[0]),
        "clientId disabled liveSecrets mode name origins"
    );
    assert_eq!(
        (&listed[0]["disabled"], &listed[0]["liveSecrets"]),
        (&true.into(), &2.into())
    );
    assert_eq!(
        listed[0]["origins"],
        serde_json::json!(["https://till.example", "tauri://localhost"])
    );
    let account = [
        "account",
        "add",
        "--email",
        "a@b.example",
        "--name",
        "Bakery",
        "--store",
        "One",
        "--store",
        "Two",
    ];
    let added = json(&folder, &account);
    assert_eq!(names(&added), "email id mode name password stores");
    assert_eq!(added["stores"], serde_json::json!(["One", "Two"]));
    assert_eq!(
        json(&folder, &["migrate"])["schemaVersion"],
        SCHEMA.sqlite.latest()
    );
}

#[test]
fn a_given_password_is_read_from_stdin_or_the_environment_and_never_printed() {
    let folder = Folder::prepared();
    let add = |email| ["account", "add", "--email", email, "--name", "Bakery"];
    let mut child = command(
        &folder,
        &[&add("a@b.example")[..], &["--password-stdin"]].concat(),
    )
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"from standard input\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        !stdout.contains("password") && !stdout.contains("from standard"),
        "{stdout}"
    );
    let output = command(&folder, &add("c@d.example"))
        .env("POS_CONNECT_PASSWORD", "from the environment")
        .output()
        .unwrap();
    assert!(
        !String::from_utf8(output.stdout)
            .unwrap()
            .contains("password")
    );
    let short = command(&folder, &add("e@f.example"))
        .env("POS_CONNECT_PASSWORD", "short")
        .output()
        .unwrap();
    assert!(!short.status.success());
}

#[test]
fn what_the_operator_can_mend_is_said_plainly() {
    let folder = Folder::prepared();
    assert!(failure(&folder, &["vendor", "disable", "nobody"]).contains("no vendor nobody"));
    assert!(failure(&folder, &["vendor", "rotate-secret", "nobody"]).contains("no vendor"));
    let wildcard = failure(
        &folder,
        &[
            "vendor",
            "add",
            "--name",
            "X",
            "--origin",
            "https://*.till.example",
        ],
    );
    assert!(wildcard.contains("write each origin"), "{wildcard}");
    assert!(
        failure(&folder, &["account", "add", "--email", "x", "--name", "X"])
            .contains("not an email")
    );
    let turned = [
        "account",
        "add",
        "--email",
        "a@b.example",
        "--name",
        "X\u{202e}",
    ];
    assert!(failure(&folder, &turned).contains("no control characters"));
    json(
        &folder,
        &["account", "add", "--email", "a@b.example", "--name", "X"],
    );
    assert!(
        failure(
            &folder,
            &["account", "add", "--email", "A@B.example", "--name", "X"]
        )
        .contains("already")
    );
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert!(failure(&folder, &["serve", "--listen", &address]).contains(&address));
    let open = failure(
        &folder,
        &["serve", "--public-url", "http://auth.example.com"],
    );
    assert!(open.contains("must be https://"), "{open}");
    let nowhere = format!("file:{}/no/file", folder.path().display());
    let unwritable = failure(&folder, &["serve", "--messages", &nowhere]);
    assert!(unwritable.contains("/no/file: "), "{unwritable}");
    let public = failure(&folder, &["serve", "--public-url", "auth.example.com"]);
    assert!(
        public.contains("https://till.example") || public.contains("scheme://"),
        "{public}"
    );
}

#[test]
fn a_newer_or_foreign_database_is_refused() {
    let folder = Folder::new();
    json(&folder, &["migrate"]);
    let database = rusqlite::Connection::open(folder.path().join("test.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    let refused = failure(&folder, &["serve"]);
    assert!(
        refused.contains("schema version 99") && refused.contains("newer"),
        "{refused}"
    );
    for (url, said) in [
        ("mysql://x", "sqlite://FILE"),
        ("postgres://x:y", "not valid"),
        ("sqlite://:memory:", "a file on the disk"),
    ] {
        let elsewhere = Folder::new();
        let output = Command::new(env!("CARGO_BIN_EXE_pos-connect-service"))
            .args(["migrate", "--database", url])
            .current_dir(elsewhere.path())
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(said), "{error}");
        assert_eq!(elsewhere.path().read_dir().unwrap().count(), 0, "{url}");
    }
}

#[test]
fn another_programs_database_is_left_as_it_was() {
    let folder = Folder::new();
    let file = folder.path().join("test.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(database);
    let before = std::fs::read(&file).unwrap();
    assert!(failure(&folder, &["migrate"]).contains("another program"));
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_database() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let _program = Program::serve(&folder, &["--demo", "--till-listen", "127.0.0.1:0"], None);
    for name in ["test.db", "test.db-wal", "test.db-shm"] {
        let mode = folder.path().join(name).metadata().unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
    }
}

#[tokio::test]
async fn serving_announces_itself_once_and_answers() {
    let folder = Folder::new();
    let program = Program::serve(
        &folder,
        &["--public-url", "https://auth.example.com/pos/"],
        None,
    );
    let base = "https://auth.example.com/pos";
    assert_eq!(
        program.first_line,
        serde_json::json!({ "baseUrl": base, "connectUrl": format!("{base}/connect") })
    );
    drop(program);
    let program = Program::serve(&folder, &[], None);
    assert_eq!(names(&program.first_line), "baseUrl connectUrl");
    let health = Call::new("GET", "/healthz")
        .send(program.address("baseUrl"))
        .await;
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
}

#[test]
fn a_webhook_needs_its_secret_and_messages_are_asked_for_by_id() {
    let folder = Folder::prepared();
    let webhook = "webhook:https://hooks.example/receipts";
    let error = failure(&folder, &["serve", "--messages", webhook]);
    assert!(error.contains("--messages-secret-file"), "{error}");
    let file = folder.path().join("secret");
    std::fs::write(&file, "hunter2\n").unwrap();
    let file = file.to_str().unwrap();
    let options = [
        "serve",
        "--messages",
        webhook,
        "--messages-secret-file",
        file,
    ];
    let error = failure(&folder, &options);
    assert!(
        error.contains("whsec_") && !error.contains("hunter2"),
        "{error}"
    );
    let error = failure(
        &folder,
        &["serve", "--messages", "webhook:http://hooks.example"],
    );
    assert!(error.contains("https://"), "{error}");
    assert_eq!(json(&folder, &["message", "list"]), serde_json::json!([]));
    for command in ["retry", "drop"] {
        let error = failure(&folder, &["message", command, "msg_1"]);
        assert!(error.contains("message list"), "{error}");
    }
}

#[test]
fn a_file_has_one_service_and_the_next_one_comes_after_a_kill() {
    let folder = Folder::new();
    let program = Program::serve(&folder, &["--demo", "--till-listen", "127.0.0.1:0"], None);
    let error = failure(&folder, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(error.contains("another program serves"), "{error}");
    // Other commands work beside it.
    json(&folder, &["vendor", "list"]);
    drop(program);
    drop(Program::serve(&folder, &[], None));
}

#[test]
fn a_service_whose_messages_go_nowhere_says_so() {
    let folder = Folder::new();
    let said = |options: &[&str]| {
        drop(Program::serve(&folder, options, Some("warn")));
        std::fs::read_to_string(folder.path().join("log")).unwrap()
    };
    let outlet = format!("file:{}", folder.path().join("messages.jsonl").display());
    let error = failure(&folder, &["serve", "--messages", &outlet]);
    assert!(error.contains("--message-region"), "{error}");
    let anywhere = ["--messages", &outlet, "--message-region", "any"];
    assert!(!said(&anywhere).contains("nobody"));
    assert!(said(&[]).contains("nobody gets a receipt"));
}

#[test]
fn help_names_every_command() {
    let output = Command::new(env!("CARGO_BIN_EXE_pos-connect-service"))
        .arg("--help")
        .output()
        .unwrap();
    let mut help = String::new();
    output.stdout.as_slice().read_to_string(&mut help).unwrap();
    for word in [
        "serve",
        "vendor",
        "account",
        "token-set",
        "message",
        "migrate",
        "backup",
    ] {
        assert!(help.contains(word));
    }
}

#[test]
fn sealing_keys_are_listed_and_rotated() {
    let folder = Folder::prepared();
    assert_eq!(
        json(&folder, &["sealing-key", "list"]),
        serde_json::json!([])
    );
    let mut made = Vec::new();
    for end_older in [&[][..], &[], &["--end-older"]] {
        let rotated = json(&folder, &[&["sealing-key", "rotate"], end_older].concat());
        assert_eq!(names(&rotated), "keyId");
        made.push(rotated["keyId"].clone());
        let listed = json(&folder, &["sealing-key", "list"]);
        let ids: Vec<_> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|key| &key["keyId"])
            .collect();
        let kept = if end_older.is_empty() {
            0
        } else {
            made.len() - 1
        };
        assert_eq!(ids, made[kept..].iter().rev().collect::<Vec<_>>());
        assert_eq!(names(&listed[0]), "createdAt keyId");
    }
}

/// Nobody may erase the 30 days before its newest row: rows of that time that are old now keep no older ones.
#[test]
fn purge_erases_the_audit_of_a_service_that_was_quiet() {
    let folder = Folder::new();
    json(&folder, &["migrate"]);
    let database = rusqlite::Connection::open(folder.path().join("test.db")).unwrap();
    // What is in it now happened two days ago.
    let quiet = "DROP TRIGGER audit_is_not_changed; UPDATE audit SET at = at - 172800000;";
    database.execute_batch(quiet).unwrap();
    let row = "INSERT INTO audit (at, event, actor) VALUES ((unixepoch() - ?1) * 1000, 'x', 'y')";
    for hours in [31 * 24 + 12, 500 * 24] {
        database.execute(row, [hours * 3600]).unwrap();
    }
    json(&folder, &["purge", "--keep-audit-days", "31"]);
    let left = "SELECT count(*) FROM audit WHERE event = 'x'";
    let left: i64 = database.query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 1);
}

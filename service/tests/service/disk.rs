//! A full disk: 503, and nothing is half done. What fills up is a limit on the size of files, which a process can have
//! and lose again; to SQLite it is the same failed write.

use crate::http::{Answer, Call};
use crate::program::{command, json};
use crate::world::{Folder, INTEGRATION, Vendor, target};
use rusqlite::Connection;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// In blocks of 512 bytes: the new database fits in, and its log fills it soon.
const BLOCKS: u32 = 3000;

struct Full {
    child: Child,
    address: SocketAddr,
    vendor: Vendor,
}

impl Full {
    fn serve(folder: &Folder, vendor: Vendor) -> Self {
        let options = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--creates-per-second",
            "100000",
        ];
        let plain = command(folder, &options);
        let limited = format!("trap '' XFSZ; ulimit -S -f {BLOCKS}; exec \"$0\" \"$@\"");
        let mut child = Command::new("sh")
            .args(["-c", &limited])
            .arg(plain.get_program())
            .args(plain.get_args())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let first: serde_json::Value = serde_json::from_str(&line).unwrap();
        let url = first["baseUrl"].as_str().unwrap().to_owned();
        Self {
            child,
            address: url.strip_prefix("http://").unwrap().parse().unwrap(),
            vendor,
        }
    }

    async fn call(&self, method: &str, path: &str, token: &str) -> Answer {
        Call::new(method, target(path, &self.vendor, token))
            .send(self.address)
            .await
    }

    async fn look(&self, path: &str) -> u16 {
        Call::new("GET", path).send(self.address).await.status
    }

    fn make_room(&self) {
        let id = self.child.id().to_string();
        let done = Command::new("prlimit")
            .args(["--pid", &id, "--fsize=unlimited"])
            .status();
        assert!(done.unwrap().success());
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(folder: &Folder, condition: &str) -> i64 {
    let database = Connection::open(folder.path().join("test.db")).unwrap();
    let sql = format!("SELECT count(*) FROM integration WHERE {condition}");
    database.query_row(&sql, [], |row| row.get(0)).unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_503_and_changes_nothing_until_there_is_room() {
    let folder = Folder::prepared();
    let added = json(&folder, &["vendor", "add", "--name", "Till Co"]);
    let text = |name: &str| added[name].as_str().unwrap().to_owned();
    let vendor = Vendor {
        id: text("clientId"),
        secret: text("clientSecret"),
    };
    let full = Full::serve(&folder, vendor);
    let mut tokens = Vec::new();
    let refused = loop {
        let answer = full.call("POST", INTEGRATION, "").await;
        if answer.status != 200 {
            break answer;
        }
        tokens.push(
            answer.json()["integrationToken"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
        assert!(tokens.len() < 4_000, "it never fills");
    };
    assert!(!tokens.is_empty());
    assert_eq!(
        (refused.status, refused.code()),
        (503, "unavailable".into())
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    // What is smaller than a creation may fit a while longer: until not even the one row of /readyz does.
    let mut ready = 200;
    for _ in 0..1000 {
        ready = full.look("/readyz").await;
        if ready != 200 {
            break;
        }
    }
    assert_eq!((ready, full.look("/healthz").await), (503, 200));
    for token in tokens.iter().take(3) {
        let cancelled = full.call("DELETE", INTEGRATION, token).await;
        assert_eq!(cancelled.status, 503);
        let status = full.call("GET", INTEGRATION, token).await;
        assert_eq!(
            status.json()["status"],
            "pending",
            "reads go on: {}",
            status.body
        );
    }
    full.make_room();
    assert_eq!(full.look("/readyz").await, 200);
    assert_eq!(
        full.call("DELETE", INTEGRATION, &tokens[0]).await.status,
        204
    );
    assert_eq!(full.call("POST", INTEGRATION, "").await.status, 200);
    let created = i64::try_from(tokens.len()).unwrap() + 1;
    assert_eq!(
        (count(&folder, "1"), count(&folder, "status = 'cancelled'")),
        (created, 1)
    );
}

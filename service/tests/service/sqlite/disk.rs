//! A full disk: 503, and nothing is half done.

use crate::folder::Folder;
use crate::full_disk::{limited, make_room};
use crate::http::{Answer, Call};
use crate::program::{Program, command, json};
use crate::world::{INTEGRATION, Vendor, target, until};
use rusqlite::Connection;

/// The new database fits in, and its log fills it soon.
const BLOCKS: u32 = 3000;

struct Full {
    program: Program,
    vendor: Vendor,
}

impl Full {
    fn serve(folder: &Folder, vendor: Vendor) -> Self {
        let listen = ["serve", "--listen", "127.0.0.1:0"];
        let many = ["--creates-per-second", "100000"];
        let plain = command(folder, &[&listen[..], &many].concat());
        let program = Program::start(&mut limited(&plain, BLOCKS));
        Self { program, vendor }
    }

    async fn call(&self, method: &str, path: &str, token: &str) -> Answer {
        self.send(method, &target(path, &self.vendor, token)).await
    }

    async fn look(&self, path: &str) -> u16 {
        self.send("GET", path).await.status
    }

    async fn send(&self, method: &str, target: &str) -> Answer {
        let call = Call::new(method, target);
        call.send(self.program.address("baseUrl")).await
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
    until(async || full.look("/readyz").await == 503).await;
    assert_eq!(full.look("/healthz").await, 200);
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
    make_room(full.program.id());
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

//! A full disk: 503, and the service gives no token set away that could not be kept. What fills up is a limit on the size
//! of files, which a process can have and lose again; to SQLite it is the same failed write.

use crate::http::{Answer, Call, query};
use crate::program::{add_till, command};
use crate::rig::text;
use crate::world::{Folder, INTEGRATION, TOKEN, World};
use pos_connect_service::Settings;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// In blocks of 512 bytes: the new database fits in, and its log fills it soon.
const BLOCKS: u32 = 1500;

struct Full {
    child: Child,
    address: SocketAddr,
    client_id: String,
    key: String,
}

impl Full {
    fn serve(folder: &Folder, world: &World) -> Self {
        let (url, client_id) = (format!("http://{}", world.address), world.vendor.id.clone());
        let options = [
            "serve",
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--creates-per-till",
            "100000",
        ];
        let upstream = ["--upstream", &url, "--client-id", &client_id];
        let plain = command(folder, &[&options[..], &upstream[..]].concat());
        let limited = format!("trap '' XFSZ; ulimit -S -f {BLOCKS}; exec \"$0\" \"$@\"");
        let mut child = Command::new("sh")
            .args(["-c", &limited])
            .arg(plain.get_program())
            .args(plain.get_args())
            .current_dir(folder.path())
            .env("POS_CONNECT_RELAY_DATABASE", folder.database())
            .env("POS_CONNECT_CLIENT_SECRET", &world.vendor.secret)
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
            client_id,
            key: add_till(folder, "bakery"),
        }
    }

    async fn ask(&self, method: &str, path: &str, token: &str) -> Answer {
        let mut pairs = vec![("client_id", &*self.client_id)];
        if !token.is_empty() {
            pairs.push(("integration_token", token));
        }
        let call = Call::new(method, format!("{path}?{}", query(&pairs)));
        let call = call.header("Authorization", format!("Bearer {}", self.key));
        call.send(self.address).await
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

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_503_and_costs_no_tokens() {
    let settings = Settings {
        creates_per_second: 100_000,
        ..Settings::default()
    };
    let (world, folder) = (World::with(settings).await, Folder::new());
    let full = Full::serve(&folder, &world);
    let finished = text(&full.ask("POST", INTEGRATION, "").await, "integrationToken");
    assert!(world.finish(&finished).await);
    let mut created = 0;
    let refused = loop {
        let answer = full.ask("POST", INTEGRATION, "").await;
        if answer.status != 200 {
            break answer;
        }
        created += 1;
        assert!(created < 4_000, "it never fills");
    };
    assert_eq!(
        (refused.status, refused.code()),
        (503, "unavailable".into())
    );
    let ready = async || Call::new("GET", "/readyz").send(full.address).await.status;
    // What is smaller than a creation may fit a while longer: until not even the one row of /readyz does.
    for _ in 0..1000 {
        if ready().await != 200 {
            break;
        }
    }
    assert_eq!(ready().await, 503);
    let picked_up = full.ask("GET", TOKEN, &finished).await;
    assert_eq!(
        (picked_up.status, picked_up.code()),
        (503, "unavailable".into())
    );
    assert_eq!(
        world.rows("token_set").await,
        0,
        "the service was not asked"
    );
    full.make_room();
    assert_eq!(ready().await, 200);
    assert_eq!(full.ask("GET", TOKEN, &finished).await.status, 200);
    assert_eq!(world.rows("token_set").await, 1);
    assert_eq!(full.ask("POST", INTEGRATION, "").await.status, 200);
}

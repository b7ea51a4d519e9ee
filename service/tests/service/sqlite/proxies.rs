//! The blocks for nginx and Caddy in `docs/operating.md`, as they stand there: a till connects behind TLS, neither its
//! secret nor its token is in a log, and its address is the one that the proxy heard. `cargo xtask test --all` fetches
//! the programs; its first tier runs these tests where they are there, and counts them as skipped elsewhere.

use crate::folder::Folder;
use crate::http::query;
use crate::world::{INTEGRATION, TOKEN, World, target};
use pos_connect_foundation::address::parse_network;
use pos_connect_service::Settings;
use pos_connect_service::store::{AuditEntry, AuditQuery};
use pos_connect_service::token::Kind;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use workbench::{port, proxy};

const NAME: &str = "auth.example.com";
/// Where the till calls from; all of 127.0.0.0/8 is this machine.
const TILL: &str = "127.0.0.2";
/// What the till says of itself to the proxy.
const FORGED: &str = "203.0.113.9";

/// A proxy that runs, killed with its owner.
struct Proxy {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn block(language: &str, part: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operating.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut blocks = page
        .split("```")
        .filter_map(|text| text.strip_prefix(language));
    blocks.find(|text| text.contains(part)).unwrap().to_owned()
}

/// The same with another text in the place of one that has to be there.
fn with(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old} in {text}");
    text.replace(old, new)
}

impl Proxy {
    fn nginx(world: &World) -> Self {
        let (folder, port) = (world.folder.path().join("nginx"), port::free());
        std::fs::create_dir(&folder).unwrap();
        let made = Command::new("openssl")
            .args([
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            ])
            .args([
                "-subj",
                &format!("/CN={NAME}"),
                "-keyout",
                "key",
                "-out",
                "certificate",
            ])
            .current_dir(&folder)
            .output();
        assert!(made.unwrap().status.success());
        let site = block("nginx\n", "proxy_pass");
        let site = with(&site, "listen 443", &format!("listen 127.0.0.1:{port}"));
        let site = with(&site, "/etc/ssl/private/auth.example.com.key", "key");
        let site = with(&site, "/etc/ssl/auth.example.com.pem", "certificate");
        let site = with(&site, "/var/log/nginx/", "");
        let site = with(&site, "127.0.0.1:8080", &world.address.to_string());
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let paths = paths
            .map(|name| format!("{name}_temp_path {name};\n"))
            .concat();
        let whole = format!("daemon off;\npid pid;\nevents {{}}\nhttp {{\n{paths}{site}}}\n");
        let whole = format!("user root;\n{whole}");
        std::fs::write(folder.join("nginx.conf"), whole).unwrap();
        let mut nginx = Command::new(proxy::find("nginx").unwrap());
        nginx
            .args(["-e", "start.log", "-c", "nginx.conf", "-p"])
            .arg(&folder);
        Self::start(nginx, folder, port)
    }

    fn caddy(world: &World) -> Self {
        let (folder, port) = (world.folder.path().join("caddy"), port::free());
        std::fs::create_dir(&folder).unwrap();
        let site = block("text\n", "reverse_proxy");
        let options = format!(
            "{{\n  admin off\n  local_certs\n  skip_install_trust\n  https_port {port}\n  http_port {}\n  log default",
            port::free()
        );
        let site = with(&site, "{\n  log default", &options);
        let log = folder.join("auth.log").display().to_string();
        let site = with(&site, "/var/log/caddy/auth.log", &log);
        let site = with(&site, "127.0.0.1:8080", &world.address.to_string());
        std::fs::write(folder.join("Caddyfile"), site).unwrap();
        let mut caddy = Command::new(proxy::find("caddy").unwrap());
        caddy.args(["run", "--adapter", "caddyfile", "--config", "Caddyfile"]);
        caddy.env("HOME", &folder).env("XDG_DATA_HOME", &folder);
        Self::start(caddy, folder, port)
    }

    fn start(mut command: Command, folder: PathBuf, port: u16) -> Self {
        let own = std::fs::File::create(folder.join("own.log")).unwrap();
        let child = command
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(own)
            .spawn()
            .unwrap();
        Self {
            child,
            folder,
            port,
        }
    }

    /// The status and the body of an answer.
    async fn ask(&self, method: &str, target: &str) -> (u16, String) {
        let port = self.port;
        let mut curl = Command::new("curl");
        curl.args([
            "-s",
            "-k",
            "--max-time",
            "20",
            "-X",
            method,
            "-w",
            "\n%{http_code}",
        ])
        .args(["--interface", TILL])
        .args(["-H", &format!("X-Forwarded-For: {FORGED}")])
        .args(["--resolve", &format!("{NAME}:{port}:127.0.0.1")])
        .arg(format!("https://{NAME}:{port}{target}"));
        let output = tokio::task::spawn_blocking(move || curl.output());
        let text = String::from_utf8(output.await.unwrap().unwrap().stdout).unwrap();
        let (body, status) = text.rsplit_once('\n').unwrap();
        (status.parse().unwrap(), body.to_owned())
    }

    async fn is_ready(&self) {
        let ready = async {
            while self.ask("GET", "/healthz").await.0 != 200 {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(60), ready).await;
        assert!(in_time.is_ok(), "{}", self.logs());
    }

    fn logs(&self) -> String {
        let files = std::fs::read_dir(&self.folder).unwrap();
        let logs = files.map(|file| file.unwrap().path());
        let logs = logs.filter(|path| path.extension().is_some_and(|end| end == "log"));
        logs.map(|path| std::fs::read_to_string(path).unwrap())
            .collect()
    }
}

/// A service that trusts a proxy at this address.
async fn behind(proxy: &str) -> World {
    let settings = Settings {
        trusted_proxies: vec![parse_network(proxy).unwrap()],
        ..Settings::default()
    };
    World::made(Folder::new(), settings).await
}

/// The addresses that the audit has, of one kind of event.
async fn addresses(world: &World, event: &str) -> Vec<Option<String>> {
    let query = AuditQuery {
        event: Some(event.into()),
        limit: 10,
        ..AuditQuery::default()
    };
    let found = world.service.store.audit(query).await.unwrap();
    let entries: Vec<AuditEntry> = found.entries;
    entries.into_iter().map(|entry| entry.address).collect()
}

async fn connects_and_leaves_no_secret(world: World, proxy: Proxy) {
    // Its logs outlive the service.
    let _folder = world.folder.clone();
    proxy.is_ready().await;
    let (status, body) = proxy
        .ask("POST", &target(INTEGRATION, &world.vendor, ""))
        .await;
    assert_eq!(status, 200, "{body}");
    let created: Value = serde_json::from_str(&body).unwrap();
    let token = created["integrationToken"].as_str().unwrap();
    let page = [
        ("integration_token", token),
        ("client_id", &*world.vendor.id),
    ];
    let page = format!("/connect?{}", query(&page));
    let (status, body) = proxy.ask("GET", &page).await;
    assert!(
        status == 200 && body.contains("name=\"password\""),
        "{body}"
    );
    assert!(world.finish(token).await);
    let pick_up = target(TOKEN, &world.vendor, token);
    let (status, body) = proxy.ask("GET", &pick_up).await;
    assert_eq!(status, 200, "{body}");
    let tokens: Value = serde_json::from_str(&body).unwrap();
    let heard = addresses(&world, "token_set.picked_up").await;
    assert_eq!(heard, [Some(TILL.to_owned())]);
    // Nobody answers behind it any more: proxies say then what they were asked.
    let (vendor, never) = (world.vendor.clone(), Kind::Integration.mint());
    let dead = target(INTEGRATION, &vendor, &never);
    let (receipt, order) = ("/r/receipt-of-a-shopper", "/v1/orders/order-of-a-shopper");
    let scanned = "/q/scanned-of-a-shopper";
    for link in [receipt, scanned] {
        assert_eq!(proxy.ask("GET", link).await.0, 404);
    }
    assert_eq!(proxy.ask("GET", order).await.0, 401);
    world.leave().await;
    for path in [&*dead, receipt, scanned, order] {
        assert_eq!(proxy.ask("GET", path).await.0, 502);
    }
    let logs = proxy.logs();
    assert!(logs.contains(INTEGRATION), "it is logged: {logs}");
    let access = tokens["accessToken"].as_str().unwrap();
    for secret in [token, &never, &vendor.secret, access, "of-a-shopper"] {
        assert!(!logs.contains(secret), "{logs}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx: cargo xtask test --all --only native"]
async fn a_till_connects_behind_nginx() {
    let world = behind("127.0.0.1").await;
    let proxy = Proxy::nginx(&world);
    connects_and_leaves_no_secret(world, proxy).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Caddy: cargo xtask test --all --only native"]
async fn a_till_connects_behind_caddy() {
    let world = behind("127.0.0.1").await;
    let proxy = Proxy::caddy(&world);
    connects_and_leaves_no_secret(world, proxy).await;
}

#[tokio::test]
async fn whoever_is_no_trusted_proxy_has_no_word_in_its_address() {
    let world = behind("203.0.113.1").await;
    let token = world.finished().await;
    let call = world.prepared("GET", TOKEN, &token);
    let answer = world.send(call.header("X-Forwarded-For", FORGED)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(addresses(&world, "token_set.picked_up").await, [None]);
}

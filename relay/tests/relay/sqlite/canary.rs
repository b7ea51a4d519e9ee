//! No secret, key or token is in an answer, a log line, an error, the process list or a plain column.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{Program, add_till, json};
use crate::proxy::{Fault, Proxy};
use crate::rig::{PAGE, text};
use crate::sealing::sealed;
use crate::watch::Watch;
use crate::world::{INTEGRATION, TOKEN, World};
use pos_connect_foundation::token::{Hash, Kind};
use serde_json::{Value, json as value};
use std::sync::{Arc, Mutex};

/// Every token that the service ever gave.
fn note_tokens(proxy: &Proxy) -> Arc<Mutex<Vec<String>>> {
    let bearers: Arc<Mutex<Vec<String>>> = Arc::default();
    let note = bearers.clone();
    proxy.plan(move |seen| match seen.path() {
        "/v1/orders" => {
            let bearer = seen.header("authorization").unwrap();
            note.lock()
                .unwrap()
                .push(bearer["Bearer ".len()..].to_owned());
            Fault::Instead(200, "", "{}".into())
        }
        _ => Fault::None,
    });
    bearers
}

async fn errors_of_every_kind(program: &Program, watch: &mut Watch, key: &str, token: &str) {
    let address = program.address;
    let wrong = watch.secret(Kind::Till.mint());
    let garbage = watch.secret("canary-garbage-token");
    let header = watch.secret("canary-header-text");
    let query = watch.secret("canary-query-text");
    let body = watch.secret("canary-body-text");
    watch.error(program.ask(&wrong, "GET", TOKEN, token).await, 401);
    watch.error(program.ask(&header, "GET", TOKEN, token).await, 401);
    watch.error(program.ask(key, "GET", TOKEN, &garbage).await, 403);
    for (target, status) in [
        (format!("/{query}"), 404),
        (
            format!("{TOKEN}?client_id={query}&integration_token=x"),
            400,
        ),
        (format!("{TOKEN}?client_id=%zz&x={query}"), 400),
        (format!("{TOKEN}?x={query}{}", "x".repeat(9000)), 414),
    ] {
        let call = Call::new("GET", target).header("Authorization", format!("Bearer {key}"));
        watch.error(call.send(address).await, status);
    }
    let origin = watch.secret("https://canary-origin.example");
    let call = program
        .prepared(key, "GET", TOKEN, token)
        .header("Origin", origin);
    watch.error(call.send(address).await, 403);
    let call = Call::new("POST", "/v1/orders").header("Authorization", format!("Bearer {key}"));
    let call = call
        .header("X-Request-Id", format!("{header} x"))
        .body(format!("{body}{}", "x".repeat(1_100_000)));
    watch.error(call.send(address).await, 413);
}

/// A merchant's whole way, with everything that can fail on it; gives the integration token.
async fn work(
    program: &Program,
    proxy: &Proxy,
    world: &World,
    watch: &mut Watch,
    key: &str,
) -> String {
    let token = watch.secret(program.create(key).await);
    errors_of_every_kind(program, watch, key, &token).await;
    for status in [400, 403, 500] {
        proxy.faults(
            INTEGRATION,
            vec![Fault::Instead(
                status,
                "",
                r#"{"code":"invalid_secret"}"#.into(),
            )],
        );
        watch.error(program.ask(key, "POST", INTEGRATION, "").await, 502);
    }
    proxy.faults(INTEGRATION, vec![Fault::DropBefore]);
    watch.error(program.ask(key, "POST", INTEGRATION, "").await, 502);
    watch.error(program.ask(key, "GET", TOKEN, &token).await, 409);
    world.finish(&token).await;
    proxy.faults(TOKEN, vec![Fault::DropAfter, Fault::CutBody]);
    let held = program.ask(key, "GET", TOKEN, &token).await;
    assert_eq!(held.json()["held"], true);
    let bearers = note_tokens(proxy);
    let order = Call::new("POST", "/v1/orders").header("Authorization", format!("Bearer {key}"));
    let order = order
        .header("Origin", PAGE)
        .body("canary-order-of-a-customer");
    watch.secret("canary-order-of-a-customer");
    let ordered = order.send(program.address).await;
    assert_eq!(ordered.status, 200);
    let connection =
        Call::new("GET", "/connection").header("Authorization", format!("Bearer {key}"));
    let connection = connection.send(program.address).await;
    for bearer in bearers.lock().unwrap().iter() {
        watch.secret(bearer.as_str());
    }
    for seen in proxy.seen("GET", TOKEN) {
        let id = seen.target.split("pickup_id=").nth(1).unwrap();
        watch.secret(id);
    }
    for answer in [&held, &ordered, &connection] {
        watch.assert_absent("an answer", format!("{answer:?}").as_bytes());
    }
    token
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_secret_is_written_anywhere() {
    let (world, folder) = (World::new().await, Folder::new());
    let proxy = Proxy::start(world.address).await;
    let mut watch = Watch::default();
    watch.secret(&*world.vendor.secret);
    let mut program = Program::serve(&folder, &proxy.url(), &world.vendor, &[]);
    let key = watch.secret(add_till(&folder, "bakery"));
    let storage = std::fs::read_to_string(folder.path().join("pos-connect-relay.key")).unwrap();
    watch.secret(storage.trim());
    let list = process_list(program.id());
    watch.assert_absent("the process list", &list);

    let token = work(&program, &proxy, &world, &mut watch, &key).await;
    by_a_fleet_key(&program, &folder, &mut watch).await;
    listed_and_stored(&folder, &watch);
    program.signal("-TERM");
    assert_eq!(program.wait(), Some(0));
    for name in ["test.db", "log"] {
        absent_from(&folder, &watch, name);
    }
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains(TOKEN) && log.contains("/v1/orders") && log.contains("request_id"));
    assert!(log.contains("a token set is kept") && log.contains(&Hash::of(&token).label()));
    let mut ours = log.lines().filter(|line| line.contains("pos_connect"));
    assert!(ours.all(|line| !line.contains('?')) && !log.contains("client_secret="));
    for body in &watch.errors {
        watch.assert_absent("an error body", body.as_bytes());
    }
}

/// A server adds a till, once more, and wrongly.
async fn by_a_fleet_key(program: &Program, folder: &Folder, watch: &mut Watch) {
    let added = json(folder, &["fleet-key", "add"]);
    let key = watch.secret(added["key"].as_str().unwrap());
    let request = watch.secret("canary-idempotency-key");
    for (body, status) in [
        ("bakery", 200),
        ("bakery", 200),
        ("butcher", 422),
        ("\u{7}", 422),
    ] {
        let call = Call::new("POST", "/tills").header("Authorization", format!("Bearer {key}"));
        let call = call.header("Idempotency-Key", &request);
        let body = value!({ "merchant": body }).to_string();
        let answer = call.body(body).send(program.address).await;
        match status {
            200 => drop(watch.secret(text(&answer, "key"))),
            _ => watch.error(answer, status),
        }
    }
}

fn process_list(id: u32) -> Vec<u8> {
    std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default()
}

fn listed_and_stored(folder: &Folder, watch: &Watch) {
    let listed = json(folder, &["till", "list"]).to_string();
    watch.assert_absent("the list of tills", listed.as_bytes());
    for name in ["test.db", "test.db-wal", "test.db-shm"] {
        absent_from(folder, watch, name);
    }
}

fn absent_from(folder: &Folder, watch: &Watch, name: &str) {
    let bytes = std::fs::read(folder.path().join(name)).unwrap();
    assert!(!bytes.is_empty(), "{name}");
    watch.assert_absent(name, &bytes);
}

/// Also with an answer that is lost, and with orders that the service refuses.
#[tokio::test(flavor = "multi_thread")]
async fn a_sealed_number_is_in_no_file() {
    let (world, folder) = (World::new().await, Folder::new());
    let proxy = Proxy::start(world.address).await;
    let mut watch = Watch::default();
    let mut program = Program::serve(&folder, &proxy.url(), &world.vendor, &[]);
    let key = add_till(&folder, "bakery");
    let token = program.create(&key).await;
    world.finish(&token).await;
    assert_eq!(program.ask(&key, "GET", TOKEN, &token).await.status, 200);
    let address = program.address;
    let call =
        |method, path| Call::new(method, path).header("Authorization", format!("Bearer {key}"));
    let keys = call("GET", "/v1/keys").send(address).await.json();
    let begin = watch.secret("9725276543");
    proxy.faults("/v1/orders", vec![Fault::DropAfter]);
    for at in 0..50 {
        let (id, number) = (format!("order-{at}"), format!("+{begin}{at:02}"));
        // The number of another order is refused.
        let bound_to = if at % 10 == 9 { "another" } else { &*id };
        let body = order(&id, sealed(&keys["keys"][0], bound_to, &number));
        let post = call("POST", "/v1/orders")
            .header("Idempotency-Key", id.clone())
            .header("Content-Type", "application/json");
        let answer = post.body(body.to_string()).send(address).await;
        assert_eq!(
            answer.status,
            if at % 10 == 9 { 422 } else { 200 },
            "{}",
            answer.body
        );
        assert_eq!(
            proxy.seen("POST", "/v1/orders").last().unwrap().body,
            body.to_string()
        );
    }
    everywhere(&folder, &watch, &["test.db", "test.db-wal", "log"]);
    program.signal("-TERM");
    assert_eq!(program.wait(), Some(0));
    everywhere(&folder, &watch, &["test.db", "log"]);
}

fn order(id: &str, sealed: Value) -> Value {
    value!({
        "externalId": id, "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1191}],
        "ereceipt": {"sealed": sealed, "consent": {"id": "ereceipt-1", "locale": "en"}},
    })
}

/// In no file of the folder, and these are among them.
fn everywhere(folder: &Folder, watch: &Watch, among: &[&str]) {
    let files = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        among
            .iter()
            .all(|name| names.iter().any(|other| other == name)),
        "{names:?}"
    );
    for name in names {
        let bytes = std::fs::read(folder.path().join(&name)).unwrap();
        watch.assert_absent(&name, &bytes);
    }
}

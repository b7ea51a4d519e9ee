//! The program while it runs: what it counts, where its options come from, how it stops.

use crate::folder::Folder;
use crate::http::{Call, Connection};
use crate::program::{Program, add_till, command, json};
use crate::world::{INTEGRATION, TOKEN, Vendor};
use pos_connect_foundation::token::Kind;
use serde_json::Value;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn it_stops_when_asked_and_answers_what_is_in_flight() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let proxy = crate::proxy::Proxy::start(world.address).await;
    for signal in ["-TERM", "-INT"] {
        let mut program = Program::serve(&folder, &proxy.url(), &world.vendor, &[]);
        let key = add_till(&folder, "bakery");
        let mut idle = Connection::open(program.address).await;
        assert_eq!(idle.send(Call::new("GET", "/healthz")).await.status, 200);
        let token = program.create(&key).await;
        world.finish(&token).await;
        proxy.faults(
            TOKEN,
            vec![crate::proxy::Fault::Late(Duration::from_millis(800))],
        );
        let (call, address) = (
            program.prepared(&key, "GET", TOKEN, &token),
            program.address,
        );
        let before = proxy.seen("GET", TOKEN).len();
        let waiting = tokio::spawn(async move { call.send(address).await });
        // Until the service was asked.
        while proxy.seen("GET", TOKEN).len() == before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        program.signal(signal);
        assert_eq!(waiting.await.unwrap().json()["held"], true);
        assert_eq!(program.wait(), Some(0));
    }
}

/// The pick-up is made by a task that all tills of an integration share.
#[tokio::test(flavor = "multi_thread")]
async fn a_trace_of_a_till_goes_on_to_the_service() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let proxy = crate::proxy::Proxy::start(world.address).await;
    let program = Program::serve(&folder, &proxy.url(), &world.vendor, &[]);
    let key = add_till(&folder, "bakery");
    let token = program.create(&key).await;
    world.finish(&token).await;
    let (trace, till) = ("00-4bf92f3577b34da6a3ce929d0e0e4736-", "00f067aa0ba902b7");
    let call = program.prepared(&key, "GET", TOKEN, &token);
    let call = call.header("traceparent", format!("{trace}{till}-01"));
    assert_eq!(call.send(program.address).await.status, 200);
    let parent = |method, path| {
        let seen = proxy.seen(method, path);
        seen[0].header("traceparent").map(str::to_owned)
    };
    let passed_on = parent("GET", TOKEN).unwrap();
    assert!(
        passed_on.starts_with(trace) && !passed_on.contains(till),
        "{passed_on}"
    );
    assert_eq!(parent("POST", INTEGRATION), None);
}

#[tokio::test]
async fn a_head_is_as_long_as_it_needs_to_be_and_no_longer() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let key = add_till(&folder, "bakery");
    for (length, status) in [(4_000, 200), (20_000, 431)] {
        let call = program.prepared(&key, "POST", INTEGRATION, "");
        let call = call.header("X-Long", "x".repeat(length));
        assert_eq!(call.send(program.address).await.status, status);
    }
}

/// What the relay asked the service, and what it answered: for Prometheus, on a port of its own.
#[tokio::test]
async fn it_counts_what_it_asks_and_answers() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let options = ["--metrics-listen", "127.0.0.1:0", "--log-format", "json"];
    let program = Program::serve(&folder, &url, &world.vendor, &options);
    let added = json(&folder, &["till", "add", "--merchant", "bakery"]);
    let key = added["key"].as_str().unwrap();
    assert_eq!(program.ask(key, "POST", INTEGRATION, "").await.status, 200);
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut listening = lines.filter(|line| line["message"] == "metrics are at /metrics");
    let address = listening.next().unwrap()["listen"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let answer = crate::http::Call::new("GET", "/metrics")
        .elsewhere()
        .send(address)
        .await;
    for name in ["requests", "upstream_requests"] {
        let line = format!(
            r#"pos_connect_{name}_total{{method="POST",path="/v1/auth/integration",status="200"}} 1"#
        );
        assert!(answer.body.contains(&line), "{line}\n{}", answer.body);
    }
    assert!(!answer.body.contains(key) && !answer.body.contains("bakery"));
}

/// With what it does not start without.
#[tokio::test]
async fn options_come_from_a_file_and_the_environment() {
    let folder = Folder::new();
    let file = "upstream = \"http://127.0.0.1:9\"\nclient-id = \"of-the-file\"\norigin = [\"https://till.example\"]\n";
    std::fs::write(folder.path().join("relay.toml"), file).unwrap();
    let vendor = Vendor {
        id: "of-the-file".into(),
        secret: Kind::ClientSecret.mint(),
    };
    let mut serve = command(&folder, &["serve", "--json", "--config", "relay.toml"]);
    serve
        .env("POS_CONNECT_CLIENT_SECRET", &vendor.secret)
        .env("POS_CONNECT_RELAY_LISTEN", "127.0.0.1:0");
    let program = Program::start(&mut serve, &vendor);
    let ready = Call::new("GET", "/readyz").send(program.address).await;
    assert_eq!(ready.status, 200);
}

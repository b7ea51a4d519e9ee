//! What Prometheus is told, and a log of JSON.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::Program;
use crate::world::INTEGRATION;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;

const OPTIONS: [&str; 7] = [
    "--demo",
    "--till-listen",
    "127.0.0.1:0",
    "--metrics-listen",
    "127.0.0.1:0",
    "--log-format",
    "json",
];

/// All lines of the log, each of which is an object.
pub fn log(folder: &Folder) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let whole = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    whole
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect()
}

/// Where the line says that something listens.
pub async fn listening(folder: &Folder, said: &str) -> SocketAddr {
    // A minute, for a line that never comes.
    for _ in 0..1_200 {
        let found = log(folder).into_iter().find(|line| line["message"] == said);
        if let Some(line) = found {
            return line["listen"].as_str().unwrap().parse().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the log does not say: {said}");
}

#[tokio::test]
async fn it_tells_what_happened_and_names_nobody() {
    let folder = Folder::new();
    let program = Program::serve(&folder, &OPTIONS, Some("info"));
    let created = program.call("POST", INTEGRATION, "").await.json();
    let token = created["integrationToken"].as_str().unwrap().to_owned();
    program.call("GET", INTEGRATION, &token).await;
    program.call("DELETE", INTEGRATION, &token).await;
    let strange = Call::new("BREW", "/no/such/path");
    strange.send(program.address("baseUrl")).await;
    let address = listening(&folder, "metrics are at /metrics").await;
    let answer = Call::new("GET", "/metrics").elsewhere().send(address).await;
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .header("content-type")
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    for line in [
        r#"pos_connect_requests_total{method="POST",path="/v1/auth/integration",status="200"} 1"#,
        r#"pos_connect_requests_total{method="DELETE",path="/v1/auth/integration",status="204"} 1"#,
        r#"pos_connect_requests_total{method="other",path="unmatched",status="404"} 1"#,
        r#"pos_connect_request_duration_seconds_count{path="/v1/auth/integration"} 3"#,
        r#"pos_connect_events_total{event="integration.cancelled"} 1"#,
        r#"pos_connect_messages{state="queued"} 0"#,
        r#"pos_connect_messages{state="failed"} 0"#,
        r#"pos_connect_webhooks{state="queued"} 0"#,
        r#"pos_connect_webhooks{state="failed"} 0"#,
        "pos_connect_disabled_webhooks 0",
        "pos_connect_build_info{version=",
    ] {
        assert!(answer.body.contains(line), "{line}\n{}", answer.body);
    }
    assert!(answer.body.ends_with("# EOF\n"));
    let account = |name: &str| {
        program.first_line["account"][name]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (vendor, email, password) = (program.vendor(), account("email"), account("password"));
    for name in [&token, &vendor.id, &vendor.secret, &email, &password] {
        assert!(
            !name.is_empty() && !answer.body.contains(name.as_str()),
            "{name}"
        );
    }
    // Not on the port that the world sees, and nothing else on its own.
    let public = Call::new("GET", "/metrics")
        .send(program.address("baseUrl"))
        .await;
    assert_eq!(public.status, 404);
    assert_eq!(
        Call::new("GET", "/readyz")
            .elsewhere()
            .send(address)
            .await
            .status,
        404
    );
    assert_eq!(
        Call::new("POST", "/metrics")
            .elsewhere()
            .send(address)
            .await
            .status,
        405
    );
    let line = log(&folder).into_iter().find(|line| line["status"] == 404);
    assert_eq!(line.unwrap()["code"], "not_found");
}

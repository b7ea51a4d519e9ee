//! No secret, token, password or query string reaches a log line, an error body or the database.

use crate::folder::Folder;
use crate::http::{Answer, Call, query};
use crate::program::{self, Program};
use crate::tokens::{self, Pair};
use crate::watch::Watch;
use crate::world::{ACCOUNT, INTEGRATION, REFRESH, TOKEN, Vendor, target};
use pos_connect_protocol::path;
use pos_connect_service::token::{Hash, Kind};
use serde_json::{Value, json};
use std::net::SocketAddr;

async fn errors_of_every_kind(program: &Program, watch: &mut Watch, token: &str) {
    let address = program.address("baseUrl");
    let right = program.vendor();
    let wrong = Vendor {
        secret: watch.secret(Kind::ClientSecret.mint()),
        ..right.clone()
    };
    let guess = Vendor {
        secret: watch.secret("canary-guessed-secret"),
        ..right.clone()
    };
    let stranger = Vendor {
        id: watch.secret("canary-client-id"),
        ..right.clone()
    };
    let foreign = watch.secret(Kind::Integration.mint());
    let garbage = watch.secret("canary-garbage-token");
    let query_text = watch.secret("canary-query-text");
    for (vendor, token, status) in [
        (&wrong, token, 403),
        (&guess, token, 403),
        (&stranger, token, 400),
        (&right, &*foreign, 403),
        (&right, &garbage, 403),
    ] {
        for path in [INTEGRATION, TOKEN] {
            watch.error(
                Call::new("GET", target(path, vendor, token))
                    .send(address)
                    .await,
                status,
            );
        }
    }
    for (target, status) in [
        (format!("/{query_text}"), 404),
        (format!("{TOKEN}?{query_text}=%zz"), 400),
        (
            format!("{TOKEN}?client_secret={query_text}&client_secret={query_text}"),
            400,
        ),
        (format!("{TOKEN}?{query_text}={}", "x".repeat(9000)), 414),
        (
            format!("/connect?client_id={query_text}&integration_token={query_text}"),
            400,
        ),
        (
            format!(
                "/connect?client_id={}&integration_token={query_text}",
                right.id
            ),
            403,
        ),
    ] {
        watch.error(Call::new("GET", target).send(address).await, status);
    }
    let origin = watch.secret("https://canary-origin.example");
    let call = Call::new("GET", target(TOKEN, &right, token)).header("Origin", origin);
    watch.error(call.send(address).await, 403);
    watch.error(
        Call::new("PUT", target(TOKEN, &right, token))
            .send(address)
            .await,
        405,
    );
    watch.error(
        Call::new("GET", target(TOKEN, &right, token))
            .send(address)
            .await,
        409,
    );
    let body =
        format!("{{\"csp-report\":{{\"blocked-uri\":\"https://x.example/?{query_text}\"}}}}");
    Call::new("POST", "/csp-report")
        .body(body)
        .elsewhere()
        .send(program.address("tillUrl"))
        .await;
}

/// Through the connect frame, with one wrong password on the way.
async fn connect(program: &Program, watch: &mut Watch, token: &str) {
    let address = program.address("baseUrl");
    let (email, password) = (
        &program.first_line["account"]["email"],
        &program.first_line["account"]["password"],
    );
    let wrong = watch.secret("canary-wrong-password");
    let pairs = [
        ("integration_token", token),
        ("client_id", &*program.vendor().id),
    ];
    let mut page = Call::new("GET", format!("/connect?{}", query(&pairs)))
        .send(address)
        .await;
    for password in [wrong.as_str(), password.as_str().unwrap(), ""] {
        let mut fields = page.hidden_fields();
        watch.secret(
            fields
                .iter()
                .find(|(name, _)| name == "form")
                .unwrap()
                .1
                .clone(),
        );
        let mut add = |name: &str, value: &str| fields.push((name.into(), value.into()));
        if let Some(store) = page.stores().first() {
            add("action", "connect");
            add("store", store);
            add("ereceipts", "yes");
        } else {
            add("action", "sign-in");
            add("email", email.as_str().unwrap());
            add("password", password);
        }
        let pairs: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let call = Call::new("POST", "/connect")
            .header("Content-Type", "application/x-www-form-urlencoded");
        page = call.body(query(&pairs)).send(address).await;
    }
    assert_eq!(page.data("page"), "finished");
}

/// Remembers the tokens of an answer.
fn keep(watch: &mut Watch, answer: &Answer) -> Pair {
    let pair = Pair::of(answer);
    watch.secret(&*pair.access);
    watch.secret(&*pair.refresh);
    pair
}

/// Picked up, lost and reissued, with every refusal on the way.
async fn pick_up(program: &Program, watch: &mut Watch, token: &str) -> Pair {
    let (address, vendor) = (program.address("baseUrl"), program.vendor());
    let pickup = watch.secret(tokens::pickup_id());
    let other = watch.secret(tokens::pickup_id());
    let odd = watch.secret("canary pickup id");
    let wrong = Vendor {
        secret: watch.secret(Kind::ClientSecret.mint()),
        ..vendor.clone()
    };
    let send = async |call: Call| call.send(address).await;
    watch.error(send(tokens::pick_up(&vendor, token, &odd)).await, 400);
    watch.error(send(tokens::reissue(&vendor, token, &pickup)).await, 409);
    let lost = send(tokens::pick_up(&vendor, token, &pickup)).await;
    let lost = keep(watch, &lost);
    watch.error(program.call("GET", TOKEN, token).await, 410);
    watch.error(send(tokens::pick_up(&vendor, token, &pickup)).await, 410);
    watch.error(send(tokens::pick_up(&vendor, token, &other)).await, 410);
    watch.error(send(tokens::reissue(&vendor, token, &other)).await, 403);
    watch.error(send(tokens::reissue(&vendor, token, &odd)).await, 400);
    watch.error(send(tokens::reissue(&wrong, token, &pickup)).await, 403);
    let cured = send(tokens::reissue(&vendor, token, &pickup)).await;
    let cured = keep(watch, &cured);
    watch.error(send(tokens::account(&lost.access)).await, 401);
    watch.error(send(tokens::refresh(&vendor, &lost.refresh)).await, 400);
    assert_eq!(send(tokens::account(&cured.access)).await.status, 200);
    watch.error(send(tokens::reissue(&vendor, token, &pickup)).await, 409);
    cured
}

/// What a till sends after the connection, rightly and wrongly: personal data, and links that open receipts.
async fn operate(program: &Program, watch: &mut Watch, pair: &Pair) {
    let address = program.address("baseUrl");
    let mut order = crate::both::orders::order(&watch.secret("canary-order-id"));
    order["lines"][0]["name"] = watch.secret("canary line").into();
    order["customer"]["externalId"] = watch.secret("canary-customer").into();
    let phone = watch.secret("+972502345678");
    watch.secret("050-234-5678");
    order["ereceipt"] = json!({"phone": phone, "consent": {"id": "ereceipt-1"}});
    let landline = watch.secret("+97241234567");
    let key = watch.secret("canary-idempotency-key");
    let send = async |path: &str, body: &Value| {
        let call = crate::both::orders::with_body("POST", path, &pair.access, body);
        call.header("Idempotency-Key", &*key).send(address).await
    };
    assert_eq!(send(path::ORDERS, &order).await.status, 200);
    let mut other = order.clone();
    other["externalId"] = watch.secret("canary-other-order-id").into();
    other["ereceipt"]["phone"] = landline.clone().into();
    let unkeyed = crate::both::orders::post(&pair.access, &other).send(address);
    watch.error(unkeyed.await, 422);
    order["ereceipt"]["phone"] = json!({ "n": landline });
    watch.error(send(path::ORDERS, &order).await, 422);
    order["ereceipt"] = Value::Null;
    watch.error(send(path::ORDERS, &order).await, 422);
    let name = watch.secret("canary name");
    let customer =
        json!({"externalId": name, "name": name, "phone": phone, "email": "canary@x.example"});
    let customers = json!({"customers": [customer]});
    assert_eq!(send(path::CUSTOMERS, &customers).await.status, 200);
    let wrong = json!({"customers": [{"externalId": name, "phone": landline, "email": "canary"}]});
    watch.error(send(path::CUSTOMERS, &wrong).await, 422);
    let in_path = watch.secret("canary-order-in-path");
    let call = Call::new("GET", format!("{}/{in_path}", path::ORDERS));
    let call = call.header("Authorization", format!("Bearer {}", pair.access));
    watch.error(call.send(address).await, 404);
    let link = watch.secret("canarycanarycanarycana");
    assert_eq!(
        Call::new("GET", format!("{}/{link}", path::RECEIPT))
            .send(address)
            .await
            .status,
        404
    );
}

/// Presented, refreshed, presented again and revoked, rightly and wrongly.
async fn use_up(program: &Program, watch: &mut Watch, pair: Pair) {
    let (address, vendor) = (program.address("baseUrl"), program.vendor());
    let wrong = Vendor {
        secret: watch.secret(Kind::ClientSecret.mint()),
        ..vendor.clone()
    };
    let send = async |call: Call| call.send(address).await;
    let in_query = format!("{ACCOUNT}?access_token={}", pair.access);
    let basic = format!("Basic {}", pair.access);
    let basic = Call::new("GET", ACCOUNT).header("Authorization", basic);
    let grant = [
        ("grant_type", "canary-grant"),
        ("refresh_token", &*pair.refresh),
    ];
    let query = format!("{REFRESH}?{}", query(&grant));
    watch.error(send(Call::new("GET", in_query)).await, 400);
    watch.error(send(basic).await, 401);
    watch.error(send(tokens::form(REFRESH, &grant)).await, 400);
    watch.error(send(Call::new("POST", query)).await, 400);
    watch.error(send(tokens::refresh(&wrong, &pair.refresh)).await, 403);
    keep(watch, &send(tokens::refresh(&vendor, &pair.refresh)).await);
    let next = send(tokens::refresh(&vendor, &pair.refresh)).await;
    let next = keep(watch, &next);
    watch.error(send(tokens::revoke(&wrong, &next.refresh)).await, 403);
    assert_eq!(send(tokens::account(&next.access)).await.status, 200);
    watch.error(send(tokens::refresh(&vendor, &pair.refresh)).await, 400);
    watch.error(send(tokens::account(&next.access)).await, 401);
    assert_eq!(
        send(tokens::revoke(&vendor, &next.access)).await.status,
        200
    );
}

/// Where the service has its metrics, as its log says.
fn metrics_of(folder: &Folder) -> SocketAddr {
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let line = log
        .lines()
        .find(|line| line.contains("metrics are at /metrics"));
    let (_, listen) = line.unwrap().split_once("listen=").unwrap();
    listen.split_whitespace().next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn nothing_secret_is_written_anywhere() {
    let folder = Folder::new();
    let mut program = Program::serve(
        &folder,
        &[
            "--demo",
            "--till-listen",
            "127.0.0.1:0",
            "--metrics-listen",
            "127.0.0.1:0",
        ],
        Some("trace"),
    );
    let mut watch = Watch::default();
    watch.secret(program.text("clientSecret"));
    watch.secret(program.first_line["account"]["password"].as_str().unwrap());
    let added = program::json(&folder, &["vendor", "add", "--name", "Beside"]);
    watch.secret(added["clientSecret"].as_str().unwrap());
    let token = program.call("POST", INTEGRATION, "").await.json()["integrationToken"]
        .as_str()
        .unwrap()
        .to_owned();
    watch.secret(&*token);
    assert_eq!(program.call("GET", INTEGRATION, &token).await.status, 200);
    errors_of_every_kind(&program, &mut watch, &token).await;
    connect(&program, &mut watch, &token).await;
    let pair = pick_up(&program, &mut watch, &token).await;
    operate(&program, &mut watch, &pair).await;
    use_up(&program, &mut watch, pair).await;

    let files = |names: &[&str]| {
        for name in names {
            let bytes = std::fs::read(folder.path().join(name)).unwrap();
            assert!(!bytes.is_empty(), "{name}");
            watch.assert_absent(name, &bytes);
        }
    };
    files(&["test.db", "test.db-wal", "test.db-shm"]);
    let metrics = Call::new("GET", "/metrics").elsewhere();
    let metrics = metrics.send(metrics_of(&folder)).await.body;
    assert!(
        metrics.contains(r#"path="/v1/orders",status="200""#),
        "{metrics}"
    );
    watch.assert_absent("/metrics", metrics.as_bytes());
    program.signal("-TERM");
    assert_eq!(program.wait(), Some(0));
    files(&["test.db", "log"]);
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains("/v1/auth/integration/token"), "{log}");
    let label = Hash::of(&token).label();
    assert!(
        log.lines()
            .any(|line| line.contains("a token set is claimed") && line.contains(&label))
    );
    for line in [
        "a token set is reissued",
        "a refresh is answered again",
        "a spent refresh token came back",
        "a receipt is ready",
    ] {
        assert!(log.contains(line), "{line}");
    }
    assert!(log.contains("tokens_already_retrieved") && log.contains("request_id"));
    assert!(!log.contains('?') && !log.contains("client_secret="));
    for body in &watch.errors {
        watch.assert_absent("an error body", body.as_bytes());
    }
}

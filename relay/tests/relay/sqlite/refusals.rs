//! Each thing that is not allowed, and its clear error.

use crate::http::{Answer, Call};
use crate::proxy::Fault;
use crate::rig::{PAGE, Rig, hasty, settings, without_id};
use crate::world::{INTEGRATION, TOKEN};
use pos_connect_foundation::token::{Hash, Kind};
use pos_connect_relay::store::{Actor, Revocation};
use std::time::Duration;

fn assert_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (status, code),
        "{}",
        answer.body
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.json()["success"], false);
    assert_eq!(
        answer.json()["requestId"],
        answer.header("x-request-id").unwrap()
    );
}

#[tokio::test]
async fn only_a_live_till_key_is_let_in() {
    let rig = Rig::new().await;
    let token = rig.finished().await;
    let revoked = rig.add_till("bakery").await;
    let (label, now) = (Hash::of(&revoked).label(), rig.relay.clock.now());
    assert_eq!(
        rig.relay
            .store
            .revoke_till(&label, &Actor::Operator, now)
            .await
            .unwrap(),
        Revocation::Done
    );
    let calls = rig.proxy.count();
    let bearer = |key: &str| Some(format!("Bearer {key}"));
    for sent in [
        None,
        Some(String::new()),
        Some("Bearer".into()),
        bearer(""),
        bearer("hello"),
        bearer(&Kind::Till.mint()),
        bearer(&revoked),
        bearer(&rig.service.vendor.secret),
        bearer(&rig.till[1..]),
        bearer(&rig.till.to_uppercase()),
        Some(format!("Basic {}", rig.till)),
    ] {
        for (method, target) in [
            ("POST", rig.target(INTEGRATION, "")),
            ("GET", rig.target(INTEGRATION, &token)),
            ("DELETE", rig.target(INTEGRATION, &token)),
            ("GET", rig.target(TOKEN, &token)),
            ("DELETE", rig.target(TOKEN, &token)),
            ("GET", "/connection".into()),
            ("POST", "/v1/orders".into()),
        ] {
            let mut call = Call::new(method, target);
            if let Some(sent) = &sent {
                call = call.header("Authorization", sent);
            }
            let answer = call.send(rig.address).await;
            assert_refused(&answer, 401, "unauthorized");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
    let twice = rig.call(&rig.till, "GET", "/connection");
    let twice = twice
        .header("Authorization", "Bearer x")
        .send(rig.address)
        .await;
    assert_refused(&twice, 401, "unauthorized");
    let lower = Call::new("POST", rig.target(INTEGRATION, ""));
    let lower = lower.header("Authorization", format!("bearer {}", rig.till));
    assert_eq!(rig.proxy.count(), calls);
    assert_eq!(lower.send(rig.address).await.status, 200);
}

#[tokio::test]
async fn another_tills_integration_looks_like_an_unknown_one() {
    let rig = Rig::new().await;
    let token = rig.finished().await;
    let calls = rig.proxy.count();
    let stranger = rig.add_till("somebody else").await;
    for (method, path) in [
        ("GET", INTEGRATION),
        ("DELETE", INTEGRATION),
        ("GET", TOKEN),
        ("DELETE", TOKEN),
    ] {
        let mut bodies = Vec::new();
        for (key, token) in [
            (&rig.neighbor, &*token),
            (&stranger, &*token),
            (&rig.neighbor, &*Kind::Integration.mint()),
            (&rig.neighbor, "garbage"),
        ] {
            let answer = rig.ask(key, method, path, token).await;
            assert_refused(&answer, 403, "invalid_integration");
            bodies.push(without_id(&answer));
        }
        bodies.dedup();
        assert_eq!(bodies.len(), 1, "the same bytes");
    }
    assert_eq!(rig.proxy.count(), calls);
    assert_eq!(
        rig.tokens(&token).await.status,
        200,
        "its own till still gets it"
    );
}

#[tokio::test]
async fn a_foreign_page_reads_why_and_changes_nothing() {
    let rig = Rig::new().await;
    let token = rig.finished().await;
    let calls = rig.proxy.count();
    for (name, value) in [
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Origin", "https://till.example.evil.example"),
        ("Origin", "HTTPS://till.example"),
        ("Sec-Fetch-Mode", "no-cors"),
        ("Sec-Fetch-Mode", "navigate"),
    ] {
        for (method, target) in [
            ("POST", rig.target(INTEGRATION, "")),
            ("GET", rig.target(TOKEN, &token)),
            ("POST", "/v1/orders".into()),
            ("GET", "/connection".into()),
        ] {
            let call = rig.call(&rig.till, method, target).header(name, value);
            let answer = call.send(rig.address).await;
            assert_refused(&answer, 403, "origin_not_allowed");
        }
    }
    assert_eq!(rig.proxy.count(), calls);
}

#[tokio::test]
async fn nothing_but_our_own_paths_is_passed_on() {
    let rig = Rig::with_connection().await;
    let calls = rig.proxy.count();
    for target in [
        "/",
        "/v1/orders/",
        "/v1/orders/1/2",
        "//v1/orders",
        "/v1//orders",
        "/v1/./orders",
        "/v1/auth/../orders",
        "/v1/orders/../auth/token",
        "/v1/%2e%2e/v1/orders",
        "/v1/%2E/orders",
        "/v1%2forders",
        "/v1%2Forders",
        "/v1/order%73",
        "/v1/orders%00",
        "/v1/orders%20",
        "/v1/orders;x=1",
        "/v1\\orders",
        "/v1/orders\\..\\auth\\token",
        "/V1/orders",
        "/v1/Orders",
        "/v1/auth/token",
        "/v1/auth/revoke",
        "/v1/auth/integration/token/reissue",
        "/v1/account",
        "/connect",
        "/metrics",
    ] {
        for method in ["GET", "POST", "PATCH"] {
            let answer = rig.call(&rig.till, method, target).send(rig.address).await;
            if answer.body.is_empty() {
                // No URL at all to hyper.
                assert_eq!(answer.status, 400, "{target}");
            } else {
                assert_refused(&answer, 404, "not_found");
            }
        }
    }
    for target in [
        "/v1/orders/%zz",
        "/v1/orders/..",
        "/v1/orders/%2e%2e",
        "/v1/orders/%ff",
    ] {
        let answer = rig.call(&rig.till, "GET", target).send(rig.address).await;
        assert_refused(&answer, 400, "malformed_request");
    }
    assert_eq!(rig.proxy.count(), calls);
}

#[tokio::test]
async fn methods_that_a_path_does_not_know_are_refused() {
    let rig = Rig::new().await;
    for (method, target, allow) in [
        ("HEAD", INTEGRATION, "GET, POST, DELETE, OPTIONS"),
        ("PUT", TOKEN, "GET, DELETE, OPTIONS"),
        ("POST", "/connection", "GET, DELETE, OPTIONS"),
        ("GET", "/v1/orders", "POST, OPTIONS"),
        ("POST", "/v1/store", "GET, PATCH, OPTIONS"),
        ("POST", "/v1/orders/1", "GET, OPTIONS"),
        ("PATCH", "/v1/customers", "POST, OPTIONS"),
        ("POST", "/healthz", "GET, HEAD"),
    ] {
        let mut connection = crate::http::Connection::open(rig.address).await;
        let answer = connection.send(rig.call(&rig.till, method, target)).await;
        assert_eq!(answer.status, 405, "{method} {target}");
        assert_eq!(answer.header("allow"), Some(allow));
    }
    assert_eq!(rig.proxy.count(), 0);
}

#[tokio::test]
async fn a_request_is_read_strictly() {
    let rig = Rig::new().await;
    let id = &rig.service.vendor.id;
    let long = "x".repeat(9000);
    for (query, status, expected) in [
        ("", 400, "missing_parameter client_id"),
        ("{id}", 400, "missing_parameter integration_token"),
        ("{id}&{token}", 400, "missing_parameter integration_token"),
        ("{id}&{id}&{token}x", 400, "repeated_parameter client_id"),
        (
            "{id}&{token}%zz",
            400,
            "malformed_request integration_token",
        ),
        ("client_id=other&{token}x", 400, "invalid_client client_id"),
        (
            "{id}&client_secret=s&{token}x",
            400,
            "invalid_parameter client_secret",
        ),
        ("{id}&x={long}", 414, "uri_too_long"),
    ] {
        let query = query
            .replace("{id}", &format!("client_id={id}"))
            .replace("{token}", "integration_token=")
            .replace("{long}", &long);
        let target = format!("{TOKEN}?{query}");
        let answer = rig.call(&rig.till, "GET", target).send(rig.address).await;
        let (code, parameter) = expected.split_once(' ').unwrap_or((expected, ""));
        assert_refused(&answer, status, code);
        let named = answer.json()["parameter"].clone();
        assert_eq!(named.as_str().unwrap_or_default(), parameter, "{query}");
    }
    assert_eq!(rig.proxy.count(), 0);
}

#[tokio::test]
async fn a_body_or_a_query_where_none_belongs_is_refused() {
    let rig = Rig::new().await;
    let body = rig
        .call(&rig.till, "POST", rig.target(INTEGRATION, ""))
        .body("{}");
    assert_refused(&body.send(rig.address).await, 400, "malformed_request");
    let query = rig.call(&rig.till, "POST", "/v1/orders?x=1").body("{}");
    assert_refused(&query.send(rig.address).await, 400, "malformed_request");
    assert_eq!(rig.proxy.count(), 0);
}

/// How the service can fail, and what a till is told then.
fn failures() -> Vec<(Fault, u16, &'static str)> {
    let says = |status, body: &str| Fault::Instead(status, "", body.into());
    let location = "Location: http://127.0.0.1:1/\r\n";
    let moved = Fault::Instead(302, location, String::new());
    let refused = r#"{"code":"invalid_secret"}"#;
    let unknown = r#"{"success":true,"status":"maybe"}"#;
    let late = Fault::Late(Duration::from_secs(600));
    let mine = r#"{"success":false}"#;
    let long = "x".repeat(2_000_000);
    vec![
        (says(400, ""), 502, "upstream_blocked"),
        (says(401, ""), 502, "upstream_blocked"),
        (says(403, "<h1>Forbidden</h1>"), 502, "upstream_blocked"),
        (says(403, refused), 502, "upstream_refused"),
        (says(404, ""), 502, "upstream_unexpected"),
        (moved, 502, "upstream_unexpected"),
        (says(200, "hello"), 502, "upstream_unexpected"),
        (says(200, unknown), 502, "upstream_unexpected"),
        (says(200, &long), 502, "upstream_unavailable"),
        (Fault::Replaced(500), 502, "upstream_unavailable"),
        (Fault::DropBefore, 502, "upstream_unavailable"),
        (Fault::CutBody, 502, "upstream_unavailable"),
        (late, 504, "upstream_timeout"),
        (says(403, mine), 403, "invalid_integration"),
    ]
}

#[tokio::test]
async fn what_only_the_operator_can_mend_is_not_blamed_on_the_till() {
    let rig = Rig::with(settings(), hasty()).await;
    let token = rig.create().await;
    for (fault, status, code) in failures() {
        let what = format!("{fault:?}").chars().take(60).collect::<String>();
        rig.proxy.faults(INTEGRATION, vec![fault]);
        let call = rig.call(&rig.till, "GET", rig.target(INTEGRATION, &token));
        let answer = call.header("Origin", PAGE).send(rig.address).await;
        println!("{what}");
        assert_refused(&answer, status, code);
        rig.service.pass(Duration::from_secs(6));
    }
}

//! The whole way of a merchant, with the tokens kept by the relay.

use crate::http::Call;
use crate::proxy::Fault;
use crate::rig::{PAGE, Rig, text};
use crate::world::{INTEGRATION, TOKEN};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_till_connects_its_merchant_and_never_sees_a_token() {
    let rig = Rig::new().await;
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], false);
    let created = rig.ask(&rig.till, "POST", INTEGRATION, "").await;
    let token = text(&created, "integrationToken");
    let body = created.json();
    assert_eq!(
        (&body["interval"], &body["expiresIn"]),
        (&5.into(), &1800.into())
    );
    assert_eq!(body["pickup"], false, "the till has nothing to cure");
    let page = rig.service.open_connect(&token).await;
    let code = text(&created, "code");
    assert!(page.body.contains(&format!(">{code}<")), "the page's code");
    let status = rig.ask(&rig.till, "GET", INTEGRATION, &token).await.json();
    assert_eq!(
        (&status["status"], &status["opened"]),
        (&"pending".into(), &json!(null))
    );
    let phone =
        Call::new("GET", rig.service.connect_target(&token)).header("Sec-Fetch-Dest", "document");
    assert_eq!(rig.service.send(phone).await.status, 200);
    rig.service.pass(Duration::from_secs(5));
    let status = rig.ask(&rig.till, "GET", INTEGRATION, &token).await.json();
    assert_eq!(status["opened"], true);
    let early = rig.tokens(&token).await;
    assert_eq!(
        (early.status, early.code().as_str()),
        (409, "integration_pending")
    );
    rig.service.finish(&token).await;
    let status = rig.ask(&rig.till, "GET", INTEGRATION, &token).await.json();
    assert_eq!(status["status"], "finished");
    let held = rig.tokens(&token).await;
    let body = held.json();
    assert_eq!(
        (&body["success"], &body["held"], &body["ereceipt"]),
        (&true.into(), &true.into(), &true.into())
    );
    assert_eq!(body["account"]["name"], "Corner Bakery");
    assert!(!held.body.contains("oken"), "{}", held.body);
    let again = rig.tokens(&token).await;
    assert_eq!(again.body, held.body);
    assert_eq!(rig.given(), 1);
    for key in [&rig.till, &rig.neighbor] {
        let connection = rig.connection(key).await.json();
        let expected = json!({
            "success": true, "connected": true, "ereceipt": true,
            "expiration": body["expiration"], "account": body["account"], "store": body["store"]
        });
        assert_eq!(connection, expected);
    }
    let stranger = rig.add_till("somebody else").await;
    assert_eq!(rig.connection(&stranger).await.json()["connected"], false);
}

#[tokio::test]
async fn what_the_service_says_of_an_integration_reaches_the_till() {
    let rig = Rig::new().await;
    let token = rig.create().await;
    let ask = |method: &'static str| rig.ask(&rig.till, method, INTEGRATION, &token);
    assert_eq!(ask("GET").await.status, 200);
    let slow = ask("GET").await;
    assert_eq!((slow.status, slow.code().as_str()), (429, "slow_down"));
    assert_eq!(slow.header("retry-after"), Some("5"));
    assert_eq!(ask("DELETE").await.status, 204);
    assert_eq!(ask("DELETE").await.status, 204);
    let status = ask("GET").await.json();
    assert_eq!(
        (&status["status"], &status["reason"]),
        (&"cancelled".into(), &"till".into())
    );
    assert_eq!(rig.tokens(&token).await.code(), "integration_cancelled");
    let token = rig.connected().await;
    let late = rig.ask(&rig.till, "DELETE", INTEGRATION, &token).await;
    assert_eq!(
        (late.status, late.code().as_str()),
        (409, "integration_finished")
    );
}

#[tokio::test]
async fn a_newer_integration_of_the_merchant_takes_the_place_of_the_older() {
    let rig = Rig::new().await;
    let first = rig.connected().await;
    let second = rig.connected().await;
    assert_ne!(first, second);
    rig.proxy
        .faults("/v1/orders", vec![Fault::Instead(200, "", "{}".into())]);
    assert_eq!(rig.order().await.status, 200);
    assert_eq!(rig.tokens(&first).await.json()["held"], true);
    assert_eq!(rig.given(), 2);
}

#[tokio::test]
async fn the_secret_goes_to_the_service_and_the_tills_key_does_not() {
    let rig = Rig::new().await;
    let token = rig.connected().await;
    let call = rig.call(&rig.till, "GET", rig.target(TOKEN, &token));
    call.header("Origin", PAGE).send(rig.address).await;
    let seen = rig.proxy.seen("POST", INTEGRATION);
    assert!(seen[0].target.contains(&rig.service.vendor.secret));
    for seen in [seen, rig.proxy.seen("GET", TOKEN)].concat() {
        assert_eq!(seen.header("authorization"), None);
        assert_eq!(
            seen.header("origin"),
            None,
            "the service would take it for a page"
        );
        assert!(!format!("{seen:?}").contains(&rig.till));
    }
}

#[tokio::test]
async fn a_pages_own_origin_may_read_its_answers() {
    let rig = Rig::new().await;
    let call = rig.call(&rig.till, "POST", rig.target(INTEGRATION, ""));
    let answer = call.header("Origin", PAGE).send(rig.address).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some(PAGE));
    assert_eq!(
        answer.header("access-control-expose-headers"),
        Some("Retry-After, X-Request-Id, Idempotent-Replayed, Test-Mode")
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("vary"), Some("Origin"));
    for (path, methods) in [
        (INTEGRATION, "GET, POST, DELETE, OPTIONS"),
        (TOKEN, "GET, DELETE, OPTIONS"),
        ("/connection", "GET, DELETE, OPTIONS"),
        ("/v1/orders", "POST, OPTIONS"),
        ("/v1/orders/1", "GET, OPTIONS"),
        ("/v1/store", "GET, PATCH, OPTIONS"),
    ] {
        let preflight = Call::new("OPTIONS", path).header("Origin", PAGE);
        let preflight = preflight.send(rig.address).await;
        assert_eq!(preflight.status, 204);
        assert_eq!(
            preflight.header("access-control-allow-methods"),
            Some(methods)
        );
        assert_eq!(
            preflight.header("access-control-allow-headers"),
            Some("*, Authorization")
        );
    }
}

#[tokio::test]
async fn a_callers_request_id_is_kept_where_it_is_harmless() {
    let rig = Rig::new().await;
    for (sent, kept) in [
        ("till-7.42_a", true),
        ("a b", false),
        (&*"x".repeat(65), false),
    ] {
        let call = rig.call(&rig.till, "POST", rig.target(INTEGRATION, ""));
        let answer = call.header("X-Request-Id", sent).send(rig.address).await;
        let id = answer.header("x-request-id").unwrap();
        assert_eq!(id == sent, kept, "{sent}");
        let seen = rig.proxy.seen("POST", INTEGRATION).pop().unwrap();
        assert_eq!(seen.header("x-request-id"), Some(id));
    }
}

//! The three operations, passed on with the merchant's token.

use crate::http::Call;
use crate::proxy::Fault;
use crate::rig::{PAGE, Rig, hasty, settings};
use pos_connect_foundation::token::Hash;
use std::time::Duration;

fn instead(status: u16) -> Fault {
    Fault::Instead(
        status,
        "Content-Type: application/json\r\n",
        format!("{{\"status\":{status}}}"),
    )
}

/// A call with headers that must not get further, among those that must.
fn with_everything(rig: &Rig, method: &str, path: &str) -> Call {
    Call::new(method, path)
        .header("Authorization", format!("Bearer {}", rig.till))
        .header("Origin", PAGE)
        .header("Cookie", "session=1")
        .header("X-Forwarded-For", "10.0.0.1")
        .header("X-Access-Token", "mine")
        .header("Till-Id", "another till's")
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", "key-1")
        .body("{\"name\":\"x\"}")
}

#[tokio::test]
async fn each_of_the_three_goes_through_with_our_token_and_nothing_of_the_callers() {
    let rig = Rig::with_connection().await;
    for (method, path) in [
        ("PATCH", "/v1/store"),
        ("POST", "/v1/customers"),
        ("POST", "/v1/orders"),
    ] {
        rig.proxy.faults(
            path,
            vec![Fault::Instead(
                201,
                "Content-Type: application/json\r\nSet-Cookie: a=b\r\nX-Other: 1\r\n",
                "{\"id\":7}".into(),
            )],
        );
        let call = with_everything(&rig, method, path);
        let answer = call.send(rig.address).await;
        assert_eq!((answer.status, answer.body.as_str()), (201, "{\"id\":7}"));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("access-control-allow-origin"), Some(PAGE));
        assert_eq!(
            (answer.header("set-cookie"), answer.header("x-other")),
            (None, None)
        );
        let seen = rig.proxy.seen(method, path).remove(0);
        assert_eq!(
            (seen.body.as_str(), seen.target.as_str()),
            ("{\"name\":\"x\"}", path)
        );
        let bearer = seen.header("authorization").unwrap();
        assert!(bearer.starts_with("Bearer pca_"), "our access token");
        let till = Hash::of(&rig.till).label();
        assert_eq!(seen.header("till-id"), Some(&*till));
        let agent = seen.header("user-agent").unwrap();
        assert!(agent.starts_with("pos-connect-relay/"), "{agent}");
        let mut names: Vec<&str> = seen.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "accept",
                "authorization",
                "content-length",
                "content-type",
                "host",
                "idempotency-key",
                "till-id",
                "user-agent",
                "x-request-id"
            ]
        );
    }
}

#[tokio::test]
async fn what_the_service_says_to_the_till_goes_through() {
    let rig = Rig::with_connection().await;
    for status in [200, 202, 400, 403, 404, 409, 422] {
        rig.proxy.faults("/v1/orders", vec![instead(status)]);
        let answer = rig.order().await;
        assert_eq!(
            (answer.status, &answer.json()["status"]),
            (status, &status.into())
        );
    }
    for (written, seconds) in [
        ("Retry-After: 7\r\n", "7"),
        ("Retry-After: soon\r\n", "5"),
        ("", "5"),
    ] {
        rig.proxy.faults(
            "/v1/orders",
            vec![Fault::Instead(429, written, "{}".into())],
        );
        let slow = rig.order().await;
        assert_eq!(
            (slow.status, slow.header("retry-after")),
            (429, Some(seconds))
        );
    }
}

#[tokio::test]
async fn a_call_is_repeated_only_where_that_does_no_harm() {
    let rig = Rig::with_connection().await;
    let tries = |keyed: bool, faults: Vec<Fault>| {
        let rig = &rig;
        async move {
            let before = rig.proxy.seen("POST", "/v1/orders").len();
            rig.proxy.faults("/v1/orders", faults);
            let mut call = rig.call(&rig.till, "POST", "/v1/orders").body("{}");
            if keyed {
                call = call.header("Idempotency-Key", "one");
            }
            let answer = call.send(rig.address).await;
            (
                answer.status,
                rig.proxy.seen("POST", "/v1/orders").len() - before,
            )
        }
    };
    for fault in [
        Fault::DropBefore,
        Fault::Instead(503, "", String::new()),
        Fault::Instead(500, "", String::new()),
    ] {
        assert_eq!(
            tries(true, vec![fault.clone(), instead(200)]).await,
            (200, 2)
        );
        assert_eq!(
            tries(true, vec![fault.clone(), fault.clone(), fault.clone()]).await,
            (502, 3)
        );
        assert_eq!(tries(false, vec![fault, instead(200)]).await, (502, 1));
    }
}

#[tokio::test]
async fn a_call_whose_time_is_gone_is_not_repeated() {
    let rig = Rig::with(settings(), hasty()).await;
    rig.connected().await;
    let never = Fault::Late(Duration::from_secs(600));
    rig.proxy.faults("/v1/orders", vec![never]);
    let call = rig.call(&rig.till, "POST", "/v1/orders").body("{}");
    let answer = call
        .header("Idempotency-Key", "one")
        .send(rig.address)
        .await;
    let tries = rig.proxy.seen("POST", "/v1/orders").len();
    assert_eq!((answer.status, tries), (504, 1));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let rig = Rig::with_connection().await;
    let elsewhere = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let location = format!("Location: http://{}/\r\n", elsewhere.local_addr().unwrap());
    for status in [301, 302, 307, 308] {
        rig.proxy.faults(
            "/v1/orders",
            vec![Fault::Instead(
                status,
                String::leak(location.clone()),
                String::new(),
            )],
        );
        let answer = rig.order().await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (502, "upstream_unexpected")
        );
    }
    let nobody = tokio::time::timeout(Duration::from_millis(100), elsewhere.accept()).await;
    assert!(nobody.is_err());
}

#[tokio::test]
async fn a_merchant_that_is_not_connected_has_no_operations() {
    let rig = Rig::new().await;
    let none = rig.order().await;
    assert_eq!((none.status, none.code().as_str()), (404, "not_connected"));
    rig.connected().await;
    let stranger = rig.add_till("somebody else").await;
    let call = rig.call(&stranger, "POST", "/v1/orders").body("{}");
    assert_eq!(call.send(rig.address).await.code(), "not_connected");
    assert!(rig.proxy.seen("POST", "/v1/orders").is_empty());
}

#[tokio::test]
async fn the_services_own_refusal_has_one_request_id() {
    let rig = Rig::with_connection().await;
    let call = rig.call(&rig.till, "POST", "/v1/orders").body("{}");
    let answer = call
        .header("X-Request-Id", "till-7")
        .send(rig.address)
        .await;
    assert!(answer.status >= 400, "{}", answer.body);
    assert_eq!(answer.header("x-request-id"), Some("till-7"));
    assert_eq!(answer.json()["requestId"], "till-7");
}

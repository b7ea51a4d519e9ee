//! CORS: who may read which answer.

use crate::http::{Answer, Call};
use crate::world::{INTEGRATION, TILL, TOKEN, World};

fn readers(answer: &Answer) -> (Option<&str>, Option<&str>) {
    (
        answer.header("access-control-allow-origin"),
        answer.header("access-control-expose-headers"),
    )
}

const EXPOSED: Option<&str> = Some("Retry-After, X-Request-Id, Idempotent-Replayed, Test-Mode");

#[tokio::test]
async fn success_is_for_the_registered_origin_alone() {
    let world = World::new().await;
    let token = world.finished().await;
    let pending = world.create().await;
    for (method, path, token, status) in [
        ("POST", INTEGRATION, "", 200),
        ("GET", INTEGRATION, &*token, 200),
        ("GET", TOKEN, &token, 200),
        ("DELETE", INTEGRATION, &pending, 204),
    ] {
        let answer = world
            .send(world.prepared(method, path, token).header("Origin", TILL))
            .await;
        assert_eq!(answer.status, status);
        assert_eq!(readers(&answer), (Some(TILL), EXPOSED), "{method} {path}");
        assert_eq!(answer.header("vary"), Some("Origin"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
    let outside_a_browser = world.call("POST", INTEGRATION, "").await;
    assert_eq!(readers(&outside_a_browser), (None, None));
    assert_eq!(outside_a_browser.header("vary"), Some("Origin"));
}

#[tokio::test]
async fn an_app_shell_is_an_origin_too() {
    let mut world = World::new().await;
    let shells = [
        "capacitor://localhost",
        "tauri://localhost",
        "ionic://localhost",
        "http://[::1]:5173",
    ];
    world.vendor = world.add_vendor("Shells", &shells).await;
    for shell in shells {
        let answer = world
            .send(
                world
                    .prepared("POST", INTEGRATION, "")
                    .header("Origin", shell),
            )
            .await;
        assert_eq!((answer.status, readers(&answer).0), (200, Some(shell)));
    }
}

#[tokio::test]
async fn anything_that_only_looks_like_it_is_refused_readably() {
    let world = World::new().await;
    world
        .add_vendor("Other Till", &["https://other.example"])
        .await;
    for origin in [
        "null",
        "https://other.example",
        "http://till.example",
        "https://till.example:8443",
        "https://till.example.evil.example",
        "https://evil-till.example",
        "https://TILL.example",
        "https://till.example/",
        "https://till.example, https://x.example",
        "https://till.example:443",
        "*",
        "https://",
        "",
    ] {
        let answer = world
            .send(
                world
                    .prepared("POST", INTEGRATION, "")
                    .header("Origin", origin),
            )
            .await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (403, "origin_not_allowed"),
            "{origin}"
        );
        assert_eq!(readers(&answer), (Some("*"), EXPOSED), "{origin}");
    }
}

#[tokio::test]
async fn a_page_that_hides_its_origin_is_refused_and_consumes_nothing() {
    let world = World::new().await;
    let token = world.finished().await;
    for mode in ["no-cors", "navigate"] {
        let call = world
            .prepared("GET", TOKEN, &token)
            .header("Sec-Fetch-Mode", mode);
        let answer = world.send(call).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (403, "origin_not_allowed"),
            "{mode}"
        );
    }
    let till = world
        .prepared("GET", TOKEN, &token)
        .header("Origin", TILL)
        .header("Sec-Fetch-Mode", "cors");
    assert_eq!(world.send(till).await.status, 200);
}

#[tokio::test]
async fn every_error_can_be_read_by_the_page_that_got_it() {
    let (world, token) = World::with_integration().await;
    assert_eq!(world.status(&token).await.status, 200);
    let long = format!("{INTEGRATION}?{}", "x".repeat(9000));
    for (status, call) in [
        (404, Call::new("GET", "/v1/nothing")),
        (405, Call::new("PUT", INTEGRATION)),
        (414, Call::new("GET", long)),
        (400, Call::new("GET", INTEGRATION)),
        (403, world.prepared("GET", INTEGRATION, "x")),
        (429, world.prepared("GET", INTEGRATION, &token)),
        (409, world.prepared("GET", TOKEN, &token)),
    ] {
        for origin in [TILL, "https://stranger.example", "null"] {
            let answer = world.send(call.clone().header("Origin", origin)).await;
            let expected = if origin == TILL || [404, 405, 414, 400].contains(&status) {
                status
            } else {
                403
            };
            assert_eq!(answer.status, expected, "{call:?}");
            assert_eq!(readers(&answer), (Some("*"), EXPOSED));
            assert_eq!(answer.status == 429, answer.header("retry-after").is_some());
        }
    }
}

#[tokio::test]
async fn a_preflight_lets_every_call_through_to_its_own_answer() {
    let world = World::new().await;
    let token = world.finished().await;
    for (path, methods) in [
        (INTEGRATION, "GET, POST, DELETE, OPTIONS"),
        (TOKEN, "GET, OPTIONS"),
    ] {
        let call = world
            .prepared("OPTIONS", path, &token)
            .header("Origin", "https://stranger.example")
            .header("Access-Control-Request-Method", "DELETE")
            .header("Access-Control-Request-Headers", "x-till");
        let answer = world.send(call).await;
        assert_eq!((answer.status, answer.body.as_str()), (204, ""));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("access-control-allow-methods"), Some(methods));
        assert_eq!(answer.header("access-control-allow-headers"), Some("*"));
        assert_eq!(answer.header("access-control-max-age"), Some("600"));
    }
    assert_eq!(world.token(&token).await.status, 200);
}

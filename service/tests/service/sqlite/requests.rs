//! What a request must look like, and what every answer looks like.

use crate::http::{Call, Connection};
use crate::world::{ACCOUNT, INTEGRATION, REFRESH, REISSUE, REVOKE, TOKEN, World, target};
use pos_connect_protocol::parameter::CLIENT_SECRET;

#[tokio::test]
async fn the_query_is_read_strictly() {
    let world = World::new().await;
    let token = world.finished().await;
    let url = target(TOKEN, &world.vendor, &token);
    let without = |name: &str| {
        let pairs: Vec<&str> = url
            .split(['?', '&'])
            .skip(1)
            .filter(|pair| !pair.starts_with(name))
            .collect();
        format!("{TOKEN}?{}", pairs.join("&"))
    };
    let (no_secret, no_token) = (without("client_secret"), without("integration_token"));
    // `foundation/src/query.rs` has what else is no query.
    let rows = [
        (without("client_id"), "missing_parameter", Some("client_id")),
        (
            no_secret.clone(),
            "missing_parameter",
            Some("client_secret"),
        ),
        (
            no_token.clone(),
            "missing_parameter",
            Some("integration_token"),
        ),
        (
            format!("{url}&client_secret=x"),
            "repeated_parameter",
            Some("client_secret"),
        ),
        (
            format!("{no_secret}&client_secret=%zz"),
            "malformed_request",
            Some("client_secret"),
        ),
        (format!("{url}&other=%zz"), "malformed_request", None),
        // Well-formed, and wrong.
        (
            format!("{no_secret}&client_secret=%0D%00"),
            "invalid_secret",
            Some("client_secret"),
        ),
        (
            format!("{no_token}&integration_token={token}%E2%80%8F"),
            "invalid_integration",
            Some("integration_token"),
        ),
        (
            format!("{no_token}&integration_token={token};x=1"),
            "invalid_integration",
            Some("integration_token"),
        ),
    ];
    for (url, code, parameter) in rows {
        let answer = world.send(Call::new("GET", url.clone())).await;
        assert_eq!(answer.code(), code, "{url}");
        assert_eq!(answer.json()["parameter"].as_str(), parameter, "{url}");
        assert!(!answer.body.contains(&world.vendor.secret), "never a value");
    }
    let first =
        format!("{TOKEN}?&utm=1&utm=2&{}&", &url[TOKEN.len() + 1..]).replace("pcs_", "pc%73%5F");
    assert!(first.contains(CLIENT_SECRET));
    assert_eq!(
        world.send(Call::new("GET", first)).await.status,
        200,
        "unknown ones are ignored, encoded ones read"
    );
}

#[tokio::test]
async fn the_query_has_a_longest_length() {
    let world = World::new().await;
    let url = target(INTEGRATION, &world.vendor, "");
    let filler = |length: usize| {
        format!(
            "{url}&x={}",
            "y".repeat(length - (url.len() - INTEGRATION.len() - 1) - 3)
        )
    };
    assert_eq!(
        world.send(Call::new("POST", filler(8192))).await.status,
        200
    );
    let answer = world.send(Call::new("POST", filler(8193))).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (414, "uri_too_long")
    );
    assert_eq!(
        world.send(Call::new("POST", filler(12_000))).await.code(),
        "uri_too_long"
    );
    // A head of more than 16 KiB is refused before anybody has read it.
    assert_eq!(
        world.send(Call::new("POST", filler(60_000))).await.status,
        431
    );
}

#[tokio::test]
async fn paths_are_exact_and_nothing_redirects() {
    let world = World::new().await;
    let query = target("", &world.vendor, "");
    for path in [
        "/v1/auth/integration/",
        "//v1/auth/integration",
        "/V1/auth/integration",
        "/v1/auth/integratio%6e",
        "/v1/auth",
        "/v1/auth/../auth/integration",
        "/v2/auth/integration",
        "/",
        "/connect/",
        "/connect/style.css/",
    ] {
        let answer = world
            .send(Call::new("POST", format!("{path}{query}")))
            .await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (404, "not_found"),
            "{path}"
        );
        assert_eq!(answer.header("location"), None);
    }
}

#[tokio::test]
async fn other_methods_are_refused_with_the_right_list() {
    let world = World::new().await;
    let token = world.finished().await;
    for (path, allow, methods) in [
        (
            INTEGRATION,
            "GET, POST, DELETE, OPTIONS",
            &["HEAD", "PUT", "PATCH", "TRACE", "PROPFIND"][..],
        ),
        (
            TOKEN,
            "GET, OPTIONS",
            &["HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"],
        ),
        ("/connect", "GET, POST", &["HEAD", "PUT", "OPTIONS"]),
        ("/connect/style.css", "GET, HEAD", &["POST"]),
        ("/healthz", "GET, HEAD", &["POST"]),
    ] {
        for method in methods {
            let answer = world.call(method, path, &token).await;
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow"), Some(allow));
            let overridden = world
                .prepared(method, path, &token)
                .header("X-HTTP-Method-Override", "GET");
            assert_eq!(world.send(overridden).await.status, 405);
        }
    }
    assert_eq!(world.call("OPTIONS", TOKEN, &token).await.status, 204);
    assert_eq!(
        world.token(&token).await.status,
        200,
        "none of them consumed it"
    );
}

#[tokio::test]
async fn a_prefetch_consumes_nothing() {
    let world = World::new().await;
    let token = world.finished().await;
    for (name, value) in [
        ("Sec-Purpose", "prefetch"),
        ("Sec-Purpose", "prefetch;anonymous-client-ip"),
        ("Purpose", "prefetch"),
        ("Purpose", "Prefetch"),
        ("X-Moz", "prefetch"),
    ] {
        for path in [INTEGRATION, TOKEN] {
            let answer = world
                .send(world.prepared("GET", path, &token).header(name, value))
                .await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (400, "prefetch_refused")
            );
        }
    }
    assert_eq!(
        world.status(&token).await.status,
        200,
        "and no prefetch was a poll"
    );
    assert_eq!(world.token(&token).await.status, 200);
}

#[tokio::test]
async fn ranges_and_conditions_are_ignored() {
    let world = World::new().await;
    let token = world.finished().await;
    let call = world
        .prepared("GET", TOKEN, &token)
        .header("Range", "bytes=0-1")
        .header("If-None-Match", "*");
    let answer = world.send(call).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["success"], true);
}

#[tokio::test]
async fn a_body_is_malformed() {
    let world = World::new().await;
    let token = world.finished().await;
    for (method, path) in [
        ("POST", INTEGRATION),
        ("GET", INTEGRATION),
        ("DELETE", INTEGRATION),
        ("GET", TOKEN),
    ] {
        let call = world.prepared(method, path, &token).body("client_id=x");
        assert_eq!(
            world.send(call).await.code(),
            "malformed_request",
            "{method} {path}"
        );
        let chunked = world
            .prepared(method, path, &token)
            .header("Transfer-Encoding", "chunked");
        let mut connection = Connection::open(world.address).await;
        assert_eq!(
            connection.send(chunked).await.code(),
            "malformed_request",
            "{method} {path}"
        );
    }
    let empty = world.prepared("POST", INTEGRATION, "").body("");
    assert_eq!(world.send(empty).await.status, 200);
    assert_eq!(world.token(&token).await.status, 200);
}

#[tokio::test]
async fn every_answer_carries_its_headers() {
    let world = World::new().await;
    let (token, pending) = (world.finished().await, world.create().await);
    let long = format!("{INTEGRATION}?{}", "x".repeat(9000));
    let calls = [
        (200, world.prepared("POST", INTEGRATION, "")),
        (200, world.prepared("GET", INTEGRATION, &token)),
        (429, world.prepared("GET", INTEGRATION, &token)),
        (200, world.prepared("GET", TOKEN, &token)),
        (410, world.prepared("GET", TOKEN, &token)),
        (409, world.prepared("GET", TOKEN, &pending)),
        (204, world.prepared("DELETE", INTEGRATION, &pending)),
        (204, world.prepared("OPTIONS", TOKEN, "")),
        (400, Call::new("GET", TOKEN)),
        (403, world.prepared("GET", TOKEN, "x")),
        (401, Call::new("GET", ACCOUNT)),
        (404, Call::new("GET", "/")),
        (405, Call::new("HEAD", TOKEN)),
        (414, Call::new("GET", long)),
        (400, Call::new("GET", "/connect")),
        (200, Call::new("GET", "/connect/script.js")),
        (200, Call::new("GET", "/healthz")),
        (200, Call::new("GET", "/readyz")),
    ];
    let posts = [(400, REISSUE), (415, REFRESH), (415, REVOKE)];
    let posts = posts.map(|(status, path)| (status, Call::new("POST", path)));
    let mut ids = std::collections::HashSet::new();
    for (status, call) in calls.into_iter().chain(posts) {
        let name = format!("{call:?}");
        let answer = world.send(call).await;
        assert_eq!(answer.status, status, "{name}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{name}");
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{name}"
        );
        assert_eq!(answer.header("server"), None, "{name}");
        let policy = if name.contains("target: \"/connect\"") {
            "strict-origin"
        } else {
            "no-referrer"
        };
        assert_eq!(answer.header("referrer-policy"), Some(policy), "{name}");
        assert!(
            ids.insert(answer.header("x-request-id").unwrap().to_owned()),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_callers_request_id_is_kept_where_it_is_harmless() {
    let world = World::new().await;
    for (sent, kept) in [
        ("till-7.42_a", true),
        ("a b", false),
        (&*"x".repeat(65), false),
    ] {
        let call = Call::new("GET", "/v1/nothing").header("X-Request-Id", sent);
        let answer = world.send(call).await;
        let id = answer.header("x-request-id").unwrap();
        assert_eq!(id == sent, kept, "{sent}");
        assert_eq!(answer.json()["requestId"], id);
    }
}

#[tokio::test]
async fn a_request_that_never_ends_does_not_hold_others_up() {
    let world = World::new().await;
    let mut slow = Connection::open(world.address).await;
    slow.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        .await;
    assert_eq!(world.create().await.len(), 53);
    slow.write(b"1\r\n\r\n").await;
    assert_eq!(slow.read(false).await.unwrap().status, 200);
}

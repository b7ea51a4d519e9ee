//! The earlier one of two faults in the documented order is named, and nothing is consumed.

use crate::http::Call;
use crate::world::{INTEGRATION, TOKEN, Vendor, World, target};
use pos_connect_service::token::Kind;

const STRANGER: &str = "https://stranger.example";

/// Each call commits the named fault and the next one in the order.
#[tokio::test]
async fn each_pair_of_neighbors() {
    let world = World::new().await;
    let token = world.finished().await;
    let right = &world.vendor;
    let (unknown, wrong) = (Vendor::unknown(), right.with_wrong_secret());
    let url = |vendor: &Vendor, token: &str| target(TOKEN, vendor, token);
    let repeated = format!("{}&client_id=again", url(right, &token));
    let prefetch = |call: Call| call.header("Sec-Purpose", "prefetch;prerender");
    let get = |target: String| Call::new("GET", target);
    let long = "x=%zz&".repeat(1400);

    let pairs = [
        ("not_found", Call::new("PUT", "/v1/auth/nothing?%zz")),
        (
            "method_not_allowed",
            Call::new("PUT", format!("{TOKEN}?{long}")),
        ),
        ("uri_too_long", get(format!("{TOKEN}?{long}"))),
        ("malformed_request", get(format!("{TOKEN}?client_id=%zz"))),
        (
            "missing_parameter",
            get(format!("{TOKEN}?client_id=a&client_id=b")),
        ),
        ("repeated_parameter", prefetch(get(repeated))),
        ("prefetch_refused", prefetch(get(url(&unknown, &token)))),
        ("invalid_client", get(url(&unknown, &token))),
        (
            "invalid_secret",
            get(url(&wrong, &token)).header("Origin", STRANGER),
        ),
        (
            "origin_not_allowed",
            get(url(right, &Kind::Integration.mint())).header("Origin", STRANGER),
        ),
    ];
    for (code, call) in pairs {
        let answer = world.send(call).await;
        assert_eq!(answer.code(), code);
    }
    assert_eq!(
        world.token(&token).await.status,
        200,
        "nothing was consumed"
    );
}

#[tokio::test]
async fn a_wrong_token_is_named_before_the_rate() {
    let (world, token) = World::with_integration().await;
    assert_eq!(world.status(&token).await.status, 200);
    assert_eq!(world.status(&token).await.code(), "slow_down");
    let other = world.add_vendor("Other Till", &[]).await;
    let foreign = world
        .send(Call::new("GET", target(INTEGRATION, &other, &token)))
        .await;
    assert_eq!(foreign.code(), "invalid_integration");
}

#[tokio::test]
async fn news_is_answered_before_the_rate() {
    let (world, token) = World::with_integration().await;
    assert_eq!(world.status(&token).await.json()["status"], "pending");
    assert!(world.finish(&token).await);
    assert_eq!(world.status(&token).await.json()["status"], "finished");
    assert_eq!(world.status(&token).await.code(), "slow_down");
}

#[tokio::test]
async fn the_rate_is_named_before_the_state() {
    let (world, token) = World::with_integration().await;
    assert_eq!(world.call("DELETE", INTEGRATION, &token).await.status, 204);
    assert_eq!(world.status(&token).await.json()["status"], "cancelled");
    assert_eq!(world.status(&token).await.code(), "slow_down");
}

#[tokio::test]
async fn an_unregistered_origin_changes_nothing() {
    let (world, token) = World::with_integration().await;
    let delete = world
        .prepared("DELETE", INTEGRATION, &token)
        .header("Origin", STRANGER);
    assert_eq!(world.send(delete).await.code(), "origin_not_allowed");
    assert_eq!(world.status(&token).await.json()["status"], "pending");
    let create = world
        .prepared("POST", INTEGRATION, "")
        .header("Origin", STRANGER);
    assert_eq!(world.send(create).await.code(), "origin_not_allowed");
    assert!(world.finish(&token).await);
    let pickup = world
        .prepared("GET", TOKEN, &token)
        .header("Origin", STRANGER);
    assert_eq!(world.send(pickup).await.code(), "origin_not_allowed");
    assert_eq!(world.token(&token).await.status, 200);
}

//! How often may be asked (RFC 8628), and what a flood of failures does not do.

use crate::http::Call;
use crate::world::{INTEGRATION, TOKEN, Vendor, World, target};
use pos_connect_service::Settings;
use pos_connect_service::token::Kind;
use std::time::Duration;

#[tokio::test]
async fn too_fast_is_told_to_wait_and_waiting_helps() {
    let (world, token) = World::with_integration().await;
    assert_eq!(world.status(&token).await.status, 200, "the first is free");
    world.pass(Duration::from_millis(1200));
    let refused = world.status(&token).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (429, "slow_down")
    );
    assert_eq!(refused.header("retry-after"), Some("4"));
    world.pass(Duration::from_secs(4));
    assert_eq!(world.status(&token).await.status, 200);
}

#[tokio::test]
async fn half_a_second_early_is_on_time() {
    let (world, token) = World::with_integration().await;
    assert_eq!(world.status(&token).await.status, 200);
    world.pass(Duration::from_millis(4499));
    assert_eq!(world.status(&token).await.status, 429);
    world.pass(Duration::from_millis(1));
    assert_eq!(world.status(&token).await.status, 200);
}

#[tokio::test]
async fn a_poller_at_the_interval_is_never_refused() {
    let (world, token) = World::with_integration().await;
    for poll in 0..300 {
        assert_eq!(world.status(&token).await.status, 200, "poll {poll}");
        world.pass(Duration::from_secs(5));
    }
}

#[tokio::test]
async fn expiry_is_news_too() {
    let (world, token) = World::with_integration().await;
    world.pass(Duration::from_secs(1799));
    assert_eq!(world.status(&token).await.json()["status"], "pending");
    world.pass(Duration::from_secs(1));
    assert_eq!(world.status(&token).await.json()["reason"], "expired");
}

#[tokio::test]
async fn integrations_are_limited_apart_and_pickups_not_at_all() {
    let world = World::new().await;
    let (one, two) = (world.create().await, world.create().await);
    assert_eq!(world.status(&one).await.status, 200);
    assert_eq!(world.status(&two).await.status, 200);
    for _ in 0..5 {
        assert_eq!(world.token(&one).await.status, 409);
    }
    assert!(world.finish(&one).await);
    assert_eq!(world.token(&one).await.status, 200);
}

#[tokio::test]
async fn the_operator_chooses_the_interval() {
    let settings = Settings {
        interval: Duration::from_secs(1),
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let token = world.create().await;
    assert_eq!(world.status(&token).await.json()["interval"], 1);
    assert_eq!(world.status(&token).await.header("retry-after"), Some("1"));
    let settings = Settings {
        interval: Duration::ZERO,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let token = world.create().await;
    for _ in 0..3 {
        assert_eq!(world.status(&token).await.status, 200);
    }
}

#[tokio::test]
async fn a_flood_of_failures_keeps_its_own_answers_and_locks_nobody_out() {
    let world = World::new().await;
    let token = world.finished().await;
    let wrong = Vendor {
        secret: Kind::ClientSecret.mint(),
        ..world.vendor.clone()
    };
    for _ in 0..150 {
        let fail = Call::new("GET", target(INTEGRATION, &wrong, &token));
        assert_eq!(world.send(fail).await.code(), "invalid_secret");
    }
    let guess = world.prepared("GET", TOKEN, &Kind::Integration.mint());
    assert_eq!(world.send(guess).await.code(), "invalid_integration");
    assert_eq!(world.status(&token).await.status, 200);
    assert_eq!(world.token(&token).await.status, 200);
}

//! How often a password may be tried.

use crate::both::sign_in::page;
use crate::world::{EMAIL, PASSWORD, World};
use std::time::Duration;

const OWNER: &str = "198.51.100.7";

/// Signs in from an address, with an integration of its own.
async fn from(world: &World, address: &str, email: &str, password: &str) -> u16 {
    let page = world.open_connect(&world.create().await).await;
    let filled = [
        ("action", "sign-in"),
        ("email", email),
        ("password", password),
    ];
    let call = world.form(&page, &filled);
    let answer = world.send(call.header("X-Forwarded-For", address)).await;
    match (answer.status, &*answer.data("page")) {
        (200, "consent") => 200,
        (200, "sign-in") => 401,
        (status, _) => status,
    }
}

/// Guesses from so many addresses, until nobody may any more; says how often.
async fn guessed(world: &World, email: &str) -> usize {
    for number in 0..100 {
        let address = format!("203.0.113.{number}");
        if from(world, &address, email, "wrong").await == 429 {
            return number;
        }
    }
    panic!("a hundred guesses are one a minute for too long");
}

#[tokio::test]
async fn attempts_are_limited_by_account_and_time_heals() {
    let world = World::new().await;
    let mut last = world.open_connect(&world.create().await).await;
    for _ in 0..5 {
        last = world.sign_in(&last, EMAIL, "wrong").await;
        assert_eq!(last.status, 200);
    }
    let refused = world.sign_in(&last, EMAIL, PASSWORD).await;
    assert_eq!(page(&refused), (429, "sign-in".into()));
    assert_eq!(refused.header("retry-after"), Some("60"));
    assert!(refused.body.contains("Try again in 1 min."));
    let elsewhere = world.open_connect(&world.create().await).await;
    let refused_there = world.sign_in(&elsewhere, EMAIL, PASSWORD).await;
    assert_eq!(
        refused_there.status, 429,
        "another integration does not help"
    );
    world.pass(Duration::from_secs(60));
    let right = world.sign_in(&refused_there, EMAIL, PASSWORD).await;
    assert_eq!(page(&right), (200, "consent".into()));
}

#[tokio::test]
async fn attempts_are_limited_by_integration_whatever_the_email() {
    let world = World::new().await;
    let mut last = world.open_connect(&world.create().await).await;
    for number in 0..5 {
        last = world
            .sign_in(&last, &format!("guess{number}@bakery.example"), "wrong")
            .await;
        assert_eq!(last.status, 200);
    }
    assert_eq!(
        world
            .sign_in(&last, "guess5@bakery.example", "wrong")
            .await
            .status,
        429
    );
    let elsewhere = world.open_connect(&world.create().await).await;
    assert_eq!(
        page(&world.sign_in(&elsewhere, EMAIL, PASSWORD).await),
        (200, "consent".into())
    );
}

#[tokio::test]
async fn a_spent_integration_does_not_spend_the_limits_of_emails() {
    let world = World::new().await;
    let mut last = world.open_connect(&world.create().await).await;
    for number in 0..5 {
        let email = format!("guess{number}@bakery.example");
        last = world.sign_in(&last, &email, "wrong").await;
    }
    for _ in 0..6 {
        last = world.sign_in(&last, EMAIL, "wrong").await;
        assert_eq!(last.status, 429);
    }
    let elsewhere = world.open_connect(&world.create().await).await;
    assert_eq!(
        page(&world.sign_in(&elsewhere, EMAIL, PASSWORD).await),
        (200, "consent".into())
    );
}

#[tokio::test]
async fn signing_in_does_not_renew_the_limit_of_the_integration() {
    let (world, token) = World::with_integration().await;
    for number in 0..5 {
        let form = world.open_connect(&token).await;
        let victim = format!("victim{number}@bakery.example");
        let wrong = world.sign_in(&form, &victim, "wrong").await;
        assert_eq!(wrong.status, 200);
        world.sign_in(&wrong, EMAIL, PASSWORD).await;
    }
    let form = world.open_connect(&token).await;
    let refused = world
        .sign_in(&form, "victim5@bakery.example", "wrong")
        .await;
    assert_eq!(refused.status, 429);
    for _ in 0..6 {
        let elsewhere = world.open_connect(&world.create().await).await;
        let right = world.sign_in(&elsewhere, EMAIL, PASSWORD).await;
        assert_eq!(page(&right), (200, "consent".into()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_sent_all_at_once_count_too() {
    let (world, token) = World::with_integration().await;
    let mut sent = Vec::new();
    for _ in 0..12 {
        let form = world.open_connect(&token).await;
        let call = world.form(
            &form,
            &[
                ("action", "sign-in"),
                ("email", EMAIL),
                ("password", "wrong"),
            ],
        );
        sent.push(tokio::spawn(call.send(world.address)));
    }
    let mut tried = 0;
    for answer in sent {
        tried += usize::from(answer.await.unwrap().status == 200);
    }
    assert_eq!(tried, 5);
}

#[tokio::test]
async fn a_strangers_failures_are_not_the_owners() {
    let world = World::behind_a_proxy().await;
    for _ in 0..5 {
        assert_eq!(from(&world, "203.0.113.9", EMAIL, "wrong").await, 401);
    }
    assert_eq!(from(&world, "203.0.113.9", EMAIL, PASSWORD).await, 429);
    // What the client itself writes before it does not count.
    let lie = format!("{OWNER}, 203.0.113.9");
    assert_eq!(from(&world, &lie, EMAIL, PASSWORD).await, 429);
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 200);
}

#[tokio::test]
async fn in_the_long_run_strangers_have_few_guesses_and_the_owner_is_not_locked_out() {
    let world = World::behind_a_proxy().await;
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 200);
    assert_eq!(guessed(&world, EMAIL).await, 30);
    assert_eq!(from(&world, "203.0.113.200", EMAIL, PASSWORD).await, 429);
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 200);
    // With a new password there is nothing left to guess: what strangers have spent is forgotten.
    world.pass(Duration::from_secs(60));
    let hash = pos_connect_service::password::hash(PASSWORD);
    let store = &world.service.store;
    assert!(
        store
            .set_password(EMAIL.into(), hash, world.operator())
            .await
            .unwrap()
    );
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 200);
}

#[tokio::test]
async fn strangers_who_guess_other_accounts_keep_no_merchant_out_anywhere() {
    let world = World::behind_a_proxy().await;
    for number in 0..204 {
        let (address, email) = (
            format!("192.0.2.{}", number % 5),
            format!("{number}@b.example"),
        );
        let _ = from(&world, &address, &email, "x").await;
    }
    assert_eq!(from(&world, "198.51.100.8", EMAIL, PASSWORD).await, 200);
}

#[tokio::test]
async fn successes_are_limited_too_until_the_password_is_another() {
    let world = World::behind_a_proxy().await;
    let mut signed_in = 0;
    // Each time from elsewhere, as a thief with a network can.
    while from(
        &world,
        &format!("2001:db8:0:{signed_in:x}::1"),
        EMAIL,
        PASSWORD,
    )
    .await
        == 200
    {
        signed_in += 1;
        assert!(signed_in <= 200, "without end");
    }
    assert_eq!(signed_in, 200);
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 429);
    let hash = pos_connect_service::password::hash(PASSWORD);
    let store = &world.service.store;
    let changed = store
        .set_password(EMAIL.into(), hash, world.operator())
        .await;
    assert!(changed.unwrap());
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 200);
}

#[tokio::test]
async fn an_email_that_nobody_has_is_locked_like_one_that_somebody_has() {
    let world = World::behind_a_proxy().await;
    assert_eq!(guessed(&world, "nobody@bakery.example").await, 30);
}

#[tokio::test]
async fn one_address_tries_few_emails() {
    let world = World::behind_a_proxy().await;
    let mut tried = 0;
    while from(&world, "203.0.113.9", &format!("{tried}@b.example"), "x").await == 401 {
        tried += 1;
    }
    assert_eq!(tried, 50);
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 200);
}

#[tokio::test]
async fn a_restart_forgets_no_failure() {
    let world = World::behind_a_proxy().await;
    for _ in 0..5 {
        assert_eq!(from(&world, "203.0.113.9", EMAIL, "wrong").await, 401);
    }
    let world = world.restart().await;
    assert_eq!(from(&world, "203.0.113.9", EMAIL, PASSWORD).await, 429);
    world.pass(Duration::from_secs(60));
    assert_eq!(from(&world, "203.0.113.9", EMAIL, PASSWORD).await, 200);
}

#[tokio::test]
async fn what_is_over_is_forgotten() {
    let world = World::behind_a_proxy().await;
    assert_eq!(from(&world, OWNER, EMAIL, "wrong").await, 401);
    assert_eq!(from(&world, OWNER, EMAIL, PASSWORD).await, 200);
    assert!(world.rows("sign_in_budget").await > 0);
    assert_eq!(world.rows("familiar_address").await, 1);
    world.pass(Duration::from_secs(24 * 60 * 60));
    let store = &world.service.store;
    store.purge_sign_ins(world.now()).await.unwrap();
    assert_eq!(
        (
            world.rows("sign_in_budget").await,
            world.rows("familiar_address").await
        ),
        (0, 1)
    );
    world.pass(Duration::from_secs(90 * 24 * 60 * 60));
    store.purge_sign_ins(world.now()).await.unwrap();
    assert_eq!(world.rows("familiar_address").await, 0);
}

#[tokio::test]
async fn a_clock_that_is_set_back_locks_nobody_for_long() {
    let world = World::new().await;
    let mut last = world.open_connect(&world.create().await).await;
    for _ in 0..5 {
        last = world.sign_in(&last, EMAIL, "wrong").await;
    }
    let page_then = world.open_connect(&world.create().await).await;
    world.set_back(Duration::from_secs(24 * 60 * 60));
    let right = world.sign_in(&page_then, EMAIL, PASSWORD).await;
    assert_eq!(page(&right), (200, "consent".into()));
}

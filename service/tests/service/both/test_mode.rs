//! Vendors and accounts of test mode beside real ones: neither meets the other, and no message leaves.

use crate::both::receipts::{PHONE, with_ereceipt};
use crate::both::sign_in::page;
use crate::http::{Answer, Call};
use crate::provider::Provider;
use crate::tokens::{Pair, account};
use crate::world::{EMAIL, INTEGRATION, PASSWORD, TILL, Vendor, World};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use pos_connect_service::Settings;
use pos_connect_service::store::MessageLimits;
use pos_connect_service::token::Hash;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub const TESTER: &str = "owner@test.example";

/// A world whose vendor is of test mode, beside a live one, with an account of each mode.
pub async fn world() -> (World, Vendor) {
    with(World::new().await).await
}

async fn with(mut world: World) -> (World, Vendor) {
    let test = world.add_vendor_of(Mode::Test, "Test Till", &[TILL]).await;
    world
        .add_account_of(Mode::Test, TESTER, "Test Bakery", &["Test Street"])
        .await;
    let live = std::mem::replace(&mut world.vendor, test);
    (world, live)
}

pub async fn sign_in(world: &World, token: &str, email: &str) -> Answer {
    let first = world.open_connect(token).await;
    world.sign_in(&first, email, PASSWORD).await
}

/// The tokens of a connection of the vendor's.
pub async fn connected(world: &World, email: &str) -> Pair {
    let token = world.create().await;
    let consent = sign_in(world, &token, email).await;
    let store = consent.stores().remove(0);
    let chosen = [
        ("action", "connect"),
        ("store", &*store),
        ("ereceipts", "yes"),
    ];
    let done = world.submit(&consent, &chosen).await;
    assert_eq!(page(&done), (200, "finished".into()), "{}", done.body);
    Pair::of(&world.token(&token).await)
}

#[tokio::test]
async fn a_vendor_connects_accounts_of_its_own_mode_alone() {
    let (mut world, live) = world().await;
    let token = world.create().await;
    // With the right password; and the page says no more than for an account that is not there.
    let refused = sign_in(&world, &token, EMAIL).await;
    assert_eq!(page(&refused), (200, "sign-in".into()));
    let nobody = sign_in(&world, &token, "nobody@test.example").await;
    let said = |answer: &Answer| {
        let error = answer.body.split("role=\"alert\">").nth(1).unwrap();
        error.split('<').next().unwrap().to_owned()
    };
    assert_eq!(said(&refused), said(&nobody));
    assert_eq!(
        page(&sign_in(&world, &token, TESTER).await),
        (200, "consent".into())
    );
    world.vendor = live;
    let token = world.create().await;
    assert_eq!(
        page(&sign_in(&world, &token, TESTER).await),
        (200, "sign-in".into())
    );
    assert_eq!(
        page(&sign_in(&world, &token, EMAIL).await),
        (200, "consent".into())
    );
}

/// Whatever way leads there, also one that nobody has thought of.
#[tokio::test]
async fn the_store_joins_no_account_to_a_vendor_of_the_other_mode() {
    let (world, _) = world().await;
    let store = &world.service.store;
    let real = store.account_by_email(EMAIL).await.unwrap().unwrap();
    let integration = Hash::of(&world.create().await);
    let owner = store.own(integration, real.signed_in()).await.unwrap();
    assert_eq!(owner, None);
    let pair = connected(&world, TESTER).await;
    assert_eq!(world.send(account(&pair.access)).await.status, 200);
    // No call leaves it so.
    let sql = "UPDATE integration SET owner_id = ?1 WHERE status = 'finished'";
    assert_eq!(world.change(sql, values![real.id]).await, 1);
    let answer = world.send(account(&pair.access)).await;
    assert_eq!(
        (answer.status, answer.code()),
        (401, "invalid_token".into())
    );
}

#[tokio::test]
async fn no_message_leaves_and_the_number_says_how_it_ends() {
    let (mut world, live) = world().await;
    let access = connected(&world, TESTER).await.access;
    world.order_receipt(&access, "1041", "en").await;
    let mut unreached = with_ereceipt("1042", "en");
    unreached["ereceipt"]["phone"] = "+972502340000".into();
    assert_eq!(world.send_order(&access, &unreached).await.status, 200);
    assert_eq!(world.state(&access, "1041").await, "queued");
    world.deliver().await;
    assert_eq!(world.state(&access, "1041").await, "sent");
    assert_eq!(world.state(&access, "1042").await, "failed");
    assert_eq!(world.messages(), [] as [Value; 0]);
    // Neither number is kept, and nobody is alarmed.
    let kept = "SELECT count(*) FROM message WHERE sealed IS NOT NULL";
    assert_eq!(world.value::<i64>(kept).await, 0);
    assert_eq!(world.service.store.message_counts().await.unwrap(), (0, 0));
    world.vendor = live;
    let access = connected(&world, EMAIL).await.access;
    unreached["externalId"] = "1043".into();
    assert_eq!(world.send_order(&access, &unreached).await.status, 200);
    world.order_receipt(&access, "1044", "en").await;
    world.deliver().await;
    let mut sent: Vec<_> = world
        .messages()
        .iter()
        .map(|message| message["phone"].clone())
        .collect();
    sent.sort_by_key(Value::to_string);
    assert_eq!(sent, ["+972502340000", PHONE]);
}

/// The limit of a number is for all vendors together: one who tries a till must not use up a shopper's.
#[tokio::test]
async fn messages_of_test_mode_take_nothing_from_a_real_shopper() {
    let settings = Settings {
        message_limits: MessageLimits {
            per_number: 1,
            ..MessageLimits::default()
        },
        ..Settings::default()
    };
    let (mut world, live) = with(World::with(settings).await).await;
    for email in [TESTER, EMAIL] {
        let access = connected(&world, email).await.access;
        world.order_receipt(&access, "1041", "en").await;
        let answer = world
            .send_order(&access, &with_ereceipt("1042", "en"))
            .await;
        assert_eq!(
            (answer.status, answer.code()),
            (422, "too_many_messages".into())
        );
        world.vendor = live.clone();
    }
}

/// A vendor may run the relay that it tests with beside the real one.
#[tokio::test]
async fn integrations_of_test_mode_take_nothing_from_real_ones_of_the_address() {
    let (mut world, live) = with(World::behind_a_proxy().await).await;
    let create = async |world: &World| {
        let call = world.prepared("POST", INTEGRATION, "");
        let call = call.header("X-Forwarded-For", "203.0.113.7");
        world.send(call).await.status
    };
    let mut created = 0;
    while create(&world).await == 200 {
        created += 1;
    }
    assert_eq!(created, 50);
    world.vendor = live;
    assert_eq!(create(&world).await, 200);
}

#[tokio::test]
async fn the_email_of_a_test_account_decides_the_outcome() {
    let pause = Duration::from_millis(500);
    let settings = Settings {
        slow_sign_in: pause,
        ..Settings::default()
    };
    let (mut world, live) = with(World::with(settings).await).await;
    let token = world.create().await;
    let answer = sign_in(&world, &token, "owner+cancelled@test.example").await;
    assert_eq!(page(&answer), (200, "cancelled".into()));
    let status = world.status(&token).await.json();
    assert_eq!(
        (&status["status"], &status["reason"]),
        (&json!("cancelled"), &json!("merchant"))
    );
    let token = world.create().await;
    let begun = Instant::now();
    let answer = sign_in(&world, &token, "Owner+slow@test.example").await;
    assert_eq!(page(&answer), (200, "consent".into()));
    assert!(begun.elapsed() >= pause);
    // It has to be the account's password.
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    let wrong = world
        .sign_in(&first, "owner+cancelled@test.example", "wrong")
        .await;
    assert_eq!(page(&wrong), (200, "sign-in".into()));
    // A live account's email is all of it.
    world.vendor = live;
    let token = world.create().await;
    let answer = sign_in(&world, &token, "owner+cancelled@bakery.example").await;
    assert_eq!(page(&answer), (200, "sign-in".into()));
    assert_eq!(world.status(&token).await.json()["status"], "pending");
}

/// Providers know no test accounts.
#[tokio::test]
async fn a_page_of_test_mode_has_passwords_and_no_provider() {
    let provider = Provider::start().await;
    let world = provider
        .world_with(|settings| settings.passwords = false)
        .await;
    let (mut world, live) = with(world).await;
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    assert!(first.body.contains("id=\"password\"") && !first.body.contains("Corner Ads"));
    let leave = world.submit(&first, &[("action", "provider-corner")]).await;
    assert_ne!(leave.data("page"), "leave");
    assert_eq!(
        page(&sign_in(&world, &token, TESTER).await),
        (200, "consent".into())
    );
    let token = world.create().await;
    assert_eq!(
        page(&sign_in(&world, &token, EMAIL).await),
        (200, "sign-in".into()),
        "an old password of a real account"
    );
    assert!(first.body.contains("connections?lang=en&amp;mode=test"));
    for (mode, email, next) in [
        ("test", TESTER, "connections"),
        ("test", EMAIL, "sign-in"),
        ("live", TESTER, "sign-in"),
    ] {
        let list = Call::new("GET", format!("/connections?mode={mode}"));
        let list = world.send(list).await;
        let is_test = mode == "test";
        assert_eq!(list.body.contains("id=\"password\""), is_test);
        assert_eq!(list.body.contains("Corner Ads"), !is_test);
        let filled = [
            ("action", "sign-in"),
            ("email", email),
            ("password", PASSWORD),
        ];
        let answer = world.on_list(&list, &filled).await;
        assert_eq!(answer.data("page"), next, "{mode} {email}");
    }
    world.vendor = live;
    let first = world.open_connect(&world.create().await).await;
    assert!(!first.body.contains("id=\"password\"") && first.body.contains("Corner Ads"));
}

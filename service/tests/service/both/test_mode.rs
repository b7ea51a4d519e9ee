//! Vendors and accounts of test mode beside real ones: neither meets the other, no message leaves, and all is marked.

use crate::both::orders::order;
use crate::both::receipts::{PHONE, with_ereceipt};
use crate::both::sign_in::page;
use crate::both::webhooks::Receiver;
use crate::http::{Answer, Call};
use crate::provider::Provider;
use crate::tokens::{Pair, account, refresh, revoke};
use crate::world::{EMAIL, INTEGRATION, PASSWORD, TILL, TOKEN, Vendor, World, target};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use pos_connect_service::Settings;
use pos_connect_service::store::{AuditEntry, AuditQuery, MessageLimits};
use pos_connect_service::token::Hash;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const TESTER: &str = "owner@test.example";

/// A world whose vendor is of test mode, beside a live one, with an account of each mode.
async fn world() -> (World, Vendor) {
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

async fn sign_in(world: &World, token: &str, email: &str) -> Answer {
    let first = world.open_connect(token).await;
    world.sign_in(&first, email, PASSWORD).await
}

/// The tokens of a connection of the vendor's.
async fn connected(world: &World, email: &str) -> Pair {
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

fn is_marked(answer: &Answer) -> bool {
    let mark = answer.header("test-mode");
    assert!(mark.is_none_or(|mark| mark == "true"));
    mark.is_some()
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
    // As an older program may have left it.
    let sql = "UPDATE integration SET owner_id = ?1 WHERE status = 'finished'";
    assert_eq!(world.change(sql, values![real.id]).await, 1);
    let answer = world.send(account(&pair.access)).await;
    assert_eq!(
        (answer.status, answer.code()),
        (401, "invalid_token".into())
    );
}

#[tokio::test]
async fn every_answer_of_test_mode_is_marked_and_no_other() {
    let (mut world, live) = world().await;
    for is_test in [true, false] {
        let email = if is_test { TESTER } else { EMAIL };
        let token = world.create().await;
        let first = world.open_connect(&token).await;
        let text = "Test mode: nothing here is real.";
        assert_eq!(
            (is_marked(&first), first.body.contains(text)),
            (is_test, is_test)
        );
        let pair = connected(&world, email).await;
        let vendor = &world.vendor;
        let bearer = |method: &str, path: &str| {
            Call::new(method, path).header("Authorization", format!("Bearer {}", pair.access))
        };
        let foreign = Call::new("POST", target(INTEGRATION, vendor, ""));
        let foreign = foreign.header("Origin", "https://evil.example");
        for (call, status) in [
            (Call::new("POST", target(INTEGRATION, vendor, "")), 200),
            (Call::new("GET", target(INTEGRATION, vendor, &token)), 200),
            (Call::new("GET", target(TOKEN, vendor, &token)), 409),
            (foreign, 403),
            (bearer("GET", "/v1/account"), 200),
            (bearer("GET", "/v1/orders/none"), 404),
            (bearer("POST", "/v1/orders"), 415),
            (refresh(vendor, "none"), 400),
            (revoke(vendor, &pair.access), 200),
            (
                Call::new("DELETE", target(INTEGRATION, vendor, &token)),
                204,
            ),
        ] {
            let shown = format!("{call:?}");
            let answer = world.send(call).await;
            assert_eq!(answer.status, status, "{shown}: {}", answer.body);
            assert_eq!(is_marked(&answer), is_test, "{shown}");
        }
        let ended = world.open_connect(&token).await;
        assert_eq!(page(&ended), (200, "cancelled".into()));
        assert_eq!(is_marked(&ended), is_test);
        // Who does not prove to be the vendor is told nothing of it.
        let guess = target(INTEGRATION, &vendor.with_wrong_secret(), "");
        assert!(!is_marked(&world.send(Call::new("POST", guess)).await));
        world.vendor = live.clone();
    }
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
async fn a_receipt_of_test_mode_is_marked_in_its_language() {
    let (mut world, live) = world().await;
    for (is_test, email, link) in [
        (true, TESTER, "AAECAwQFBgcICQoLDA0-_w"),
        (false, EMAIL, "ZAECAwQFBgcICQoLDA0-_w"),
    ] {
        let access = connected(&world, email).await.access;
        let mut body = order("1041");
        let hash = BASE64.encode(Hash::of(link).bytes());
        body["ereceipt"] = json!({"linkHash": hash, "locale": "he-IL"});
        assert_eq!(world.send_order(&access, &body).await.status, 200);
        let receipt = world.send(Call::new("GET", format!("/q/{link}"))).await;
        assert_eq!(receipt.status, 200);
        assert_eq!(
            (is_marked(&receipt), receipt.body.contains("מצב בדיקה")),
            (is_test, is_test)
        );
        world.vendor = live.clone();
    }
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
    world.vendor = live;
    let first = world.open_connect(&world.create().await).await;
    assert!(!first.body.contains("id=\"password\"") && first.body.contains("Corner Ads"));
}

#[tokio::test]
async fn every_row_of_the_audit_has_the_mode() {
    let (mut world, live) = world().await;
    let token = world.create().await;
    sign_in(&world, &token, "nobody@test.example").await;
    let first = world.open_connect(&token).await;
    world.sign_in(&first, TESTER, "wrong").await;
    let first = world.open_connect(&token).await;
    world.submit(&first, &[("action", "cancel")]).await;
    let access = connected(&world, TESTER).await.access;
    world.order_receipt(&access, "1041", "en").await;
    let sql = "SELECT public_id FROM message";
    let message = world.value(sql).await;
    let store = &world.service.store;
    assert!(store.drop_message(message, world.operator()).await.unwrap());
    let id = world.vendor.id.clone();
    let disabled = store.set_vendor_disabled(id, true, world.operator());
    assert!(disabled.await.unwrap());
    let of_test = rows(&world).await;
    world.vendor = live;
    connected(&world, EMAIL).await;
    let all = rows(&world).await;
    let modes = |rows: &[AuditEntry], mode| {
        let rows = rows.iter().filter(|row| row.mode == mode);
        rows.map(|row| row.event.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        modes(&of_test, Some(Mode::Test)),
        [
            "vendor.added",
            "account.added",
            "sign_in.failed",
            "sign_in.failed",
            "integration.cancelled",
            "sign_in.succeeded",
            "integration.consented",
            "token_set.picked_up",
            "message.dropped",
            "vendor.disabled",
        ]
    );
    assert_eq!(
        modes(&of_test, Some(Mode::Live)),
        ["vendor.added", "account.added"]
    );
    assert_eq!(
        modes(&all[of_test.len()..], Some(Mode::Live)),
        [
            "sign_in.succeeded",
            "integration.consented",
            "token_set.picked_up"
        ]
    );
    assert_eq!(modes(&all, None), [] as [&str; 0]);
}

async fn rows(world: &World) -> Vec<AuditEntry> {
    let query = AuditQuery {
        limit: 1000,
        ..AuditQuery::default()
    };
    world.service.store.audit(query).await.unwrap().entries
}

#[tokio::test]
async fn a_webhook_of_test_mode_says_so() {
    let (mut world, live) = world().await;
    let receiver = Receiver::start(&[]).await;
    world.listen(&world.vendor, &receiver).await;
    world.listen(&live, &receiver).await;
    connected(&world, TESTER).await;
    world.tell().await;
    let of_test = receiver.calls().len();
    world.vendor = live;
    connected(&world, EMAIL).await;
    world.tell().await;
    let bodies = receiver.calls().into_iter().map(|(_, body)| body);
    let modes: Vec<Value> = bodies
        .map(|body| serde_json::from_slice::<Value>(&body).unwrap()["data"]["mode"].clone())
        .collect();
    assert!(of_test > 0 && modes.len() == 2 * of_test);
    assert!(modes[..of_test].iter().all(|mode| *mode == "test"));
    assert!(modes[of_test..].iter().all(Value::is_null));
}

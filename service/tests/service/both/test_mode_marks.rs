//! The marks of test mode: on answers, pages and receipts, in webhooks and the audit.

use crate::authenticator::Authenticator;
use crate::both::connections::sign_in as sign_in_to_list;
use crate::both::orders::order;
use crate::both::sign_in::page;
use crate::both::test_mode::{TESTER, connected, sign_in, world};
use crate::both::webhooks::Receiver;
use crate::http::{Answer, Call};
use crate::tokens::{refresh, revoke};
use crate::world::{EMAIL, INTEGRATION, PASSWORD, TOKEN, World, target};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use pos_connect_protocol::Mode;
use pos_connect_service::store::{AuditEntry, AuditQuery};
use pos_connect_service::token::Hash;
use serde_json::{Value, json};

fn is_marked(answer: &Answer) -> bool {
    let mark = answer.header("test-mode");
    assert!(mark.is_none_or(|mark| mark == "true"));
    mark.is_some()
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

/// Who has signed in, or has come as far as the code.
#[tokio::test]
async fn the_pages_of_a_test_account_are_marked() {
    let (world, _) = world().await;
    let list = sign_in_to_list(&world, TESTER, PASSWORD).await;
    let set_up = world.set_up(&list).await;
    let code = Authenticator::of(&set_up).code(world.now(), 0);
    let filled = [("action", "second-factor-on"), ("code", &*code)];
    let shown = world.on_list(&set_up, &filled).await;
    let asked = sign_in_to_list(&world, TESTER, PASSWORD).await;
    let wrong = [("action", "code"), ("code", "000000")];
    let again = world.on_list(&asked, &wrong).await;
    assert_eq!(page(&again), (200, "second-step".into()));
    for answer in [list, set_up, shown, asked, again] {
        assert!(is_marked(&answer), "{}", answer.body);
    }
    // An account that is not known yet has no mode.
    assert!(!is_marked(
        &world.send(Call::new("GET", "/connections")).await
    ));
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

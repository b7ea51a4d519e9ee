//! The same sale again: one order, whatever becomes of its receipt, and one message for each e-receipt.

use crate::both::orders::{keyed, order, post};
use crate::both::quota::tended;
use crate::both::receipts::{PHONE, with_ereceipt};
use crate::both::sealed::with_sealed;
use crate::http::Answer;
use crate::program::json as run;
use crate::sealing::sealed;
use crate::world::World;
use pos_connect_service::Settings;
use pos_connect_service::store::MessageLimits;
use serde_json::{Value, json};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const OTHER: &str = "+972502345679";

/// The sale 1041 without an e-receipt.
fn on_paper() -> Value {
    let mut body = with_ereceipt("1041", "en");
    body.as_object_mut().unwrap().remove("ereceipt");
    body
}

/// The same sale with an e-receipt, to which the shopper agreed in this minute.
fn to(phone: &str, minute: usize) -> Value {
    let mut body = with_ereceipt("1041", "en");
    let at = format!("2026-11-23T10:{minute:02}:00+02:00");
    body["ereceipt"] =
        json!({"phone": phone, "consent": {"id": "ereceipt-1", "locale": "en", "at": at}});
    body
}

/// Status, whether it was answered before, and how far the e-receipt is.
fn told(answer: &Answer) -> (u16, bool, Value) {
    let is_replayed = answer.header("idempotent-replayed") == Some("true");
    (
        answer.status,
        is_replayed,
        answer.json()["ereceipt"].clone(),
    )
}

fn is_refused(answer: &Answer, status: u16, code: &str, pointer: &str) {
    assert_eq!(
        (answer.status, &*answer.code()),
        (status, code),
        "{}",
        answer.body
    );
    assert_eq!(answer.json()["pointer"], pointer);
}

impl World {
    /// In the order of their digits: several messages are handed over at once.
    async fn numbers_texted(&self) -> Vec<Value> {
        self.deliver().await;
        let phone = |message: &Value| message["phone"].clone();
        let mut numbers: Vec<_> = self.messages().iter().map(phone).collect();
        numbers.sort_by_key(Value::to_string);
        numbers
    }

    /// What counts as stored for the only store, and what its orders take.
    async fn is_counted(&self) {
        tended(self).await;
        let counted = self.service.store.stored_bytes((1, 1)).await.unwrap();
        let kept: i64 = self
            .value("SELECT coalesce(sum(length(sealed) + 200), 0) FROM store_order")
            .await;
        assert_eq!(counted.total, kept);
    }
}

#[tokio::test]
async fn a_sale_on_paper_gets_its_e_receipt_later() {
    let (world, access) = World::connected().await;
    let paper = world.send(keyed(&access, "k-1", &on_paper())).await;
    assert_eq!(told(&paper), (200, false, Value::Null));
    world.pass(Duration::from_secs(60));
    let texted = world.send(keyed(&access, "k-2", &to(PHONE, 31))).await;
    assert_eq!(told(&texted), (200, false, json!("queued")));
    assert_eq!(texted.json()["receivedAt"], paper.json()["receivedAt"]);
    let consent = &to(PHONE, 31)["ereceipt"]["consent"];
    assert_eq!(
        texted.json()["order"]["ereceipt"],
        json!({ "consent": consent })
    );
    for again in [
        keyed(&access, "k-2", &to(PHONE, 31)),
        keyed(&access, "k-3", &to(PHONE, 31)),
        post(&access, &to(PHONE, 31)),
    ] {
        let again = world.send(again).await;
        assert_eq!(
            (told(&again), &again.body),
            ((200, true, json!("queued")), &texted.body)
        );
    }
    // Without one, it is answered as it was accepted.
    let again = world.send_order(&access, &on_paper()).await;
    assert_eq!(
        (told(&again), &again.body),
        ((200, true, Value::Null), &paper.body)
    );
    assert_eq!(world.numbers_texted().await, [PHONE]);
    assert_eq!(world.state(&access, "1041").await, "sent");
    let page = world.open(&world.messages()[0]).await;
    assert!(
        page.status == 200 && page.body.contains("1041"),
        "{}",
        page.body
    );
    assert_eq!(world.rows("store_order").await, 1);
}

#[tokio::test]
async fn a_sale_with_an_e_receipt_is_the_same_order_on_paper_and_with_another_e_receipt() {
    let (world, access) = World::connected().await;
    let first = world.send_order(&access, &to(PHONE, 31)).await;
    assert_eq!(world.numbers_texted().await, [PHONE]);
    let paper = world.send(keyed(&access, "k", &on_paper())).await;
    assert_eq!(
        (told(&paper), &paper.body),
        ((200, true, json!("queued")), &first.body)
    );
    // The shopper was asked again: to the right number now, and once more to the same.
    for (phone, minute) in [(OTHER, 32), (OTHER, 33)] {
        let texted = world.send_order(&access, &to(phone, minute)).await;
        assert_eq!(told(&texted), (200, false, json!("queued")));
        assert_eq!(world.state(&access, "1041").await, "queued");
    }
    assert_eq!(world.numbers_texted().await, [PHONE, OTHER, OTHER]);
    // What each asked for was done, in whatever order they come again; also with another number under one consent.
    for minute in [32, 31, 33] {
        let again = world.send_order(&access, &to(PHONE, minute)).await;
        assert_eq!(told(&again), (200, true, json!("queued")));
    }
    // What is kept of a key's body is made without the number: nobody can try numbers against it.
    for phone in [PHONE, OTHER] {
        let again = world.send(keyed(&access, "k-2", &to(phone, 31))).await;
        assert_eq!(told(&again), (200, true, json!("queued")));
    }
    assert_eq!(world.numbers_texted().await.len(), 3);
    let mut links: Vec<String> = Vec::new();
    for message in world.messages() {
        assert_eq!(world.open(&message).await.status, 200);
        links.push(message["text"].to_string());
    }
    links.dedup();
    assert_eq!((links.len(), world.rows("store_order").await), (3, 1));
    assert_eq!(world.state(&access, "1041").await, "sent");
}

#[tokio::test]
async fn another_sale_under_its_id_is_refused_whatever_becomes_of_its_receipt() {
    let (world, access) = World::connected().await;
    for accepted in [on_paper(), to(PHONE, 31)] {
        assert_eq!(world.send_order(&access, &accepted).await.status, 200);
        for mut other in [on_paper(), to(PHONE, 31), to(OTHER, 32)] {
            other["total"] = 1192.into();
            is_refused(
                &world.send_order(&access, &other).await,
                409,
                "order_exists",
                "/externalId",
            );
        }
    }
    assert_eq!(world.numbers_texted().await, [PHONE]);
    // A key names one call, with its e-receipt.
    assert_eq!(
        world.send(keyed(&access, "k", &on_paper())).await.status,
        200
    );
    let reused = world.send(keyed(&access, "k", &to(OTHER, 33))).await;
    assert_eq!(
        (reused.status, &*reused.code()),
        (422, "idempotency_key_reused")
    );
}

#[tokio::test]
async fn a_later_e_receipt_has_the_limits_of_a_new_order() {
    let limits = MessageLimits {
        per_number: 2,
        ..MessageLimits::default()
    };
    let world = World::with(Settings {
        message_limits: limits,
        ..Settings::default()
    })
    .await;
    let access = world.access().await;
    let harbor = world.access_of(1).await;
    for access in [&access, &harbor] {
        assert_eq!(world.send_order(access, &on_paper()).await.status, 200);
    }
    is_refused(
        &world.send_order(&harbor, &to(PHONE, 1)).await,
        403,
        "ereceipt_not_enabled",
        "/ereceipt",
    );
    is_refused(
        &world.send_order(&access, &to("+97236123456", 1)).await,
        422,
        "invalid_member",
        "/ereceipt/phone",
    );
    for minute in 1..=2 {
        assert_eq!(
            world.send_order(&access, &to(PHONE, minute)).await.status,
            200
        );
    }
    is_refused(
        &world.send_order(&access, &to(PHONE, 3)).await,
        422,
        "too_many_messages",
        "/ereceipt",
    );
    // A cashier corrects the number of one order so often.
    let another = |minute: usize| to(&format!("+97250234{minute:04}"), minute);
    for minute in 3..=10 {
        assert_eq!(
            world.send_order(&access, &another(minute)).await.status,
            200,
            "{minute}"
        );
    }
    is_refused(
        &world.send_order(&access, &another(11)).await,
        422,
        "too_many_messages",
        "/ereceipt",
    );
    // No sale is lost for it.
    for access in [&access, &harbor] {
        assert_eq!(
            told(&world.send_order(access, &on_paper()).await),
            (200, true, Value::Null)
        );
    }
    assert_eq!(world.send_order(&access, &another(10)).await.status, 200);
    assert_eq!(
        (world.rows("message").await, world.rows("receipt").await),
        (10, 10)
    );
}

#[tokio::test]
async fn a_sealed_number_of_a_later_e_receipt_is_good_for_that_one_alone() {
    let (world, access) = World::connected().await;
    let key = world.key(&access).await;
    let number = sealed(&key, "1041", PHONE);
    let with = |id: &str, number: &Value, minute: usize| {
        let mut body = with_sealed(id, number.clone());
        body["ereceipt"]["consent"] = to(PHONE, minute)["ereceipt"]["consent"].clone();
        body
    };
    assert_eq!(world.send_order(&access, &on_paper()).await.status, 200);
    let moved = sealed(&key, "1042", PHONE);
    is_refused(
        &world.send_order(&access, &with("1041", &moved, 1)).await,
        422,
        "invalid_member",
        "/ereceipt/sealed",
    );
    for is_again in [false, true] {
        let texted = world.send_order(&access, &with("1041", &number, 1)).await;
        assert_eq!(told(&texted), (200, is_again, json!("queued")));
    }
    let mut elsewhere = number.clone();
    elsewhere["externalId"] = json!("1041");
    for used in [with("1041", &number, 2), with("1042", &elsewhere, 1)] {
        is_refused(
            &world.send_order(&access, &used).await,
            422,
            "invalid_member",
            "/ereceipt/sealed",
        );
    }
    let anew = with("1041", &sealed(&key, "1041", OTHER), 2);
    assert_eq!(world.send_order(&access, &anew).await.status, 200);
    assert_eq!(world.numbers_texted().await, [PHONE, OTHER]);
}

/// A till that got another key: the message is of the order that the old one sent.
#[tokio::test]
async fn a_till_under_another_id_texts_what_it_sold_before() {
    let (world, access) = World::connected().await;
    let of = |till: &str, body: &Value| post(&access, body).header("Till-Id", till);
    assert_eq!(world.send(of("till-1", &on_paper())).await.status, 200);
    for is_again in [false, true] {
        let texted = world.send(of("till-2", &to(PHONE, 31))).await;
        assert_eq!(told(&texted), (200, is_again, json!("queued")));
    }
    assert_eq!(world.numbers_texted().await, [PHONE]);
    assert_eq!(world.rows("store_order").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn forty_calls_at_once_make_one_message_for_each_e_receipt() {
    let (world, access) = World::connected().await;
    let calls = (0..40).map(|client| {
        let body = match client % 4 {
            0 => on_paper(),
            minute => to(PHONE, minute),
        };
        let call = match client % 3 {
            0 => post(&access, &body),
            _ => keyed(&access, &format!("k-{client}"), &body),
        };
        tokio::spawn(call.send(world.address))
    });
    let calls: Vec<_> = calls.collect();
    for call in calls {
        let answer = call.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(world.numbers_texted().await.len(), 3);
    assert_eq!(
        (world.rows("store_order").await, world.rows("receipt").await),
        (1, 3)
    );
}

#[tokio::test]
async fn what_is_kept_of_it_is_counted_and_goes_with_the_order() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let access = pair.access;
    let key = world.key(&access).await;
    let mut first = with_sealed("1041", sealed(&key, "1041", PHONE));
    first["ereceipt"]["consent"] = to(PHONE, 1)["ereceipt"]["consent"].clone();
    for body in [on_paper(), first] {
        assert_eq!(world.send_order(&access, &body).await.status, 200);
    }
    world.deliver().await;
    world.is_counted().await;
    world.pass(89 * DAY);
    let access = world.access().await;
    assert_eq!(world.send_order(&access, &to(OTHER, 2)).await.status, 200);
    let purged = async || {
        world
            .service
            .purge_receipts(Duration::ZERO)
            .await
            .unwrap()
            .receipts
    };
    world.pass(2 * DAY);
    assert_eq!(
        purged().await,
        0,
        "a later receipt can be opened, and its message waits"
    );
    world.deliver().await;
    let statuses = [
        world.open(&world.messages()[0]).await.status,
        world.open(&world.messages()[1]).await.status,
    ];
    assert_eq!(statuses, [404, 200]);
    world.pass(88 * DAY);
    assert_eq!(purged().await, 2);
    assert_eq!(
        (world.rows("receipt").await, world.rows("message").await),
        (0, 0)
    );
    let access = world.access().await;
    for body in [to(OTHER, 1), to(OTHER, 2)] {
        assert_eq!(
            told(&world.send_order(&access, &body).await),
            (200, true, json!("queued"))
        );
    }
    assert_eq!(world.send_order(&access, &to(OTHER, 3)).await.status, 200);
    world.is_counted().await;
    let store: String = world
        .value("SELECT public_id FROM store WHERE name = 'Market Street'")
        .await;
    let free = [
        "order",
        "free",
        "1041",
        "--vendor",
        &world.vendor.id,
        "--store",
        &store,
    ];
    assert_eq!(run(&world.folder, &free), json!({"erased": true}));
    for table in ["store_order", "receipt", "message", "number_seal"] {
        assert_eq!(world.rows(table).await, 0, "{table}");
    }
    world.is_counted().await;
    assert_eq!(world.send_order(&access, &order("1041")).await.status, 200);
}

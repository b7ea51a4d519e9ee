//! E-receipts: one message for each order, and the number nowhere else.

use crate::both::orders::{order, with_body};
use crate::http::{Answer, Call};
use crate::tokens::Pair;
use crate::world::{EMAIL, World};
use pos_connect_service::message::Outlet;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

pub const PHONE: &str = "+972502345678";
const BASE: &str = "https://auth.example";

pub fn with_ereceipt(id: &str, locale: &str) -> Value {
    let mut body = order(id);
    body.as_object_mut().unwrap().remove("customer");
    body["ereceipt"] = json!({"phone": PHONE, "consent": {"id": "ereceipt-1", "locale": locale}});
    body
}

impl World {
    fn outbox(&self) -> PathBuf {
        self.folder.path().join("messages.jsonl")
    }

    pub async fn deliver(&self) {
        let outlet = Outlet::File(self.outbox());
        self.service.deliver_due(&outlet, BASE).await.unwrap();
    }

    pub fn messages(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.outbox()).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub async fn send_order(&self, access: &str, body: &Value) -> Answer {
        self.send(with_body("POST", "/v1/orders", access, body))
            .await
    }

    /// An order with an e-receipt, which is accepted.
    pub async fn order_receipt(&self, access: &str, id: &str, locale: &str) {
        let answer = self.send_order(access, &with_ereceipt(id, locale)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    pub async fn state(&self, access: &str, id: &str) -> Value {
        let call = Call::new("GET", format!("/v1/orders/{id}"));
        let answer = self
            .send(call.header("Authorization", format!("Bearer {access}")))
            .await;
        answer.json()["ereceipt"].clone()
    }

    /// The page that a message links to.
    pub async fn open(&self, message: &Value) -> Answer {
        self.send(Call::new("GET", path_of(message))).await
    }
}

/// The path of the link in a message.
pub fn path_of(message: &Value) -> String {
    let text = message["text"].as_str().unwrap();
    let (_, path) = text.split_once(BASE).unwrap();
    path.to_owned()
}

#[tokio::test]
async fn an_order_becomes_a_message_and_a_page() {
    let (world, access) = World::connected().await;
    let answer = world
        .send_order(&access, &with_ereceipt("1041", "en"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["ereceipt"], "queued");
    assert_eq!(
        answer.json()["order"]["ereceipt"],
        json!({"consent": {"id": "ereceipt-1", "locale": "en"}})
    );
    assert_eq!(world.state(&access, "1041").await, "queued");
    world.deliver().await;
    assert_eq!(world.state(&access, "1041").await, "sent");
    let messages = world.messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(
        (&messages[0]["phone"], &messages[0]["locale"]),
        (&json!(PHONE), &json!("en"))
    );
    let text = messages[0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("Your receipt from Corner Bakery: https://auth.example/r/"),
        "{text}"
    );
    let page = world.open(&messages[0]).await;
    assert_eq!(page.status, 200);
    for shown in [
        "Corner Bakery",
        "Market Street",
        "1041",
        "November 23, 2026, 10:30\u{a0}AM",
        "לחם",
        "Bag",
        "11.90",
        "<bdi dir=\"ltr\">₪11.91</bdi></p>",
        "1.73",
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    assert!(!page.body.contains("502345678") && page.body.matches("<script").count() == 1);
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow, noarchive"),
    ] {
        assert_eq!(page.header(name), Some(value));
    }
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .starts_with("default-src 'none'; script-src 'self'; style-src 'self';")
    );
    assert!(!page.body.contains("og:image"), "nobody knows its URL");
    for (name, kind) in [
        ("style.css", "text/css; charset=utf-8"),
        ("script.js", "text/javascript; charset=utf-8"),
        ("preview.png", "image/png"),
    ] {
        let file = world.send(Call::new("GET", format!("/r/{name}"))).await;
        assert_eq!(file.header("content-type"), Some(kind));
    }
}

#[tokio::test]
async fn the_same_order_again_sends_no_second_message() {
    let (world, access) = World::connected().await;
    for round in 0..3 {
        let call = with_body("POST", "/v1/orders", &access, &with_ereceipt("1041", "he"));
        let answer = world
            .send(call.header("Idempotency-Key", format!("k-{round}")))
            .await;
        assert_eq!(
            (answer.status, &answer.json()["ereceipt"]),
            (200, &json!("queued"))
        );
        world.deliver().await;
    }
    assert_eq!(world.messages().len(), 1);
    // The number was erased: nothing that is left of it tells another one from it.
    let mut other = with_ereceipt("1041", "he");
    other["ereceipt"]["phone"] = "+972522345678".into();
    let answer = world.send_order(&access, &other).await;
    assert_eq!(answer.header("idempotent-replayed"), Some("true"));
    let keyed = with_body("POST", "/v1/orders", &access, &other).header("Idempotency-Key", "k-0");
    assert_eq!(world.send(keyed).await.status, 200);
    world.deliver().await;
    assert_eq!(world.messages().len(), 1);
}

#[tokio::test]
async fn a_number_that_no_message_reaches_is_refused() {
    let (world, access) = World::connected().await;
    for wrong in [
        "0502345678",
        "+97241234567",
        "+97250234567",
        "+972 50-234-5678",
        "+15005550006000",
        "+",
        "٠",
    ] {
        let mut body = with_ereceipt("1041", "en");
        body["ereceipt"]["phone"] = wrong.into();
        let answer = world.send_order(&access, &body).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (422, "invalid_member"),
            "{wrong}"
        );
        assert_eq!(answer.json()["pointer"], "/ereceipt/phone");
        assert!(
            wrong.len() < 4 || !answer.body.contains(wrong),
            "the value is not repeated"
        );
    }
    world.deliver().await;
    assert!(world.messages().is_empty());
}

#[tokio::test]
async fn a_merchant_who_did_not_enable_e_receipts_sends_none() {
    let (world, token) = World::with_integration().await;
    assert!(world.consent(EMAIL, 0, false, &token).await);
    let access = Pair::of(&world.token(&token).await).access;
    let refused = world
        .send_order(&access, &with_ereceipt("1041", "en"))
        .await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (403, "ereceipt_not_enabled")
    );
    assert_eq!(refused.json()["pointer"], "/ereceipt");
    assert_eq!(world.send_order(&access, &order("1041")).await.status, 200);
}

/// What cannot be delivered waits, longer each time; what can be is not held up by it.
#[tokio::test]
async fn a_message_that_fails_is_tried_again() {
    let (world, access) = World::connected().await;
    world.order_receipt(&access, "1041", "en").await;
    let nowhere = Outlet::File(world.folder.path().join("missing").join("messages.jsonl"));
    world.service.deliver_due(&nowhere, BASE).await.unwrap();
    assert_eq!(world.state(&access, "1041").await, "queued");
    world.deliver().await;
    assert!(world.messages().is_empty(), "not before its time");
    world.order_receipt(&access, "1042", "en").await;
    world.deliver().await;
    assert_eq!(world.messages().len(), 1);
    world.pass(Duration::from_secs(20));
    world.service.deliver_due(&nowhere, BASE).await.unwrap();
    world.pass(Duration::from_secs(39));
    world.deliver().await;
    assert_eq!(world.messages().len(), 1);
    world.pass(Duration::from_secs(1));
    let world = world.restart().await;
    world.deliver().await;
    let messages = world.messages();
    assert_eq!(messages.len(), 2);
    assert_ne!(messages[0]["id"], messages[1]["id"]);
    assert_eq!(world.state(&access, "1041").await, "sent");
}

#[tokio::test]
async fn number_and_link_are_kept_no_longer_than_they_are_needed() {
    let world = World::on_sqlite().await;
    let access = world.access().await;
    world.order_receipt(&access, "1041", "en").await;
    let database = Connection::open(world.folder.path().join("test.db")).unwrap();
    let sealed = || -> Option<Vec<u8>> {
        database
            .query_row("SELECT sealed FROM message", [], |row| row.get(0))
            .unwrap()
    };
    assert!(sealed().is_some());
    world.deliver().await;
    assert!(sealed().is_none());
    let path = path_of(&world.messages()[0]);
    database
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    let bytes = std::fs::read(world.folder.path().join("test.db")).unwrap();
    for text in ["502345678", path.rsplit('/').next().unwrap()] {
        assert!(
            !bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        );
    }
}

//! Receipts behind links that tills make: the service learns the hash with the order, and the link with the shopper.

use crate::both::orders::order;
use crate::http::{Answer, Call};
use crate::tokens::Pair;
use crate::world::{EMAIL, World};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use pos_connect_service::Settings;
use pos_connect_service::token::Hash;
use serde_json::{Value, json};
use std::time::Duration;

const LINK: &str = "AAECAwQFBgcICQoLDA0-_w";
const OTHER: &str = "ZAECAwQFBgcICQoLDA0-_w";

fn with_link(id: &str, link: &str) -> Value {
    let mut body = order(id);
    let hash = BASE64.encode(Hash::of(link).bytes());
    body["ereceipt"] = json!({"linkHash": hash, "locale": "he-IL"});
    body
}

async fn open(world: &World, link: &str) -> Answer {
    world.send(Call::new("GET", format!("/q/{link}"))).await
}

fn refusal(answer: &Answer) -> (u16, String, Value) {
    (
        answer.status,
        answer.code(),
        answer.json()["pointer"].clone(),
    )
}

#[tokio::test]
async fn a_link_waits_for_its_order_and_opens_it() {
    let (world, access) = World::connected().await;
    let before = open(&world, LINK).await;
    assert_eq!(before.status, 200);
    assert!(
        before.body.contains("will be here in a moment"),
        "{}",
        before.body
    );
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow, noarchive"),
    ] {
        assert_eq!(before.header(name), Some(value));
    }
    // Nobody can tell a link that waits from one that nobody has made, and looking leaves nothing.
    assert_eq!(open(&world, OTHER).await.body, before.body);
    assert_eq!(world.rows("receipt").await, 0);
    for no_link in [
        "",
        "1041",
        &LINK[1..],
        &format!("{LINK}A"),
        "%00%00%00%00%00%00%00A",
    ] {
        assert_eq!(open(&world, no_link).await.status, 404, "{no_link}");
    }

    let answer = world.send_order(&access, &with_link("1041", LINK)).await;
    assert_eq!(
        (answer.status, &answer.json()["ereceipt"]),
        (200, &json!("sent"))
    );
    assert!(!answer.body.contains(LINK));
    assert_eq!(world.state(&access, "1041").await, "sent");
    world.deliver().await;
    assert!(world.messages().is_empty() && world.rows("message").await == 0);
    let page = open(&world, LINK).await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("1041") && page.body.contains("<html lang=\"he\" dir=\"rtl\">"));
    assert_eq!(open(&world, OTHER).await.body, before.body);

    world.pass(Duration::from_secs(90 * 24 * 3600));
    assert_eq!(
        open(&world, LINK).await.body,
        before.body,
        "its time is over"
    );
    world.service.purge_receipts(Duration::ZERO).await.unwrap();
    assert_eq!(world.rows("receipt").await, 0);
    let script = world.send(Call::new("GET", "/r/waiting.js")).await;
    assert_eq!(
        script.header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
}

#[tokio::test]
async fn one_link_opens_one_order() {
    let (world, access) = World::connected().await;
    for _ in 0..2 {
        let answer = world.send_order(&access, &with_link("1041", LINK)).await;
        assert_eq!(
            (answer.status, &answer.json()["ereceipt"]),
            (200, &json!("sent"))
        );
    }
    assert_eq!(world.rows("receipt").await, 1);
    let taken = world.send_order(&access, &with_link("1042", LINK)).await;
    let wrong = (
        422,
        "invalid_member".to_owned(),
        json!("/ereceipt/linkHash"),
    );
    assert_eq!(refusal(&taken), wrong);
    let mut no_hash = with_link("1042", OTHER);
    for text in ["A".repeat(42), "B".repeat(43), "%".repeat(43)] {
        no_hash["ereceipt"]["linkHash"] = text.into();
        assert_eq!(refusal(&world.send_order(&access, &no_hash).await), wrong);
    }
    // A code that nobody could scan, and another one for the same sale.
    let again = world.send_order(&access, &with_link("1041", OTHER)).await;
    assert_eq!(again.status, 200, "{}", again.body);
    assert_eq!(
        open(&world, OTHER).await.body,
        open(&world, LINK).await.body
    );
}

#[tokio::test]
async fn a_merchant_without_e_receipts_has_no_links() {
    let (world, token) = World::with_integration().await;
    assert!(world.consent(EMAIL, 0, false, &token).await);
    let access = Pair::of(&world.token(&token).await).access;
    let refused = world.send_order(&access, &with_link("1041", LINK)).await;
    assert_eq!(
        refusal(&refused),
        (403, "ereceipt_not_enabled".into(), json!("/ereceipt"))
    );
}

#[tokio::test]
async fn a_till_is_told_what_its_links_begin_with() {
    for url in [None, Some("https://auth.example/q/")] {
        let world = World::with(Settings {
            receipt_url: url.map(Into::into),
            ..Settings::default()
        })
        .await;
        let access = world.access().await;
        let keys = world.keys(&access).await.json();
        assert_eq!(keys.get("receiptUrl").and_then(Value::as_str), url);
    }
}

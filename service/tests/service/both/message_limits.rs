//! Text messages: how many, to which countries, in whose name, and in which order they leave.

use crate::both::orders::{order, post, with_body};
use crate::both::receipts::{PHONE, with_ereceipt};
use crate::http::Answer;
use crate::program::{failure, json};
use crate::tokens::Pair;
use crate::world::{EMAIL, World};
use pos_connect_service::Settings;
use pos_connect_service::store::MessageLimits;
use pos_connect_service::token_set::Lifetimes;
use serde_json::{Value, json};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const AMERICAN: &str = "+12015550123";

fn limited(limits: MessageLimits) -> Settings {
    Settings {
        message_limits: limits,
        lifetimes: Lifetimes {
            access: 9 * DAY,
            ..Lifetimes::default()
        },
        ..Settings::default()
    }
}

fn to(phone: &str, id: &str) -> Value {
    let mut body = with_ereceipt(id, "en");
    body["ereceipt"]["phone"] = phone.into();
    body
}

/// A mobile number of its own for each.
fn number(of: usize) -> String {
    format!("+97250234{of:04}")
}

fn is_refused(answer: &Answer) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (422, "too_many_messages"),
        "{}",
        answer.body
    );
    assert_eq!(answer.json()["pointer"], "/ereceipt");
}

impl World {
    async fn access_with_receipts(&self, number: usize) -> String {
        let token = self.create().await;
        assert!(self.consent(EMAIL, number, true, &token).await);
        Pair::of(&self.token(&token).await).access
    }

    async fn of_till(&self, access: &str, till: &str, body: &Value) -> Answer {
        self.send(post(access, body).header("Till-Id", till)).await
    }

    async fn patch_name(&self, access: &str, name: &str) -> Answer {
        self.send(with_body(
            "PATCH",
            "/v1/store",
            access,
            &json!({"name": name}),
        ))
        .await
    }
}

/// Over all stores and services, and no sale is lost for it.
#[tokio::test]
async fn a_number_gets_so_many_messages_a_day() {
    let world = World::with(limited(MessageLimits {
        per_number: 3,
        ..MessageLimits::default()
    }))
    .await;
    let replica = world.replica().await;
    let (market, harbor) = (world.access().await, world.access_with_receipts(1).await);
    let first = to(PHONE, "1");
    for _ in 0..5 {
        assert_eq!(world.send_order(&market, &first).await.status, 200);
    }
    assert_eq!(
        replica.send_order(&market, &to(PHONE, "2")).await.status,
        200
    );
    assert_eq!(world.send_order(&harbor, &to(PHONE, "3")).await.status, 200);
    for (world, access) in [(&world, &market), (&replica, &harbor)] {
        is_refused(&world.send_order(access, &to(PHONE, "4")).await);
    }
    let mut printed = order("4");
    printed.as_object_mut().unwrap().remove("customer");
    assert_eq!(world.send_order(&market, &printed).await.status, 200);
    assert_eq!(
        world.send_order(&market, &to(&number(1), "5")).await.status,
        200
    );
    assert_eq!(world.rows("message").await, 4);
    world.pass(DAY / 3);
    assert_eq!(world.send_order(&market, &to(PHONE, "6")).await.status, 200);
    is_refused(&world.send_order(&market, &to(PHONE, "7")).await);
    // Nothing of a number is kept longer than it counts.
    world.pass(DAY);
    world
        .service
        .store
        .purge_budgets(world.now())
        .await
        .unwrap();
    assert_eq!(world.rows("budget").await, 0);
}

#[tokio::test]
async fn a_till_and_a_store_send_so_many_messages_a_day() {
    let world = World::with(limited(MessageLimits {
        per_till: 2,
        per_store: 5,
        ..MessageLimits::default()
    }))
    .await;
    let (market, harbor) = (world.access().await, world.access_with_receipts(1).await);
    let order = |count: usize| to(&number(count), &format!("o-{count}"));
    for count in 0..2 {
        let accepted = world.of_till(&market, "till-1", &order(count)).await;
        assert_eq!(accepted.status, 200, "{}", accepted.body);
    }
    is_refused(&world.of_till(&market, "till-1", &order(2)).await);
    for count in 2..4 {
        assert_eq!(
            world.of_till(&market, "till-2", &order(count)).await.status,
            200
        );
    }
    assert_eq!(world.send_order(&market, &order(4)).await.status, 200);
    is_refused(&world.of_till(&market, "till-3", &order(5)).await);
    is_refused(&world.send_order(&market, &order(5)).await);
    assert_eq!(
        world.of_till(&harbor, "till-1", &order(6)).await.status,
        200
    );
    for wrong in ["", "a b", &"x".repeat(65)] {
        let refused = world.of_till(&market, wrong, &order(7)).await;
        assert_eq!(
            (refused.status, refused.json()["parameter"].as_str()),
            (400, Some("till-id"))
        );
    }
}

#[tokio::test]
async fn messages_go_to_the_countries_that_the_operator_named() {
    let il = pos_connect_phone::Region::parse("IL").unwrap();
    let settings = Settings {
        message_regions: Some(vec![il]),
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let access = world.access().await;
    let sent = async |phone: &str, id: &str| world.send_order(&access, &to(phone, id)).await;
    assert_eq!(sent(PHONE, "1").await.status, 200);
    let refused = sent(AMERICAN, "2").await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (422, "invalid_member")
    );
    let said = refused.json();
    assert_eq!(said["pointer"], "/ereceipt/phone");
    assert!(said["rule"].as_str().unwrap().contains("country"), "{said}");
    let set = |regions: &[&str]| {
        let command = ["account", "set-regions", EMAIL];
        json(&world.folder, &[&command[..], regions].concat())
    };
    let wide = set(&["--region", "US", "--region", "IL"]);
    assert_eq!(wide["messageRegions"], json!(["US", "IL"]));
    assert_eq!(sent(AMERICAN, "3").await.status, 200);
    set(&["--region", "US"]);
    assert_eq!(sent(PHONE, "4").await.status, 422);
    set(&[]);
    assert_eq!(sent(PHONE, "5").await.status, 200);
    assert_eq!(sent(AMERICAN, "6").await.status, 422);
    let audit = json(
        &world.folder,
        &["audit", "--event", "account.regions_changed"],
    );
    assert_eq!(audit.as_array().unwrap().len(), 3);
    let unknown = failure(
        &world.folder,
        &["account", "set-regions", EMAIL, "--region", "XX"],
    );
    assert!(unknown.contains("ISO 3166-1"), "{unknown}");
}

/// What a till writes about the store is not in the message, and never the first line of the receipt.
#[tokio::test]
async fn a_message_names_the_account_whatever_a_till_wrote() {
    let (world, access) = World::connected().await;
    let named = world
        .patch_name(&access, "BANK ALERT: your card is blocked")
        .await;
    assert_eq!(named.status, 200, "{}", named.body);
    world.send_order(&access, &with_ereceipt("1", "en")).await;
    world.deliver().await;
    let message = &world.messages()[0];
    let text = message["text"].as_str().unwrap();
    assert!(
        text.starts_with("Your receipt from Corner Bakery: "),
        "{text}"
    );
    let page = world.open(message).await.body;
    assert!(
        page.contains("<h1><bdi>Corner Bakery</bdi></h1>\n<p><bdi>BANK ALERT"),
        "{page}"
    );
    let url = world
        .patch_name(&access, "Pay: https://evil.example/unlock")
        .await;
    assert_eq!((url.status, url.code().as_str()), (422, "invalid_member"));
    assert_eq!(url.json()["pointer"], "/name");
    assert_eq!(url.json()["rule"], "a text without a URL");
}

/// By vendor; a change that changes nothing leaves none, and a key cannot fill the audit with them.
#[tokio::test]
async fn changes_of_a_profile_are_in_the_audit() {
    let world = World::new().await;
    let other = world.add_vendor("Other Till", &[]).await;
    let other = world.replica_for(&other).await;
    let (access, foreign) = (world.access().await, other.access().await);
    for (access, name) in [(&access, "One"), (&access, "One"), (&foreign, "Two")] {
        assert_eq!(world.patch_name(access, name).await.status, 200);
    }
    let rows = json(&world.folder, &["audit", "--event", "profile.changed"]);
    let actors: Vec<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["actor"])
        .collect();
    let vendor = |world: &World| json!(format!("vendor {}", world.vendor.id));
    assert_eq!(actors, [&vendor(&world), &vendor(&other)]);
    assert!(rows[0]["subject"].as_str().unwrap().starts_with("sto_"));
    for count in 2..=60 {
        assert_eq!(
            world.patch_name(&access, &count.to_string()).await.status,
            200
        );
    }
    let late = world.patch_name(&access, "61").await;
    assert_eq!((late.status, late.code().as_str()), (429, "slow_down"));
    world.pass(Duration::from_secs(60));
    assert_eq!(world.patch_name(&access, "61").await.status, 200);
}

#[tokio::test]
async fn one_stores_flood_holds_up_no_other_stores_receipt() {
    let world = World::new().await;
    let (market, harbor) = (world.access().await, world.access_with_receipts(1).await);
    for count in 0..100 {
        let flood = to(&number(count), &format!("flood-{count}"));
        assert_eq!(world.send_order(&market, &flood).await.status, 200);
    }
    world.pass(Duration::from_secs(1));
    assert_eq!(world.send_order(&harbor, &to(PHONE, "1")).await.status, 200);
    world.deliver().await;
    let messages = world.messages();
    let place = messages
        .iter()
        .position(|message| message["phone"] == PHONE);
    assert_eq!(messages.len(), 101);
    assert!(place.unwrap() < 16, "{place:?}");
}

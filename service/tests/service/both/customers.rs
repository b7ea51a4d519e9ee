//! `POST /v1/customers`: each item has its own outcome, in the order in which they were sent.

use crate::both::orders::{order, post, with_body};
use crate::http::{Answer, Call};
use crate::world::World;
use pos_connect_service::Settings;
use serde_json::{Value, json};
use std::time::Duration;

const CUSTOMERS: &str = "/v1/customers";

async fn send(world: &World, access: &str, customers: Value) -> Answer {
    world
        .send(with_body(
            "POST",
            CUSTOMERS,
            access,
            &json!({ "customers": customers }),
        ))
        .await
}

fn results(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let results = answer.json()["results"].as_array().unwrap().clone();
    results
        .iter()
        .map(|one| one["result"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn customers_come_change_and_go() {
    let world = World::new().await;
    let (access, store) = (world.access().await, &world.service.store);
    let dana = |name: &str| json!({"externalId": "c-1", "name": name, "email": "dana@example.com"});
    let answer = send(
        &world,
        &access,
        json!([dana("Dana"), {"externalId": "c-2"}, dana("Dana L.")]),
    )
    .await;
    assert_eq!(results(&answer), ["created", "created", "updated"]);
    // This world has one vendor and one connected store.
    let kept = store.customer(1, 1, "c-1").await.unwrap().unwrap();
    assert_eq!(kept.name.as_deref(), Some("Dana L."));
    // The list replaces a customer: what is not sent again is gone.
    let answer = send(&world, &access, json!([{"externalId": "c-1"}])).await;
    assert_eq!(results(&answer), ["updated"]);
    assert!(
        store
            .customer(1, 1, "c-1")
            .await
            .unwrap()
            .unwrap()
            .email
            .is_none()
    );
    let gone =
        json!([{"externalId": "c-1", "deleted": true}, {"externalId": "c-1", "deleted": true}]);
    assert_eq!(
        results(&send(&world, &access, gone).await),
        ["deleted", "not_found"]
    );
    assert!(store.customer(1, 1, "c-1").await.unwrap().is_none());
}

#[tokio::test]
async fn a_wrong_item_costs_only_itself() {
    let (world, access) = World::connected().await;
    let list = json!([
        {"externalId": "c-1"}, {"externalId": "c-2", "phone": "050"}, {"name": "x"}, {"externalId": "c-3"}
    ]);
    let answer = send(&world, &access, list).await;
    assert_eq!(
        results(&answer),
        ["created", "refused", "refused", "created"]
    );
    let all = &answer.json()["results"];
    assert_eq!(all[0], json!({"externalId": "c-1", "result": "created"}));
    assert_eq!(all[1]["code"], "invalid_member");
    assert_eq!(all[1]["pointer"], "/customers/1/phone");
    assert_eq!(all[2]["code"], "missing_member");
    assert_eq!(all[2]["pointer"], "/customers/2/externalId");
    assert!(!answer.body.contains("050"), "the value is not repeated");
}

#[tokio::test]
async fn a_list_sent_again_gets_the_answer_that_it_got() {
    let (world, access) = World::connected().await;
    let list = json!({"customers": [{"externalId": "c-1"}]});
    let call =
        |body: &Value| with_body("POST", CUSTOMERS, &access, body).header("Idempotency-Key", "k");
    let first = world.send(call(&list)).await;
    assert_eq!(results(&first), ["created"]);
    let again = world.send(call(&list)).await;
    assert_eq!(again.body, first.body, "not \"updated\"");
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let other = json!({"customers": [{"externalId": "c-2"}]});
    assert_eq!(
        world.send(call(&other)).await.code(),
        "idempotency_key_reused"
    );
    // A key of another operation is another key.
    let order = with_body(
        "POST",
        "/v1/orders",
        &access,
        &crate::both::orders::order("1"),
    )
    .header("Idempotency-Key", "k");
    assert_eq!(world.send(order).await.status, 200);
}

#[tokio::test]
async fn so_many_customers_change_at_once_and_orders_go_on() {
    let settings = Settings {
        operations_per_second: 2,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let access = world.access().await;
    let list = |count: usize| -> Value {
        let gone = |n: usize| json!({"externalId": format!("c-{n}"), "deleted": true});
        (0..count).map(gone).collect()
    };
    assert_eq!(send(&world, &access, list(300)).await.status, 200);
    let late = send(&world, &access, list(300)).await;
    assert_eq!((late.status, late.code().as_str()), (429, "slow_down"));
    assert_eq!(late.header("retry-after"), Some("5"));
    assert_eq!(send(&world, &access, list(100)).await.status, 200);
    let order = post(&access, &order("1"));
    assert_eq!(world.send(order).await.status, 200);
    // More than fit at once change when it is full.
    world.pass(Duration::from_secs(10));
    assert_eq!(send(&world, &access, list(1_000)).await.status, 200);
}

#[tokio::test]
async fn a_thousand_are_a_list_and_one_more_is_not() {
    let (world, access) = World::connected().await;
    let many = |count: usize| -> Value {
        (0..count)
            .map(|n| json!({"externalId": format!("c-{n}"), "name": "x".repeat(200)}))
            .collect()
    };
    let answer = send(&world, &access, many(1000)).await;
    assert_eq!(results(&answer).len(), 1000);
    let refused = send(&world, &access, many(1001)).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (413, "too_many_items")
    );
    assert_eq!(refused.json()["pointer"], "/customers");
    for (body, pointer) in [
        (json!({}), "/customers"),
        (json!({"customers": []}), "/customers"),
        (json!([]), ""),
    ] {
        let answer = world
            .send(with_body("POST", CUSTOMERS, &access, &body))
            .await;
        assert_eq!(
            (answer.status, answer.json()["pointer"].as_str()),
            (422, Some(pointer)),
            "{body}"
        );
    }
    let get = Call::new("GET", CUSTOMERS).header("Authorization", format!("Bearer {access}"));
    assert_eq!(
        world.send(get).await.status,
        405,
        "a list that was sent cannot be read by whoever has a token"
    );
}

//! Orders, customers and messages by the admin API.

use super::Office;
use crate::both::orders::order;
use serde_json::{Value, json};

/// Three orders, each with a message that waits.
async fn with_orders() -> Office {
    let office = Office::new().await;
    let world = &office.world;
    let access = world.access().await;
    for number in ["1", "2", "3"] {
        let mut sale = order(number);
        sale["ereceipt"] =
            json!({"phone": "+972502345678", "consent": {"id": "ereceipt-1", "locale": "en"}});
        let sent = world.send_order(&access, &sale).await;
        assert_eq!(sent.status, 200, "{}", sent.body);
    }
    office
}

#[tokio::test]
async fn messages_are_tried_again_or_given_up() {
    let office = with_orders().await;
    let messages = office.get("/messages").await;
    let messages = messages["messages"].as_array().unwrap();
    assert_eq!(
        (messages.len(), &messages[0]["state"]),
        (3, &json!("queued"))
    );
    let id = messages[0]["id"].as_str().unwrap();
    let changes = [
        ("POST", "retry", Value::Null, "message.retried"),
        ("POST", "drop", Value::Null, "message.dropped"),
    ];
    office.change("message", id, &changes).await;
    for action in ["retry", "drop"] {
        let path = format!("/messages/{id}/{action}");
        let refused = office.refused("POST", &path, Value::Null).await;
        assert_eq!(refused, (404, "message_not_found".into()));
    }
}

#[tokio::test]
async fn orders_are_freed_and_erased() {
    let office = with_orders().await;
    let vendor = &office.world.vendor.id;
    let store = "SELECT public_id FROM store WHERE id = (SELECT min(store_id) FROM store_order)";
    let store: String = office.world.value(store).await;
    let number = json!({"vendor": vendor, "store": store, "externalId": "1"});
    office.done("POST", "/orders/free", number.clone()).await;
    office.tells("order.freed").await;
    assert_eq!(
        office.refused("POST", "/orders/free", number).await,
        (404, "order_not_found".into())
    );
    let none = json!({"store": store, "until": "2020-01-01T00:00:00Z"});
    for (path, scope, count, event) in [
        ("/orders/erase", none, 0, "orders.erased"),
        (
            "/orders/erase",
            json!({"vendor": vendor}),
            2,
            "orders.erased",
        ),
        (
            "/customers/erase",
            json!({"vendor": vendor}),
            0,
            "customers.erased",
        ),
    ] {
        let erased = office.done("POST", path, scope).await;
        assert_eq!(
            erased,
            json!({"success": true, "erased": count, "done": true})
        );
        office.tells(event).await;
        for (scope, status, code) in [
            (json!({}), 422, "missing_member"),
            (json!({"store": "nobody"}), 404, "store_not_found"),
        ] {
            let refused = office.refused("POST", path, scope).await;
            assert_eq!(refused, (status, code.to_owned()));
        }
    }
    assert_eq!(office.world.rows("store_order").await, 0);
}

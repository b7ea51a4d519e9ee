//! Orders and customers that are erased: because they are old, or because the operator says so.

use crate::both::orders::{order, with_body};
use crate::both::receipts::with_ereceipt;
use crate::program::{failure, json};
use crate::world::World;
use pos_connect_service::Settings;
use pos_connect_service::quota::StorageLimits;
use pos_connect_service::store::{Erasure, Kept};
use serde_json::json;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn sell(world: &World, access: &str, id: &str) {
    let answer = world.send_order(access, &with_ereceipt(id, "en")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

async fn add_customer(world: &World, access: &str, id: &str) {
    let list = json!({"customers": [{"externalId": id, "name": "Dana"}]});
    let call = with_body("POST", "/v1/customers", access, &list);
    assert_eq!(world.send(call).await.status, 200);
}

async fn counts(world: &World) -> [i64; 4] {
    let mut counts = [0; 4];
    for (count, table) in counts
        .iter_mut()
        .zip(["store_order", "receipt", "message", "customer"])
    {
        *count = world.rows(table).await;
    }
    counts
}

#[tokio::test]
async fn what_is_old_goes_by_itself_and_no_sooner() {
    let settings = Settings {
        orders_ttl: 400 * DAY,
        customers_ttl: 500 * DAY,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let access = world.access().await;
    sell(&world, &access, "1").await;
    for id in ["changed", "left"] {
        add_customer(&world, &access, id).await;
    }
    world.pass(200 * DAY);
    let access = world.access().await;
    sell(&world, &access, "2").await;
    add_customer(&world, &access, "changed").await;
    let purge = async |kept| world.service.purge_old(kept, Duration::ZERO).await.unwrap();
    world.pass(200 * DAY);
    assert_eq!(
        (purge(Kept::Orders).await, purge(Kept::Customers).await),
        (0, 0)
    );
    world.pass(Duration::from_millis(1));
    assert_eq!(
        (purge(Kept::Orders).await, purge(Kept::Customers).await),
        (1, 0)
    );
    assert_eq!(counts(&world).await, [1, 1, 1, 2]);
    world.pass(100 * DAY);
    assert_eq!(purge(Kept::Customers).await, 1);
    let store = &world.service.store;
    assert!(store.order(1, 1, None, "2").await.unwrap().is_some());
    assert!(store.customer(1, 1, "changed").await.unwrap().is_some());
}

#[tokio::test]
async fn the_operator_erases_those_of_a_vendor_a_store_and_a_time() {
    let (world, access) = World::connected().await;
    for id in ["1", "2"] {
        sell(&world, &access, id).await;
    }
    add_customer(&world, &access, "c").await;
    world.pass(DAY);
    let since = world.now().to_string();
    sell(&world, &world.access().await, "3").await;
    let elsewhere = world.access_of(1).await;
    let plain = json!({
        "externalId": "1", "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 100,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 100}],
    });
    assert_eq!(world.send_order(&elsewhere, &plain).await.status, 200);
    let first: String = world
        .value("SELECT public_id FROM store ORDER BY id LIMIT 1")
        .await;
    let erase = |arguments: &[&str]| {
        let command = ["order", "erase"];
        json(&world.folder, &[&command, arguments].concat())["erased"].clone()
    };
    assert_eq!(erase(&["--store", &first, "--since", &since]), 1);
    assert_eq!(counts(&world).await, [3, 2, 2, 1]);
    assert_eq!(erase(&["--store", &first, "--until", &since]), 2);
    assert_eq!(counts(&world).await, [1, 0, 0, 1], "another store's stays");
    assert_eq!(erase(&["--vendor", &world.vendor.id]), 1);
    let customers = ["customer", "erase", "--vendor", &world.vendor.id];
    assert_eq!(json(&world.folder, &customers)["erased"], 1);
    assert_eq!(counts(&world).await, [0; 4]);
    let events = json(&world.folder, &["audit", "--event", "orders.erased"]);
    assert_eq!(events.as_array().unwrap().len(), 3);
    for wrong in [
        ["--vendor", "nobody", "--until", &*since],
        ["--store", "nobody", "--until", &since],
        ["--store", &first, "--until", "yesterday"],
    ] {
        failure(&world.folder, &[&["order", "erase"][..], &wrong].concat());
    }
    // Without either, all orders would go.
    failure(&world.folder, &["order", "erase", "--since", &since]);
}

#[tokio::test]
async fn large_orders_go_a_few_at_a_time() {
    let (world, access) = World::connected().await;
    let line = json!({"name": "x".repeat(200), "quantity": 1, "amount": 1});
    for id in 0..50 {
        let large = json!({
            "externalId": id.to_string(), "time": "2026-11-23T10:30:00Z", "currency": "ILS", "total": 500,
            "lines": vec![&line; 500],
        });
        assert_eq!(world.send_order(&access, &large).await.status, 200);
    }
    let erasure = Erasure {
        vendor: Some(world.vendor.id.clone()),
        ..Erasure::default()
    };
    let erase = async || {
        let (erasure, longest) = (erasure.clone(), Some(Duration::ZERO));
        let store = &world.service.store;
        let step = store.erase(Kept::Orders, erasure, longest, world.operator());
        step.await.unwrap().unwrap()
    };
    let first = erase().await;
    assert!(
        (1..50).contains(&first.count) && !first.is_done,
        "{first:?}"
    );
    let second = erase().await;
    assert!(
        second.is_done && first.count + second.count == 50,
        "{second:?}"
    );
}

#[tokio::test]
async fn what_is_erased_makes_room_in_the_quota() {
    let storage = StorageLimits {
        a_day: 1 << 30,
        in_all: 20_000,
    };
    let world = World::with(Settings {
        storage,
        ..Settings::default()
    })
    .await;
    let access = world.access().await;
    let mut sold = 0;
    while world
        .send_order(&access, &order(&sold.to_string()))
        .await
        .status
        == 200
    {
        sold += 1;
        assert!(sold < 100, "it never fills");
    }
    let erase = ["order", "erase", "--vendor", &world.vendor.id];
    assert_eq!(json(&world.folder, &erase)["erased"], sold);
    let again = world.send_order(&access, &order("again")).await;
    assert_eq!(again.status, 200, "{}", again.body);
}

//! Whose an order's number and key are: of one vendor, store and till.

use crate::both::orders::{ORDERS, keyed, order, post, replayed};
use crate::both::receipts::with_ereceipt;
use crate::http::Call;
use crate::program::{failure, json as run};
use crate::world::World;
use serde_json::json;

#[tokio::test]
async fn each_vendor_and_each_store_has_its_own_orders_and_keys() {
    let world = World::new().await;
    let market = world.access().await;
    let harbor = world.access_of(1).await;
    for access in [&market, &harbor] {
        let answer = world.send(keyed(access, "k-1", &order("1041"))).await;
        assert!(
            answer.status == 200 && !replayed(&answer),
            "{}",
            answer.body
        );
    }
    assert_eq!(world.rows("store_order").await, 2);
}

/// Tills that a relay tells apart may all count from 1.
#[tokio::test]
async fn each_till_has_its_own_numbers() {
    let (world, access) = World::connected().await;
    let of = |till: &str, total: i64| {
        let mut body = order("1");
        body["total"] = total.into();
        post(&access, &body).header("Till-Id", till)
    };
    for (till, total) in [("till-1", 100), ("till-2", 200)] {
        let answer = world.send(of(till, total)).await;
        assert!(
            answer.status == 200 && !replayed(&answer),
            "{}",
            answer.body
        );
    }
    let other = world.send(of("till-1", 300)).await;
    assert_eq!((other.status, other.code().as_str()), (409, "order_exists"));
    // A till that got another key sends again what was accepted, and the next order under its new id.
    assert!(replayed(&world.send(of("till-3", 100)).await));
    assert_eq!(world.send(of("till-3", 400)).await.status, 200);
    assert_eq!(world.rows("store_order").await, 3);
    for (till, total) in [
        (Some("till-1"), 100),
        (Some("till-2"), 200),
        (Some("till-9"), 400),
        (None, 400),
    ] {
        let call = Call::new("GET", format!("{ORDERS}/1"))
            .header("Authorization", format!("Bearer {access}"));
        let call = match till {
            Some(till) => call.header("Till-Id", till),
            None => call,
        };
        assert_eq!(
            world.send(call).await.json()["order"]["total"],
            total,
            "{till:?}"
        );
    }
}

/// Whoever invents tills makes nobody wait until their orders are opened.
#[tokio::test]
async fn the_same_sale_is_found_among_many_tills_and_no_other_order_is_opened() {
    let (world, access) = World::connected().await;
    let of = |till: i64, total: i64| {
        let mut body = order("1");
        body["total"] = total.into();
        post(&access, &body).header("Till-Id", format!("till-{till}"))
    };
    for till in 0..20 {
        assert_eq!(world.send(of(till, till)).await.status, 200);
    }
    let unreadable =
        "UPDATE store_order SET sealed = hash WHERE id > (SELECT min(id) FROM store_order)";
    assert_eq!(world.change(unreadable, vec![]).await, 19);
    assert!(replayed(&world.send(of(20, 0)).await));
    assert_eq!(world.send(of(20, 1_000)).await.status, 200);
    let taken = world.send(of(19, 1_000)).await;
    assert_eq!((taken.status, taken.code().as_str()), (409, "order_exists"));
}

/// A till may take its order's number for its key: then two that count from 1 send the same keys.
#[tokio::test]
async fn each_till_has_its_own_keys() {
    let (world, access) = World::connected().await;
    let of = |till: Option<&str>, total: i64| {
        let mut body = order("1");
        body["total"] = total.into();
        let call = keyed(&access, "1", &body);
        match till {
            Some(till) => call.header("Till-Id", till),
            None => call,
        }
    };
    let tills = [(Some("till-1"), 100), (Some("till-2"), 200), (None, 300)];
    for is_again in [false, true] {
        for (till, total) in tills {
            let answer = world.send(of(till, total)).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            assert_eq!(replayed(&answer), is_again, "{till:?}");
        }
    }
    let other = world.send(of(Some("till-1"), 200)).await;
    assert_eq!(other.code(), "idempotency_key_reused");
}

#[tokio::test]
async fn the_operator_frees_a_number() {
    let (world, access) = World::connected().await;
    world
        .send(post(&access, &with_ereceipt("1041", "en")))
        .await;
    let mut own = order("1041");
    own["total"] = 1.into();
    assert_eq!(world.send(post(&access, &own)).await.status, 409);
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
    let of_till = [&free[..], &["--till", "till-1"]].concat();
    assert!(failure(&world.folder, &of_till).contains("no such order"));
    assert_eq!(run(&world.folder, &free), json!({"erased": true}));
    assert_eq!(world.rows("message").await + world.rows("receipt").await, 0);
    assert_eq!(world.send(post(&access, &own)).await.status, 200);
    let freed = &run(&world.folder, &["audit", "--event", "order.freed"])[0];
    assert_eq!(freed["subject"], store);
}

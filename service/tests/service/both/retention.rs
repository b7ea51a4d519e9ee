//! What is the shopper's goes in time: receipts that cannot be opened any more, and numbers that no message reaches.

use crate::both::receipts::with_ereceipt;
use crate::world::World;
use pos_connect_service::store::{Delivery, Parcel};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An order with an e-receipt, whose message waits.
async fn sell(world: &World, access: &str, id: &str) {
    let answer = world.send_order(access, &with_ereceipt(id, "en")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

/// Gives the message that waits up, as the last attempt does; gives its id.
async fn fail(world: &World) -> String {
    let store = &world.service.store;
    let due = store
        .due_messages(1, world.now(), 10)
        .await
        .unwrap()
        .remove(0);
    let dead = Delivery::Dead("the receiver answered 500".into());
    let finished = store.finish_attempt(Parcel::Message, due.id.clone(), dead);
    finished.await.unwrap();
    due.id
}

async fn purge(world: &World) -> (usize, usize) {
    let purged = world.service.purge_receipts(Duration::ZERO).await.unwrap();
    (purged.receipts, purged.numbers)
}

async fn numbers(world: &World) -> i64 {
    let sql = "SELECT count(*) FROM message WHERE sealed IS NOT NULL";
    world.value(sql).await
}

#[tokio::test]
async fn receipts_and_their_messages_go_when_they_cannot_be_opened_any_more() {
    let (world, access) = World::connected().await;
    sell(&world, &access, "1041").await;
    world.deliver().await;
    world.pass(89 * DAY);
    sell(&world, &world.access().await, "1042").await;
    world.deliver().await;
    assert_eq!(purge(&world).await, (0, 0));
    assert_eq!(world.open(&world.messages()[0]).await.status, 200);
    world.pass(DAY);
    assert_eq!(purge(&world).await, (1, 0));
    assert_eq!(purge(&world).await, (0, 0));
    assert_eq!(
        (world.rows("receipt").await, world.rows("message").await),
        (1, 1)
    );
    assert_eq!(world.open(&world.messages()[0]).await.status, 404);
    assert_eq!(world.open(&world.messages()[1]).await.status, 200);
    // The order itself stays: it must not become a second one, nor a second message.
    let access = world.access().await;
    sell(&world, &access, "1041").await;
    world.deliver().await;
    assert_eq!(
        (world.rows("store_order").await, world.messages().len()),
        (2, 2)
    );
    assert!(world.state(&access, "1041").await.is_null());
    assert_eq!(world.state(&access, "1042").await, "sent");
}

#[tokio::test]
async fn a_dead_letter_keeps_its_number_for_thirty_days() {
    let (world, access) = World::connected().await;
    sell(&world, &access, "1041").await;
    let id = fail(&world).await;
    world.pass(30 * DAY - Duration::from_secs(1));
    assert_eq!(purge(&world).await, (0, 0));
    assert_eq!(numbers(&world).await, 1);
    // Tried again, it waits; and it may fail anew.
    let store = &world.service.store;
    assert!(
        store
            .retry_message(id.clone(), world.operator())
            .await
            .unwrap()
    );
    world.pass(DAY);
    assert_eq!(purge(&world).await, (0, 0), "it waits");
    assert_eq!(fail(&world).await, id);
    world.pass(29 * DAY);
    assert_eq!(purge(&world).await, (0, 1));
    assert_eq!(numbers(&world).await, 0);
    assert_eq!(world.state(&world.access().await, "1041").await, "failed");
    assert!(!store.retry_message(id, world.operator()).await.unwrap());
    assert!(store.undelivered().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_message_that_waits_is_never_erased() {
    let (world, access) = World::connected().await;
    sell(&world, &access, "1041").await;
    world.pass(400 * DAY);
    assert_eq!(purge(&world).await, (0, 0));
    assert_eq!((world.rows("receipt").await, numbers(&world).await), (1, 1));
    fail(&world).await;
    assert_eq!(purge(&world).await, (1, 0));
    assert_eq!(
        (world.rows("receipt").await, world.rows("message").await),
        (0, 0)
    );
}

#[tokio::test]
async fn very_many_are_erased_in_steps() {
    let world = World::on_sqlite().await;
    let access = world.access().await;
    sell(&world, &access, "0").await;
    world.deliver().await;
    let copies = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO store_order (hash, number, sale, vendor_id, store_id, sealed, received_at)
       SELECT randomblob(32), randomblob(32), sale, vendor_id, store_id, sealed, received_at FROM n, store_order";
    assert_eq!(world.change(copies, vec![]).await, 1200);
    let copies = "INSERT INTO receipt (hash, order_id, expires_at)
       SELECT randomblob(32), id, 1 FROM store_order WHERE id NOT IN (SELECT order_id FROM receipt)";
    assert_eq!(world.change(copies, vec![]).await, 1200);
    assert_eq!(purge(&world).await, (1200, 0));
    assert_eq!(world.rows("receipt").await, 1);
}

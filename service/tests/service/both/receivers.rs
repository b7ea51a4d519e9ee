//! What the receivers of events may ask for: to be left alone for a while, or for good.

use crate::both::events::told;
use crate::both::webhooks::Receiver;
use crate::program::{failure, json};
use crate::world::World;
use std::time::Duration;

/// With a time that is far away, for a day.
#[tokio::test]
async fn a_receiver_that_asks_to_wait_is_left_alone() {
    let (world, receiver) = World::with_listener(&[429, 503]).await;
    for _ in 0..3 {
        world.finished().await;
    }
    receiver.ask_to_wait("3600");
    for (pause, calls) in [(0, 1), (60, 1), (3539, 1)] {
        world.pass(Duration::from_secs(pause));
        world.tell().await;
        assert_eq!(receiver.calls().len(), calls);
    }
    receiver.ask_to_wait("Fri, 31 Dec 9999 23:59:59 GMT");
    for (pause, calls) in [(1, 2), (3600, 2), (86_400 - 3601, 2), (1, 5)] {
        world.pass(Duration::from_secs(pause));
        world.tell().await;
        assert_eq!(receiver.calls().len(), calls, "{pause}");
    }
    assert!(
        world
            .service
            .store
            .undelivered_events(world.now())
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_receiver_that_is_gone_hears_nothing_until_it_is_enabled() {
    let (world, receiver) = World::with_listener(&[410]).await;
    world.finished().await;
    world.tell().await;
    world.finished().await;
    world.pass(Duration::from_secs(3600));
    world.tell().await;
    assert_eq!(receiver.calls().len(), 1);
    let (folder, id) = (&world.folder, &*world.vendor.id);
    let listed = &json(folder, &["webhook", "list"])[0];
    assert!(listed["disabledAt"].is_string(), "{listed}");
    let error = failure(folder, &["webhook", "test", id]);
    assert!(
        error.contains("410") && error.contains("webhook enable"),
        "{error}"
    );
    let store = &world.service.store;
    assert_eq!(store.disabled_webhooks().await.unwrap(), 1);
    assert_eq!(store.event_counts(world.now()).await.unwrap(), (2, 0));
    let undelivered = store.undelivered_events(world.now()).await.unwrap();
    let failures: Vec<_> = undelivered
        .iter()
        .filter_map(|event| event.failure.as_deref())
        .collect();
    assert_eq!(failures, ["the receiver answered 410"]);
    let disabled = &json(folder, &["audit", "--event", "webhook.disabled"])[0];
    assert_eq!(disabled["actor"], format!("vendor {id}"));
    json(folder, &["webhook", "enable", id]);
    world.tell().await;
    assert_eq!(told(&receiver), ["integration.finished"; 3]);
    assert!(json(folder, &["webhook", "list"])[0]["disabledAt"].is_null());
    let unknown = failure(folder, &["webhook", "enable", "nobody"]);
    assert!(unknown.contains("has no webhook"), "{unknown}");
}

/// A new address is another receiver, and an answer of the one before does not count for it.
#[tokio::test]
async fn a_new_address_is_told_whatever_the_one_before_said() {
    let (world, receiver) = World::with_listener(&[410]).await;
    world.finished().await;
    world.tell().await;
    let other = Receiver::start(&[]).await;
    world.listen(&world.vendor, &other).await;
    world.pass(Duration::from_secs(60));
    world.tell().await;
    assert_eq!((receiver.calls().len(), other.calls().len()), (1, 1));
}

//! How vendors are told: again and again, and not for ever.

use crate::both::events::{DAY, SECRET, header, told};
use crate::both::webhooks::signature;
use crate::world::World;
use axum::http::HeaderMap;
use pos_connect_foundation::values;
use pos_connect_service::store::{Progress, RevocationScope};
use pos_connect_service::webhook::WebhookSender;
use std::time::Duration;
use tokio::sync::watch;

const NEWER: &str = "whsec_bmV3ZXIgc2VjcmV0IG9mIDMyIGJ5dGVzLCBhcyBsb25n";
/// Nobody listens there.
pub const NOWHERE: &str = "http://127.0.0.1:9/";

/// How often the events of all vendors were tried.
pub async fn attempts(world: &World) -> i64 {
    world
        .value("SELECT CAST(sum(attempts) AS bigint) FROM event")
        .await
}

#[tokio::test]
async fn a_receiver_that_fails_is_told_again_and_given_up_after_three_days() {
    let (world, receiver) = World::with_listener(&[500; 80]).await;
    let token = world.finished().await;
    for attempt in 1..=80 {
        world.tell().await;
        // Not at once.
        world.tell().await;
        assert_eq!(receiver.calls().len(), attempt);
        world.pass(Duration::from_secs(3601));
    }
    world.tell().await;
    let calls = receiver.calls();
    assert_eq!(calls.len(), 80);
    let ids = |(headers, _): &(HeaderMap, Vec<u8>)| header(headers, "webhook-id").to_owned();
    assert!(calls.iter().all(|call| ids(call) == ids(&calls[0])));
    let store = &world.service.store;
    let undelivered = store.undelivered_events(world.now()).await.unwrap();
    assert_eq!(
        (
            undelivered.len(),
            &*undelivered[0].state,
            undelivered[0].attempts,
            undelivered[0].failure.as_deref()
        ),
        (1, "failed", 80, Some("the receiver answered 500"))
    );
    assert_eq!(store.event_counts(world.now()).await.unwrap(), (0, 1));
    let id = undelivered[0].id.clone();
    assert!(store.retry_event(id.clone(), world.now()).await.unwrap());
    world.tell().await;
    assert_eq!(receiver.calls().len(), 81);
    assert!(
        store
            .undelivered_events(world.now())
            .await
            .unwrap()
            .is_empty()
    );
    assert!(!store.retry_event(id.clone(), world.now()).await.unwrap());
    assert!(!store.drop_event(id, world.now()).await.unwrap());
    assert!(!token.is_empty());
}

#[tokio::test]
async fn what_is_dropped_does_not_happen_again() {
    let (world, receiver) = World::with_listener(&[503]).await;
    let token = world.finished().await;
    world.tell().await;
    let store = &world.service.store;
    let id = store.undelivered_events(world.now()).await.unwrap()[0]
        .id
        .clone();
    assert!(store.drop_event(id, world.now()).await.unwrap());
    world.pass(Duration::from_secs(60));
    world.tell().await;
    assert_eq!(receiver.calls().len(), 1);
    assert!(!world.finish(&token).await);
    assert!(
        store
            .undelivered_events(world.now())
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_disabled_vendor_is_told_when_it_is_enabled() {
    let (world, receiver) = World::with_listener(&[]).await;
    world.finished().await;
    let store = &world.service.store;
    let id = || world.vendor.id.clone();
    assert!(
        store
            .set_vendor_disabled(id(), true, world.operator())
            .await
            .unwrap()
    );
    world.tell().await;
    assert!(receiver.calls().is_empty());
    assert!(
        store
            .set_vendor_disabled(id(), false, world.operator())
            .await
            .unwrap()
    );
    world.tell().await;
    assert_eq!(told(&receiver), ["integration.finished"]);
}

#[tokio::test]
async fn two_services_tell_each_event_once() {
    let (world, receiver) = World::with_listener(&[]).await;
    let replica = world.replica().await;
    for _ in 0..10 {
        world.finished().await;
    }
    tokio::join!(world.tell(), replica.tell());
    tokio::join!(world.tell(), replica.tell());
    let mut ids: Vec<_> = receiver
        .calls()
        .iter()
        .map(|(headers, _)| header(headers, "webhook-id").to_owned())
        .collect();
    assert_eq!(ids.len(), 10);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 10);
}

#[tokio::test]
async fn a_new_secret_signs_beside_the_old_one_for_a_day() {
    let (world, receiver) = World::with_listener(&[]).await;
    world
        .listen_with(&world.vendor, receiver.url(), NEWER)
        .await;
    world.finished().await;
    world.tell().await;
    world.pass(DAY);
    world.finished().await;
    world.tell().await;
    let calls = receiver.calls();
    let signed = |(headers, body): &(HeaderMap, Vec<u8>), secret| {
        let (id, time) = (
            header(headers, "webhook-id"),
            header(headers, "webhook-timestamp"),
        );
        signature(secret, id, time, body)
    };
    assert_eq!(
        header(&calls[0].0, "webhook-signature"),
        format!("{} {}", signed(&calls[0], NEWER), signed(&calls[0], SECRET))
    );
    assert_eq!(
        header(&calls[1].0, "webhook-signature"),
        signed(&calls[1], NEWER)
    );
}

#[tokio::test]
async fn what_was_told_goes_with_its_integration_and_a_test_at_once() {
    let (world, receiver) = World::with_listener(&[]).await;
    let store = &world.service.store;
    let test = store.test_webhook(world.vendor.id.clone(), world.now());
    assert!(test.await.unwrap().unwrap().starts_with("evt_"));
    world.create().await;
    world.pass(DAY);
    world.tell().await;
    assert_eq!(
        told(&receiver),
        ["webhook.test", "integration.cancelled expired"]
    );
    assert_eq!(world.rows("event").await, 1);
    world.pass(60 * DAY);
    assert_eq!(world.service.purge(Duration::ZERO).await.unwrap(), 1);
    assert_eq!(world.rows("event").await, 0);
}

/// Two services, and a receiver that takes its time.
#[tokio::test]
async fn an_attempt_is_over_before_the_next_one_is_due() {
    let world = World::new().await;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    world.listen_with(&world.vendor, &url, SECRET).await;
    world.finished().await;
    let replica = world.replica().await;
    let (stop, stopped) = watch::channel(false);
    let sending = tokio::spawn(WebhookSender::new(world.service.clone()).run(stopped));
    let _connection = silent.accept().await.unwrap();
    world.pass(Duration::from_secs(15));
    replica.tell().await;
    assert_eq!(attempts(&world).await, 1);
    stop.send(true).unwrap();
    sending.await.unwrap();
}

/// It is about no integration that it could go with.
#[tokio::test]
async fn a_test_that_failed_goes_after_a_while() {
    let world = World::new().await;
    world.listen_with(&world.vendor, NOWHERE, SECRET).await;
    let test = world
        .service
        .store
        .test_webhook(world.vendor.id.clone(), world.now());
    assert!(test.await.unwrap().is_some());
    world
        .change("UPDATE event SET state = 'failed'", values![])
        .await;
    world.service.purge(Duration::ZERO).await.unwrap();
    assert_eq!(world.rows("event").await, 1, "not at once");
    world.pass(31 * DAY);
    world.service.purge(Duration::ZERO).await.unwrap();
    assert_eq!(world.rows("event").await, 0);
}

/// Whoever tries it does not wait until the vendor is tried again.
#[tokio::test]
async fn a_test_is_sent_at_once() {
    let (world, receiver) = World::with_listener(&[]).await;
    let quiet = "UPDATE webhook SET silences = 9, quiet_until = ?1";
    world.change(quiet, values![world.now().after(DAY)]).await;
    let test = world
        .service
        .store
        .test_webhook(world.vendor.id.clone(), world.now());
    assert!(test.await.unwrap().is_some());
    world.tell().await;
    assert_eq!(told(&receiver), ["webhook.test"]);
}

/// In one transaction: with two statements for each, others would come in between again and again. As the operator's
/// command does it, whose statements may take longer than a till's.
#[tokio::test]
async fn ten_thousand_connections_end_and_are_told_at_once() {
    let (world, _receiver) = World::with_listener(&[]).await;
    world.picked_up().await;
    world.change("DELETE FROM event", values![]).await;
    let hash = match world.folder.is_on_a_server() {
        true => "sha256(CAST(CAST(n.i AS text) AS bytea))",
        false => "CAST(printf('%032d', n.i) AS blob)",
    };
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)";
    let integrations = format!(
        "{numbers} INSERT INTO integration (hash, vendor_id, status, created_at, expires_at, owner_id, store_id,
           ereceipt, decided_at, pickup_until, claimed_at)
         SELECT {hash}, vendor_id, status, created_at, expires_at, owner_id, store_id, ereceipt, decided_at,
           pickup_until, NULL FROM integration, n WHERE claimed_at IS NOT NULL"
    );
    let command = world.command().await;
    let store = &command.store;
    let copied = store.write(move |transaction| transaction.execute(&integrations, values![]));
    assert_eq!(copied.await.unwrap(), 9999);
    let revoke = async |longest| {
        let ended = store.revoke_all(RevocationScope::default(), longest, world.operator());
        let Progress { count, is_done } = ended.await.unwrap().unwrap();
        (count, is_done)
    };
    assert_eq!(revoke(Some(Duration::ZERO)).await, (500, false));
    assert_eq!(revoke(None).await, (9_500, true));
    let told = "SELECT count(DISTINCT public_id) FROM event WHERE kind = 'connection.revoked' AND state = 'queued'
         AND data LIKE '{\"integration\":\"%\",\"accountId\":\"%\",\"storeId\":\"%\",\"reason\":\"operator\"}'";
    assert_eq!(world.value::<i64>(told).await, 10_000);
}

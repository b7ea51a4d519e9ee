//! How vendors are told: again and again, one not for another's sake, and not for ever.

use crate::both::events::{DAY, SECRET, header, told};
use crate::both::webhooks::{Receiver, signature};
use crate::world::{TILL, World, until};
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use pos_connect_foundation::values;
use pos_connect_service::server::Server;
use pos_connect_service::webhook::WebhookSender;
use std::time::Duration;
use tokio::sync::watch;

const NEWER: &str = "whsec_bmV3ZXIgc2VjcmV0IG9mIDMyIGJ5dGVzLCBhcyBsb25n";
/// Nobody listens there.
const NOWHERE: &str = "http://127.0.0.1:9/";

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
            .set_vendor_disabled(id(), true, world.now())
            .await
            .unwrap()
    );
    world.tell().await;
    assert!(receiver.calls().is_empty());
    assert!(
        store
            .set_vendor_disabled(id(), false, world.now())
            .await
            .unwrap()
    );
    world.tell().await;
    assert_eq!(told(&receiver), ["integration.finished"]);
}

#[tokio::test]
async fn a_vendor_that_is_not_there_holds_up_no_other() {
    let (world, receiver) = World::with_listener(&[]).await;
    let other = world.add_vendor("Other Till", &[TILL]).await;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    world.listen_with(&other, &url, SECRET).await;
    let theirs = world.replica_for(&other).await;
    theirs.finished().await;
    let (stop, stopped) = watch::channel(false);
    let sending = tokio::spawn(WebhookSender::new(world.service.clone()).run(stopped));
    let _connection = silent.accept().await.unwrap();
    world.finished().await;
    let heard = async {
        let undelivered = async || {
            world
                .service
                .store
                .undelivered_events(world.now())
                .await
                .unwrap()
        };
        while receiver.calls().is_empty() || undelivered().await.len() > 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(10), heard).await;
    in_time.expect("while the other one is silent");
    // The attempt was counted before it was made.
    let undelivered = world
        .service
        .store
        .undelivered_events(world.now())
        .await
        .unwrap();
    assert_eq!((undelivered.len(), undelivered[0].attempts), (1, 1));
    stop.send(true).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(5), sending).await;
    ended.expect("it ends in the middle of an attempt").unwrap();
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

/// More of them than vendors are told at once, and all before the other one in turn.
#[tokio::test]
async fn any_number_of_vendors_that_are_not_there_hold_up_no_other() {
    let world = World::new().await;
    for number in 0..40 {
        let absent = world.add_vendor(&format!("Absent {number}"), &[TILL]).await;
        world.listen_with(&absent, NOWHERE, SECRET).await;
        let theirs = world.replica_for(&absent).await;
        for _ in 0..8 {
            theirs.create().await;
        }
    }
    let (present, receiver) = (
        world.add_vendor("Last", &[TILL]).await,
        Receiver::start(&[]).await,
    );
    world.listen(&present, &receiver).await;
    world.replica_for(&present).await.create().await;
    world.pass(DAY);
    let (stop, stopped) = watch::channel(false);
    let sending = tokio::spawn(WebhookSender::new(world.service.clone()).run(stopped));
    // The others do not come again before it.
    until(async || !receiver.calls().is_empty()).await;
    stop.send(true).unwrap();
    sending.await.unwrap();
}

/// A receiver that answers only while `is_open` says so.
async fn late(is_open: watch::Receiver<bool>) -> String {
    let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let url = format!("{}/", server.url());
    let answer = move || {
        let mut is_open = is_open.clone();
        async move {
            is_open.wait_for(|is_open| *is_open).await.unwrap();
            StatusCode::NO_CONTENT
        }
    };
    let router = Router::new().route("/", post(answer));
    tokio::spawn(async move {
        let (_stop, stopped) = watch::channel(false);
        server.run(router, stopped).await;
    });
    url
}

/// More of them than vendors are told at once: once known as late, they share a few places.
#[tokio::test]
async fn receivers_that_answer_late_hold_up_no_other() {
    let world = World::new().await;
    let (open, is_open) = watch::channel(true);
    let url = late(is_open).await;
    let mut slow = Vec::new();
    for number in 0..30 {
        let vendor = world.add_vendor(&format!("Late {number}"), &[TILL]).await;
        world.listen_with(&vendor, &url, SECRET).await;
        slow.push(world.replica_for(&vendor).await);
        slow[number].create().await;
    }
    let (present, receiver) = (
        world.add_vendor("Last", &[TILL]).await,
        Receiver::start(&[]).await,
    );
    world.listen(&present, &receiver).await;
    let present = world.replica_for(&present).await;
    world.pass(DAY);
    // Whoever answers at all is late for that.
    let sender = WebhookSender::new(world.service.clone()).with_rounds_of(Duration::ZERO);
    sender.send_due().await.unwrap();
    assert_eq!(attempts(&world).await, 30);
    open.send(false).unwrap();
    for vendor in slow.iter().chain([&present]) {
        vendor.create().await;
    }
    world.pass(DAY);
    let (stop, stopped) = watch::channel(false);
    let sending = tokio::spawn(sender.run(stopped));
    until(async || !receiver.calls().is_empty()).await;
    let begun = attempts(&world).await - 30;
    assert!(begun < 24, "{begun}");
    stop.send(true).unwrap();
    sending.await.unwrap();
}

/// How often the events of all vendors were tried.
async fn attempts(world: &World) -> i64 {
    world
        .value("SELECT CAST(sum(attempts) AS bigint) FROM event")
        .await
}

#[tokio::test]
async fn a_vendor_that_is_not_there_is_left_alone_with_all_its_events_and_told_all_once_it_is_back()
{
    let (world, receiver) = World::with_listener(&[]).await;
    world.listen_with(&world.vendor, NOWHERE, SECRET).await;
    for _ in 0..30 {
        world.create().await;
    }
    world.pass(DAY);
    world.tell().await;
    let first = attempts(&world).await;
    assert!((1..=4).contains(&first), "{first}");
    world.tell().await;
    assert_eq!(attempts(&world).await, first, "it is left alone");
    for (pause, tried) in [(19, 0), (1, 1), (39, 1), (1, 2), (600, 3), (600, 4)] {
        world.pass(Duration::from_secs(pause));
        world.tell().await;
        assert_eq!(attempts(&world).await, first + tried, "one event at a time");
    }
    let url = values![receiver.url()];
    assert_eq!(world.change("UPDATE webhook SET url = ?1", url).await, 1);
    world.pass(Duration::from_secs(3600));
    world.tell().await;
    assert_eq!(receiver.calls().len(), 30, "in one go");
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

/// In one transaction: with two statements for each, others would come in between again and again.
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
    assert_eq!(world.change(integrations.leak(), values![]).await, 9999);
    let scope = pos_connect_service::store::RevocationScope::default();
    let ended = world.service.store.revoke_all(scope, world.now()).await;
    assert_eq!(ended.unwrap(), Ok(10_000));
    let told = "SELECT count(DISTINCT public_id) FROM event WHERE kind = 'connection.revoked' AND state = 'queued'
         AND data LIKE '{\"integration\":\"%\",\"accountId\":\"%\",\"storeId\":\"%\",\"reason\":\"operator\"}'";
    assert_eq!(world.value::<i64>(told).await, 10_000);
}

//! Receivers of events that are not there, or answer late: they hold up no other, and are told once they are back.

use crate::both::events::{DAY, SECRET};
use crate::both::webhook_sender::{NOWHERE, attempts};
use crate::both::webhooks::Receiver;
use crate::world::{TILL, World, until};
use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use pos_connect_foundation::values;
use pos_connect_service::server::Server;
use pos_connect_service::webhook::WebhookSender;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

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
    until(async || {
        let undelivered = world.service.store.undelivered_events(world.now());
        !receiver.calls().is_empty() && undelivered.await.unwrap().len() <= 1
    })
    .await;
    // The attempt was counted before it was made.
    let undelivered = world
        .service
        .store
        .undelivered_events(world.now())
        .await
        .unwrap();
    assert_eq!((undelivered.len(), undelivered[0].attempts), (1, 1));
    stop.send(true).unwrap();
    // It ends in the middle of an attempt, which would last for 15 s.
    let ended = timeout(Duration::from_secs(12), sending).await;
    ended.unwrap().unwrap();
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

//! What vendors are told of their integrations: signed, at least once, each to its own vendor.

use crate::both::webhooks::{Receiver, signature};
use crate::program::{failure, json};
use crate::tokens::Pair;
use crate::world::{EMAIL, INTEGRATION, TILL, Vendor, World, act};
use axum::http::HeaderMap;
use pos_connect_protocol::StatusReason;
use pos_connect_service::store::{Act, RevocationScope};
use pos_connect_service::token::Hash;
use pos_connect_service::webhook::WebhookSender;
use serde_json::Value;
use std::time::Duration;

pub const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl World {
    /// Tells a vendor at a receiver from now on.
    pub async fn listen(&self, vendor: &Vendor, receiver: &Receiver) {
        self.listen_with(vendor, receiver.url(), SECRET).await;
    }

    pub async fn listen_with(&self, vendor: &Vendor, url: &str, secret: &str) {
        let (id, url, secret) = (vendor.id.clone(), url.to_owned(), secret.to_owned());
        let store = &self.service.store;
        assert!(
            store
                .set_webhook(id, url, secret, self.now())
                .await
                .unwrap()
        );
    }

    pub async fn tell(&self) {
        let sender = WebhookSender::new(self.service.clone());
        sender.send_due().await.unwrap();
    }

    /// A world whose vendor listens.
    pub async fn with_listener(statuses: &[u16]) -> (Self, Receiver) {
        let (world, receiver) = (Self::new().await, Receiver::start(statuses).await);
        world.listen(&world.vendor, &receiver).await;
        (world, receiver)
    }
}

pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers[name].to_str().unwrap()
}

/// Every event that came, as its type and its reason.
pub fn told(receiver: &Receiver) -> Vec<String> {
    let name = |(_, body): (HeaderMap, Vec<u8>)| {
        let event: Value = serde_json::from_slice(&body).unwrap();
        let kind = event["type"].as_str().unwrap();
        match event["data"]["reason"].as_str() {
            Some(reason) => format!("{kind} {reason}"),
            None => kind.to_owned(),
        }
    };
    receiver.calls().into_iter().map(name).collect()
}

#[tokio::test]
async fn a_vendor_hears_a_whole_story_once() {
    let (world, receiver) = World::with_listener(&[]).await;
    let token = world.finished().await;
    world.tell().await;
    let pair = Pair::of(&world.token(&token).await);
    for _ in 0..3 {
        assert_eq!(world.token(&token).await.status, 410);
    }
    world.tell().await;
    for _ in 0..2 {
        world.revoke(&pair.access).await;
        world.tell().await;
    }
    assert_eq!(
        told(&receiver),
        [
            "integration.finished",
            "integration.tokens_retrieved",
            "integration.replayed",
            "connection.revoked vendor",
        ]
    );
    let (headers, body) = receiver.calls().remove(0);
    let event: Value = serde_json::from_slice(&body).unwrap();
    let account: String = world.value("SELECT public_id FROM account").await;
    let store = "SELECT public_id FROM store WHERE name = 'Market Street'";
    let store: String = world.value(store).await;
    assert_eq!(event["timestamp"], world.now().to_string());
    assert_eq!(
        event["data"],
        serde_json::json!({
            "integration": Hash::of(&token).to_hex(), "accountId": account, "storeId": store
        })
    );
    let (id, time) = (
        header(&headers, "webhook-id"),
        header(&headers, "webhook-timestamp"),
    );
    assert!(id.starts_with("evt_"));
    assert_eq!(
        header(&headers, "webhook-signature"),
        signature(SECRET, id, time, &body)
    );
    let all: Vec<u8> = receiver
        .calls()
        .into_iter()
        .flat_map(|call| call.1)
        .collect();
    let all = String::from_utf8(all).unwrap();
    for secret in [&token, &pair.access, &pair.refresh, &world.vendor.secret] {
        assert!(!all.contains(secret.as_str()));
    }
}

#[tokio::test]
async fn every_way_to_be_cancelled_has_its_reason() {
    let (world, receiver) = World::with_listener(&[]).await;
    let by_till = world.create().await;
    assert_eq!(
        world.call("DELETE", INTEGRATION, &by_till).await.status,
        204
    );
    let by_merchant = Hash::of(&world.create().await);
    let account = world.value("SELECT id FROM account").await;
    let store = &world.service.store;
    let cancelled = store.cancel(
        by_merchant,
        StatusReason::Merchant,
        act(account, world.now()),
    );
    assert!(cancelled.await.unwrap());
    world.finished().await;
    world.create().await;
    let almost = world.service.settings.integration_ttl - Duration::from_millis(1);
    world.pass(almost);
    world.tell().await;
    let mut first = told(&receiver);
    first.sort();
    assert_eq!(
        first,
        [
            "integration.cancelled merchant",
            "integration.cancelled till",
            "integration.finished",
        ]
    );
    assert!(
        store
            .undelivered_events(world.now())
            .await
            .unwrap()
            .is_empty()
    );
    world.pass(Duration::from_millis(1));
    world.tell().await;
    assert_eq!(told(&receiver)[3..], ["integration.cancelled expired"]);
    world.pass(DAY);
    world.tell().await;
    assert_eq!(told(&receiver).len(), 4);
}

#[tokio::test]
async fn whoever_ends_a_connection_is_named() {
    let (world, receiver) = World::with_listener(&[]).await;
    let (reused, _, pair) = world.picked_up().await;
    let second = Pair::of(&world.refresh(&pair.refresh).await);
    assert_eq!(world.account(&second.access).await.status, 200);
    world.refresh(&pair.refresh).await;
    let waiting = world.finished().await;
    world.picked_up().await;
    let store = &world.service.store;
    let (who, now) = (world.signed_in(EMAIL).await, world.now());
    let disconnected = store.disconnect(who, Hash::of(&waiting), act(who.account, now));
    assert!(disconnected.await.unwrap().is_some());
    let all = RevocationScope::default();
    let ended = store.revoke_all(all, None, Act::operator(now)).await;
    assert_eq!(ended.unwrap().unwrap().count, 1);
    world.tell().await;
    let mut ends = told(&receiver);
    ends.retain(|event| event.starts_with("connection"));
    assert_eq!(
        ends,
        [
            "connection.revoked reuse",
            "connection.revoked merchant",
            "connection.revoked operator",
        ]
    );
    assert!(!reused.is_empty());
}

/// Its answer was lost, and nobody else has it.
#[tokio::test]
async fn a_retry_by_whoever_picked_up_is_no_replay() {
    let (world, receiver) = World::with_listener(&[]).await;
    let (token, pickup, _) = world.picked_up().await;
    assert_eq!(world.pick_up(&token, &pickup).await.status, 410);
    world.tell().await;
    let before = ["integration.finished", "integration.tokens_retrieved"];
    assert_eq!(told(&receiver), before);
    let other = crate::tokens::pickup_id();
    assert_eq!(world.pick_up(&token, &other).await.status, 410);
    world.tell().await;
    assert_eq!(told(&receiver)[2..], ["integration.replayed"]);
}

#[tokio::test]
async fn each_vendor_hears_of_its_own_and_only_if_it_listens() {
    let (world, receiver) = World::with_listener(&[]).await;
    let other = world.add_vendor("Other Till", &[TILL]).await;
    let own = world.create().await;
    let silent = world.replica_for(&other).await;
    silent.finished().await;
    assert_eq!(
        world.rows("event").await,
        1,
        "what lies ahead of the first vendor's"
    );
    let theirs = Receiver::start(&[]).await;
    world.listen(&other, &theirs).await;
    silent.finished().await;
    assert!(world.finish(&own).await);
    world.tell().await;
    let event: Value = serde_json::from_slice(&receiver.calls()[0].1).unwrap();
    assert_eq!(event["data"]["integration"], Hash::of(&own).to_hex());
    assert_eq!((receiver.calls().len(), theirs.calls().len()), (1, 1));
}

#[tokio::test]
async fn an_operator_sets_tries_and_removes_it() {
    let world = World::on_sqlite().await;
    let (folder, id) = (&world.folder, &world.vendor.id);
    let receiver = Receiver::start(&[418]).await;
    let refused = failure(
        folder,
        &["webhook", "set", id, "http://hooks.example/?key=hunter2"],
    );
    assert!(refused.contains("needs https://"), "{refused}");
    let unknown = failure(folder, &["webhook", "set", "nobody", receiver.url()]);
    assert!(unknown.contains("no vendor nobody"), "{unknown}");
    let set = json(folder, &["webhook", "set", id, receiver.url()]);
    let secret = set["secret"].as_str().unwrap();
    let test = json(folder, &["webhook", "test", id]);
    world.tell().await;
    let (headers, body) = receiver.calls().remove(0);
    let (event, time) = (
        header(&headers, "webhook-id"),
        header(&headers, "webhook-timestamp"),
    );
    assert_eq!(event, test["id"]);
    assert_eq!(
        header(&headers, "webhook-signature"),
        signature(secret, event, time, &body)
    );
    let list = json(folder, &["webhook", "list"]);
    assert_eq!(list[0]["queued"], 1, "{list}");
    let events = json(folder, &["webhook", "events"]);
    assert_eq!(events[0]["failure"], "the receiver answered 418");
    assert_eq!(events[0]["clientId"], **id);
    assert_eq!(
        json(folder, &["webhook", "retry", event])["state"],
        "queued"
    );
    assert_eq!(
        json(folder, &["webhook", "drop", event])["state"],
        "dropped"
    );
    assert!(failure(folder, &["webhook", "drop", event]).contains("webhook events"));
    let audit = json(folder, &["audit", "--event", "webhook."]).to_string();
    for seen in [&list.to_string(), &events.to_string(), &audit] {
        assert!(!seen.contains(secret));
    }
    assert_eq!(
        world.rows("event").await,
        0,
        "a test that is given up is gone"
    );
    assert_eq!(json(folder, &["webhook", "remove", id])["removed"], true);
    for gone in [["webhook", "remove", id], ["webhook", "test", id]] {
        assert!(failure(folder, &gone).contains("has no webhook"));
    }
    assert_eq!(world.rows("event").await + world.rows("webhook").await, 0);
}

#[tokio::test]
async fn secrets_are_sealed_and_another_storage_key_opens_them() {
    let world = World::on_sqlite().await;
    let receiver = Receiver::start(&[]).await;
    world.listen(&world.vendor, &receiver).await;
    let file = std::fs::read(world.folder.path().join("test.db-wal")).unwrap();
    let is_in = |needle: &str| {
        file.windows(needle.len())
            .any(|part| part == needle.as_bytes())
    };
    assert!(is_in(receiver.url()) && !is_in(SECRET));
    world.folder.add_key();
    let world = world.restart().await;
    assert_eq!(world.rotate_key().await, 1);
    world.finish_as(EMAIL, &world.create().await).await;
    world.tell().await;
    assert_eq!(told(&receiver), ["integration.finished"]);
}

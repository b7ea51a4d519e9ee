//! Whose account it is: a till that proves itself does not decide it.

use crate::http::Answer;
use crate::revocation::{is_alive, revocations};
use crate::rig::{BAKERY, Rig, settings};
use crate::world::{EMAIL, until};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_relay::Settings;
use std::time::Duration;

const THIEF: &str = "owner@elsewhere.example";

/// The till is connected; then somebody with its key has another account's owner consent.
async fn hijacked(rig: &Rig) -> Answer {
    let token = rig.create().await;
    assert!(rig.service.finish_as(THIEF, &token).await);
    rig.tokens(&token).await
}

async fn connected(settings: Settings) -> Rig {
    // A revocation that a stalled database has not let through is tried again.
    let settings = Settings {
        tend_every: Duration::from_millis(50),
        ..settings
    };
    let rig = Rig::with(settings, crate::rig::patience()).await;
    let stores = ["Elsewhere"];
    rig.service.add_account(THIEF, "Elsewhere", &stores).await;
    rig.connected().await;
    rig
}

async fn account(rig: &Rig) -> String {
    let connection = rig.connection(&rig.neighbor).await;
    let account = &connection.json()["account"];
    account["name"].as_str().unwrap_or("none").to_owned()
}

/// Until the relay has had so many sets revoked.
async fn come_revoked(rig: &Rig, count: usize) -> Vec<String> {
    until(async || revocations(rig).len() >= count).await;
    revocations(rig)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_till_key_cannot_take_the_merchant_to_another_account() {
    let rig = connected(settings()).await;
    let token = rig.create().await;
    assert!(rig.service.finish_as(THIEF, &token).await);
    for _ in 0..3 {
        let answer = rig.tokens(&token).await;
        assert_eq!(
            (answer.status, answer.code()),
            (409, "other_account".into())
        );
    }
    assert_eq!(account(&rig).await, "Corner Bakery");
    assert_ne!(rig.order().await.code(), "connection_ended");
    let revoked = come_revoked(&rig, 1).await;
    assert!(
        !is_alive(&rig, &revoked[0]).await,
        "the thief's set is revoked"
    );
}

/// Orders that wait in the tills would go to another store, and twice if an answer was lost.
#[tokio::test(flavor = "multi_thread")]
async fn another_store_of_the_same_account_is_refused_until_it_is_allowed() {
    let rig = connected(settings()).await;
    let connection = rig.connection(&rig.neighbor).await.json();
    assert_eq!(connection["store"]["name"], "Market Street");
    let token = rig.create().await;
    assert!(rig.service.finish_with(EMAIL, 1, &token).await);
    assert_eq!(rig.tokens(&token).await.code(), "other_account");
    let now = rig.relay.clock.now();
    rig.relay.store.allow_change(BAKERY, now).await.unwrap();
    let token = rig.create().await;
    assert!(rig.service.finish_with(EMAIL, 1, &token).await);
    let answer = rig.tokens(&token).await;
    assert_eq!(answer.json()["store"]["name"], "Old Harbor");
    let connection = rig.connection(&rig.neighbor).await.json();
    assert_eq!(connection["store"]["name"], "Old Harbor");
}

#[tokio::test(flavor = "multi_thread")]
async fn nor_after_a_disconnect_or_a_restart() {
    let rig = connected(settings()).await;
    let call = rig.call(&rig.till, "DELETE", "/connection");
    assert_eq!(call.send(rig.address).await.status, 204);
    assert_eq!(hijacked(&rig).await.code(), "other_account");
    let rig = rig.restart(settings()).await;
    assert_eq!(hijacked(&rig).await.code(), "other_account");
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], false);
    rig.connected().await;
    assert_eq!(account(&rig).await, "Corner Bakery");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allowed_change_counts_once_and_the_old_set_stays_until_then() {
    let rig = connected(settings()).await;
    let now = rig.relay.clock.now();
    rig.relay.store.allow_change(BAKERY, now).await.unwrap();
    assert_eq!(account(&rig).await, "Corner Bakery");
    assert_eq!(hijacked(&rig).await.status, 200);
    assert_eq!(account(&rig).await, "Elsewhere");
    let revoked = come_revoked(&rig, 1).await;
    assert!(!is_alive(&rig, &revoked[0]).await, "the old set is revoked");
    let back = rig.finished().await;
    assert_eq!(
        rig.tokens(&back).await.code(),
        "other_account",
        "it was used up"
    );
    assert_eq!(account(&rig).await, "Elsewhere");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_account_replaces_its_set_which_is_revoked() {
    let rig = connected(settings()).await;
    // The next connection uses the permission up, even if it does not need it.
    let now = rig.relay.clock.now();
    rig.relay.store.allow_change(BAKERY, now).await.unwrap();
    rig.connected().await;
    let revoked = come_revoked(&rig, 1).await;
    assert!(!is_alive(&rig, &revoked[0]).await);
    assert_eq!(account(&rig).await, "Corner Bakery");
    assert_eq!(hijacked(&rig).await.code(), "other_account");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_of_yesterday_permits_nothing() {
    let rig = connected(settings()).await;
    let yesterday = Timestamp(rig.relay.clock.now().0 - 24 * 60 * 60 * 1000);
    rig.relay
        .store
        .allow_change(BAKERY, yesterday)
        .await
        .unwrap();
    assert_eq!(hijacked(&rig).await.code(), "other_account");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_set_is_not_handed_out() {
    let rig = connected(Settings {
        hand_out: true,
        ..settings()
    })
    .await;
    let answer = hijacked(&rig).await;
    assert_eq!(answer.code(), "other_account");
    assert!(
        !answer.body.contains("Token\""),
        "no token is in the answer"
    );
    come_revoked(&rig, 1).await;
}

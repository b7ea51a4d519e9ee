//! What changes at the service reaches the tills, though none of them sends anything for the merchant.

use crate::proxy::Fault;
use crate::rig::{Rig, patience, settings};
use crate::world::until;
use pos_connect_protocol::path;
use pos_connect_relay::Settings;
use std::sync::Arc;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

fn checks(rig: &Rig) -> usize {
    rig.proxy.seen("GET", path::ACCOUNT).len()
}

/// The merchant ends the connection on the service's own page, or the operator does.
async fn end_at_the_service(rig: &Rig) {
    let sql = "UPDATE token_set SET used_at = coalesce(used_at, 1), revoked_at = 1";
    assert_eq!(rig.service.change(sql, vec![]).await, 1);
}

async fn choose_no_receipts(rig: &Rig) {
    let sql = "UPDATE integration SET ereceipt = FALSE";
    assert_eq!(rig.service.change(sql, vec![]).await, 1);
}

#[tokio::test]
async fn an_end_at_the_service_is_seen_by_a_till_that_asks_within_15_seconds() {
    let rig = Rig::with_connection().await;
    end_at_the_service(&rig).await;
    rig.service.pass(Duration::from_secs(14));
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
    assert_eq!(checks(&rig), 0, "the pick-up was a look");
    rig.service.pass(Duration::from_secs(1));
    for key in [&rig.till, &rig.neighbor, &rig.till] {
        assert_eq!(rig.connection(key).await.json()["connected"], false);
    }
    assert_eq!(checks(&rig), 1);
}

#[tokio::test]
async fn another_choice_of_e_receipts_is_seen_too() {
    let rig = Rig::with_connection().await;
    assert_eq!(rig.connection(&rig.till).await.json()["ereceipt"], true);
    choose_no_receipts(&rig).await;
    rig.service.pass(5 * MINUTE);
    let connection = rig.connection(&rig.neighbor).await.json();
    assert_eq!(connection["ereceipt"], false);
    assert_eq!(rig.connection(&rig.till).await.json(), connection);
    assert_eq!(checks(&rig), 1);
    let seen = rig.proxy.seen("GET", path::ACCOUNT).remove(0);
    assert_eq!(seen.target, path::ACCOUNT, "no token in the URL");
}

#[tokio::test(flavor = "multi_thread")]
async fn tills_that_ask_at_once_share_one_look() {
    let rig = Arc::new(Rig::new().await);
    rig.connected().await;
    for round in 1..4 {
        rig.service.pass(5 * MINUTE);
        let asks = (0..8).map(|_| {
            let rig = rig.clone();
            tokio::spawn(async move { rig.connection(&rig.till).await.status })
        });
        for ask in asks.collect::<Vec<_>>() {
            assert_eq!(ask.await.unwrap(), 200);
        }
        assert_eq!(checks(&rig), round);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_fails_changes_nothing_and_is_not_repeated_at_once() {
    let rig = Rig::with_connection().await;
    let before = rig.connection(&rig.till).await.json();
    for (round, fault) in [
        Fault::Instead(503, "", "{}".into()),
        Fault::Instead(404, "", "{}".into()),
        Fault::Instead(403, "", "{}".into()),
        Fault::Instead(200, "", "<html>".into()),
        Fault::Instead(200, "", r#"{"success":true,"ereceipt":"no"}"#.into()),
        // An access token that has only expired: the refresh that follows tells.
        Fault::Instead(401, "", "{}".into()),
    ]
    .into_iter()
    .enumerate()
    {
        rig.proxy.faults(path::ACCOUNT, vec![fault]);
        rig.service.pass(5 * MINUTE);
        for _ in 0..3 {
            let now = rig.connection(&rig.till).await.json();
            assert_eq!(now["ereceipt"], before["ereceipt"], "{round}");
            assert_eq!(now["account"], before["account"], "{round}");
        }
        assert_eq!(checks(&rig), round + 1);
    }
    assert_eq!(rig.proxy.seen("POST", path::TOKEN).len(), 1);
}

#[tokio::test]
async fn a_service_that_wants_to_be_left_alone_is_not_looked_at() {
    let rig = Rig::with_connection().await;
    let rests = Fault::Instead(503, "Retry-After: 60\r\n", "{}".into());
    rig.proxy.faults(path::ACCOUNT, vec![rests]);
    rig.service.pass(Duration::from_secs(15));
    // Each waits for the look in the air, but for two seconds at most.
    for _ in 0..15 {
        assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
    }
    rig.service.pass(Duration::from_secs(59));
    rig.connection(&rig.till).await;
    assert_eq!(checks(&rig), 1);
    rig.service.pass(Duration::from_secs(1));
    until(async || {
        rig.connection(&rig.till).await;
        checks(&rig) == 2
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_to_ask() {
    let keen = Settings {
        tend_every: Duration::from_millis(50),
        ..settings()
    };
    let rig = Rig::with(keen, patience()).await;
    rig.connected().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(checks(&rig), 0);
    end_at_the_service(&rig).await;
    rig.service.pass(5 * MINUTE);
    until(async || {
        let sets = rig.relay.store.connections().await.unwrap();
        sets.iter().all(|set| set.ended)
    })
    .await;
    assert_eq!(checks(&rig), 1);
}

/// What the operator disables can be enabled again: orders wait, and no connection is forgotten.
#[tokio::test]
async fn a_disabled_vendor_ends_no_connection() {
    let rig = Rig::with_connection().await;
    let store = &rig.service.service.store;
    let id = rig.service.vendor.id.clone();
    let act = rig.service.operator();
    let disabled = store.set_vendor_disabled(id.clone(), true, act);
    assert!(disabled.await.unwrap());
    rig.service.pass(5 * MINUTE);
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
    let order = rig.order().await;
    assert_eq!(order.status, 502, "{}", order.body);
    assert!(store.set_vendor_disabled(id, false, act).await.unwrap());
    assert_ne!(rig.order().await.status, 502);
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
}

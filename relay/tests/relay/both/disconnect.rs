//! The end of a connection: for every till at once, and at the service for good.

use crate::proxy::{Fault, Gate};
use crate::revocation::{is_alive, revocations, value};
use crate::rig::{Rig, patience, settings};
use crate::world::until;
use pos_connect_protocol::{parameter, path};
use pos_connect_relay::Settings;
use std::sync::Arc;
use std::time::Duration;

async fn disconnect(rig: &Rig, key: &str) -> u16 {
    let call = rig.call(key, "DELETE", "/connection");
    call.send(rig.address).await.status
}

#[tokio::test]
async fn every_till_is_disconnected_and_the_service_takes_the_tokens_no_more() {
    let rig = Rig::with_connection().await;
    assert_eq!(disconnect(&rig, &rig.neighbor).await, 204);
    for key in [&rig.till, &rig.neighbor] {
        assert_eq!(rig.connection(key).await.json()["connected"], false);
    }
    assert_eq!(rig.order().await.code(), "connection_ended");
    let revoked = revocations(&rig);
    assert_eq!(revoked.len(), 1);
    assert!(!is_alive(&rig, &revoked[0]).await);
    let seen = rig.proxy.seen("POST", path::REVOKE).remove(0);
    assert_eq!(seen.target, path::REVOKE, "no secret in the URL");
}

#[tokio::test]
async fn what_has_ended_or_never_was_is_no_error() {
    let rig = Rig::new().await;
    assert_eq!(disconnect(&rig, &rig.till).await, 204);
    rig.connected().await;
    let stranger = rig.add_till("somebody else").await;
    assert_eq!(disconnect(&rig, &stranger).await, 204);
    assert_eq!(
        rig.connection(&rig.till).await.status,
        200,
        "another's stays"
    );
    for _ in 0..3 {
        assert_eq!(disconnect(&rig, &rig.till).await, 204);
    }
    assert_eq!(revocations(&rig).len(), 1);
    assert_eq!(disconnect(&rig, "no-key").await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_cannot_be_reached_is_asked_until_it_has_confirmed() {
    let keen = Settings {
        tend_every: Duration::from_millis(100),
        ..settings()
    };
    let rig = Rig::with(keen, patience()).await;
    rig.connected().await;
    let down = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::Instead(503, "", String::new()),
    ];
    rig.proxy.faults(path::REVOKE, down.into());
    assert_eq!(disconnect(&rig, &rig.till).await, 202);
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], false);
    assert_eq!(rig.order().await.code(), "connection_ended");
    until(async || revocations(&rig).len() > 3).await;
    assert_eq!(disconnect(&rig, &rig.till).await, 204);
    let revoked = revocations(&rig);
    assert!(revoked.iter().all(|token| *token == revoked[0]));
    assert!(!is_alive(&rig, &revoked[0]).await);
}

/// A pair that is just being replaced must not be revoked: the new one would live on.
#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_in_the_air_brings_nothing_back() {
    for delay in [0, 30, 200] {
        let rig = Arc::new(Rig::new().await);
        rig.connected().await;
        rig.service.pass(Duration::from_secs(3600));
        let late = Duration::from_millis(150);
        rig.proxy.faults(path::TOKEN, vec![Fault::Late(late)]);
        let ordering = {
            let rig = rig.clone();
            tokio::spawn(async move { rig.order().await.status })
        };
        tokio::time::sleep(Duration::from_millis(delay)).await;
        assert_eq!(disconnect(&rig, &rig.till).await, 204);
        ordering.await.unwrap();
        assert_eq!(rig.connection(&rig.till).await.json()["connected"], false);
        let refreshes = rig.proxy.seen("POST", path::TOKEN);
        let revoked = revocations(&rig);
        assert_eq!(revoked.len(), 1, "{delay}");
        for spent in &refreshes {
            let spent = value(&spent.body, parameter::REFRESH_TOKEN);
            assert_ne!(spent, revoked[0], "{delay}: a spent token was revoked");
        }
        assert!(!is_alive(&rig, &revoked[0]).await);
    }
}

#[tokio::test]
async fn the_merchant_can_connect_again() {
    let rig = Rig::with_connection().await;
    assert_eq!(disconnect(&rig, &rig.till).await, 204);
    rig.connected().await;
    assert_eq!(
        rig.connection(&rig.neighbor).await.json()["connected"],
        true
    );
    assert_eq!(disconnect(&rig, &rig.till).await, 204);
    assert_eq!(revocations(&rig).len(), 2);
}

/// What could not be revoked before the merchant connected again is revoked all the same.
#[tokio::test(flavor = "multi_thread")]
async fn connecting_again_does_not_forget_the_old_tokens() {
    let keen = Settings {
        tend_every: Duration::from_millis(100),
        ..settings()
    };
    let rig = Rig::with(settings(), patience()).await;
    rig.connected().await;
    rig.proxy
        .faults(path::REVOKE, (0..3).map(|_| Fault::DropBefore).collect());
    assert_eq!(disconnect(&rig, &rig.till).await, 202);
    rig.connected().await;
    let rig = rig.restart(keen).await;
    until(async || revocations(&rig).len() > 3).await;
    assert!(!is_alive(&rig, &revocations(&rig)[0]).await);
    assert_eq!(
        rig.connection(&rig.till).await.status,
        200,
        "the new one stays"
    );
}

/// Another till of the merchant connects, and the set with which the order left is revoked.
#[tokio::test(flavor = "multi_thread")]
async fn an_order_in_the_air_goes_with_the_connection_that_is_newer() {
    let rig = Arc::new(Rig::new().await);
    rig.connected().await;
    let gate = Gate::default();
    let held = vec![Fault::Gate(gate.clone())];
    rig.proxy.faults("/v1/orders", held);
    let ordering = {
        let rig = rig.clone();
        tokio::spawn(async move { rig.order().await })
    };
    gate.has_held(1).await;
    rig.connected().await;
    until(async || !revocations(&rig).is_empty()).await;
    assert!(!is_alive(&rig, &revocations(&rig)[0]).await);
    gate.open();
    let answer = ordering.await.unwrap();
    assert_eq!(
        answer.status, 415,
        "the service has seen it: {}",
        answer.body
    );
}

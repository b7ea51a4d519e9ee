//! Refreshing: in time, once, and never ahead of the disk.

use crate::http::Call;
use crate::proxy::{Fault, Gate};
use crate::rig::{Rig, settings};
use crate::world::until;
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::path;
use pos_connect_relay::Settings;
use pos_connect_relay::store::Actor;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// Orders are answered as the service would: only to a token that it still takes.
fn answer_orders(rig: &Rig) {
    rig.proxy.plan(|seen| match seen.path() {
        "/v1/orders" => Fault::Instead(200, "", "{}".into()),
        _ => Fault::None,
    });
}

fn bearers(rig: &Rig) -> Vec<String> {
    let orders = rig.proxy.seen("POST", "/v1/orders");
    let bearer = |seen: &crate::proxy::Seen| seen.header("authorization").unwrap().to_owned();
    orders.iter().map(bearer).collect()
}

fn refreshes(rig: &Rig) -> usize {
    rig.proxy.seen("POST", path::TOKEN).len()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_token_is_refreshed_once_however_many_want_it() {
    let rig = Arc::new(Rig::new().await);
    rig.connected().await;
    answer_orders(&rig);
    assert_eq!(rig.order().await.status, 200);
    rig.service.pass(HOUR);
    let orders = (0..8).map(|_| {
        let rig = rig.clone();
        tokio::spawn(async move { rig.order().await.status })
    });
    for order in orders.collect::<Vec<_>>() {
        assert_eq!(order.await.unwrap(), 200);
    }
    assert_eq!(refreshes(&rig), 1);
    assert_eq!(bearers(&rig).into_iter().collect::<HashSet<_>>().len(), 2);
    let seen = rig.proxy.seen("POST", path::TOKEN).remove(0);
    assert_eq!(
        seen.target,
        path::TOKEN,
        "the secret is in the body, not in the URL"
    );
    assert!(seen.body.contains("grant_type=refresh_token"));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_refreshed_before_it_expires_without_being_asked() {
    let keen = Settings {
        tend_every: Duration::from_millis(100),
        ..settings()
    };
    let rig = Rig::with(keen, crate::rig::patience()).await;
    rig.connected().await;
    let before = rig.connection(&rig.till).await.json();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(refreshes(&rig), 0);
    for round in 1..4 {
        rig.service.pass(Duration::from_secs(56 * 60));
        // Each pair works for the next refresh.
        until(async || refreshes(&rig) == round).await;
    }
    let after = rig.connection(&rig.till).await.json();
    assert!(after["expiration"].as_str() > before["expiration"].as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_wants_to_be_left_alone_is_not_asked_again_before() {
    let rig = Rig::with_connection().await;
    rig.proxy.plan(|seen| match seen.path() {
        "/v1/orders" => Fault::Instead(200, "", "{}".into()),
        path::TOKEN => Fault::Instead(503, "Retry-After: 60\r\n", "{}".into()),
        _ => Fault::None,
    });
    let order = async || {
        let status = rig.order().await.status;
        rig.relay.settle(Duration::from_secs(60)).await;
        (status, refreshes(&rig))
    };
    rig.service.pass(Duration::from_secs(56 * 60));
    assert_eq!([order().await, order().await], [(200, 1); 2]);
    rig.service.pass(Duration::from_secs(59));
    assert_eq!(order().await, (200, 1));
    rig.service.pass(Duration::from_secs(1));
    assert_eq!([order().await, order().await], [(200, 2); 2]);
    rig.service.pass(HOUR);
    assert_eq!([order().await, order().await], [(502, 3); 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_the_service_refuses_is_refreshed_and_the_call_sent_again() {
    let rig = Rig::with_connection().await;
    let mut first = true;
    rig.proxy.plan(move |seen| match seen.path() {
        "/v1/orders" if std::mem::take(&mut first) => Fault::Instead(401, "", String::new()),
        "/v1/orders" => Fault::Instead(200, "", "{}".into()),
        _ => Fault::None,
    });
    assert_eq!(rig.order().await.status, 200);
    let bearers = bearers(&rig);
    assert_ne!(bearers[0], bearers[1]);
    for (status, body, code) in [
        (401, r#"{"code":"invalid_token"}"#, "upstream_refused"),
        (401, "", "upstream_blocked"),
        (403, "<h1>Forbidden</h1>", "upstream_blocked"),
    ] {
        rig.proxy.plan(move |seen| match seen.path() {
            "/v1/orders" => Fault::Instead(status, "", body.into()),
            _ => Fault::None,
        });
        let refused = rig.order().await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (502, code),
            "never a 401: the till's key is fine"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_the_service_ended_is_said_to_be_ended() {
    let rig = Rig::with_connection().await;
    rig.proxy.plan(|seen| match seen.path() {
        "/v1/orders" => Fault::Instead(401, "", String::new()),
        path::TOKEN => Fault::Instead(400, "", r#"{"error":"invalid_grant"}"#.into()),
        _ => Fault::None,
    });
    let ended = rig.order().await;
    assert_eq!(
        (ended.status, ended.code().as_str()),
        (409, "connection_ended")
    );
    assert_eq!(rig.order().await.code(), "connection_ended");
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], false);
    rig.proxy.plan(|_| Fault::None);
    rig.connected().await;
    assert_eq!(
        rig.connection(&rig.till).await.status,
        200,
        "until it connects again"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_that_never_arrived_is_repeated() {
    let rig = Rig::with_connection().await;
    rig.service.pass(HOUR);
    let mut faults = vec![Fault::DropBefore, Fault::Instead(503, "", String::new())].into_iter();
    rig.proxy.plan(move |seen| match seen.path() {
        path::TOKEN => faults.next().unwrap_or(Fault::None),
        "/v1/orders" => Fault::Instead(200, "", "{}".into()),
        _ => Fault::None,
    });
    assert_eq!(rig.order().await.status, 200);
    assert_eq!(refreshes(&rig), 3);
}

/// The token of the last order is one that the service itself takes.
async fn assert_last_bearer_lives(rig: &Rig) {
    let bearer = bearers(rig).pop().unwrap();
    let account = Call::new("GET", path::ACCOUNT).header("Authorization", bearer);
    assert_eq!(account.send(rig.service.address).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_to_a_refresh_is_asked_for_again() {
    let rig = Rig::with_connection().await;
    for lost in [Fault::DropAfter, Fault::CutBody, Fault::Replaced(502)] {
        rig.service.pass(HOUR);
        let before = refreshes(&rig);
        let mut faults = vec![lost.clone()].into_iter();
        rig.proxy.plan(move |seen| match seen.path() {
            path::TOKEN => faults.next().unwrap_or(Fault::None),
            "/v1/orders" => Fault::Instead(200, "", "{}".into()),
            _ => Fault::None,
        });
        assert_eq!(rig.order().await.status, 200, "{lost:?}");
        let sent = rig.proxy.seen("POST", path::TOKEN).split_off(before);
        assert!(
            sent.len() == 2 && sent[0].body == sent[1].body,
            "the same refresh token"
        );
        assert_eq!((sent[0].answered, sent[1].answered), (200, 200));
        assert_last_bearer_lives(&rig).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answers_do_not_end_the_connection_however_many_and_over_a_restart() {
    let rig = Rig::with_connection().await;
    for _ in 0..2 {
        rig.service.pass(HOUR);
        rig.proxy.faults(path::TOKEN, vec![Fault::DropAfter; 3]);
        assert_eq!(rig.order().await.code(), "upstream_unavailable");
    }
    let rig = rig.restart(settings()).await;
    answer_orders(&rig);
    assert_eq!(rig.order().await.status, 200);
    assert_last_bearer_lives(&rig).await;
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_at_the_refresh_ends_nothing() {
    let rig = Rig::with_connection().await;
    rig.service.pass(HOUR);
    rig.proxy.faults(
        path::TOKEN,
        vec![Fault::DropBefore, Fault::DropBefore, Fault::DropBefore],
    );
    let outage = rig.order().await;
    assert_eq!(
        (outage.status, outage.code().as_str()),
        (502, "upstream_unavailable")
    );
    answer_orders(&rig);
    assert_eq!(rig.order().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refreshed_pair_survives_a_restart() {
    let rig = Rig::with_connection().await;
    rig.service.pass(HOUR);
    answer_orders(&rig);
    assert_eq!(rig.order().await.status, 200);
    let rig = rig.restart(settings()).await;
    rig.service.pass(HOUR);
    assert_eq!(rig.order().await.status, 200);
    assert_eq!(refreshes(&rig), 2);
}

/// Nobody waits for ever: the refresh goes on, and the next call has its pair.
#[tokio::test(flavor = "multi_thread")]
async fn an_order_waits_for_a_refresh_so_long_and_no_longer() {
    let rig = Rig::with_connection().await;
    let hasty = Settings {
        token_wait: Duration::from_millis(100),
        ..settings()
    };
    let rig = rig.restart(hasty).await;
    rig.service.pass(HOUR);
    let gate = Gate::default();
    let held = gate.clone();
    rig.proxy.plan(move |seen| match seen.path() {
        path::TOKEN => Fault::Gate(held.clone()),
        "/v1/orders" => Fault::Instead(200, "", "{}".into()),
        _ => Fault::None,
    });
    assert_eq!(rig.order().await.status, 504);
    gate.open();
    until(async || rig.order().await.status == 200).await;
}

/// An hour forward and back: a refresh more or less, and the one token set.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_jumps_costs_no_tokens() {
    let rig = Rig::new().await;
    let token = rig.connected().await;
    answer_orders(&rig);
    let hash = Hash::of(&token);
    for jump in ["forward", "back", "back", "forward", "forward"] {
        match jump {
            "forward" => rig.service.pass(HOUR),
            _ => rig.service.set_back(HOUR),
        }
        // Whoever works on it is not locked out by a lease of another hour.
        let store = &rig.relay.store;
        let lease = store.lease(&hash).await.unwrap();
        assert!(
            store
                .begin_call(&lease, Duration::from_secs(1))
                .await
                .unwrap()
        );
        drop(lease);
        assert_eq!(rig.order().await.status, 200, "{jump}");
        assert_eq!(rig.tokens(&token).await.status, 200, "{jump}");
        assert_eq!(
            rig.connection(&rig.till).await.json()["connected"],
            true,
            "{jump}"
        );
    }
    assert_eq!(rig.given(), 1);
    assert!((1..=2).contains(&refreshes(&rig)), "{}", refreshes(&rig));
}

/// The service refused the tokens for a while: it was restored from an older copy, and then from the right one.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_service_refused_for_a_while_is_taken_back() {
    let rig = Rig::with_connection().await;
    let merchant = "bakery";
    let (store, now) = (&rig.relay.store, rig.relay.clock.now());
    assert!(
        !store.take_back(merchant, now).await.unwrap(),
        "it is connected"
    );
    end(&rig).await;
    let set = store.connection(merchant).await.unwrap().unwrap();
    assert!(set.ended && set.can_be_taken_back && set.sealed_tokens.is_none());
    assert!(store.take_back(merchant, now).await.unwrap());
    assert!(!store.take_back(merchant, now).await.unwrap());
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
    let call = rig.call(&rig.till, "GET", "/v1/store");
    assert_eq!(call.send(rig.address).await.status, 200);

    // Seven days later they are gone, and so they are when the merchant was disconnected or has connected again.
    end(&rig).await;
    let (now, week) = (rig.relay.clock.now(), Duration::from_secs(7 * 24 * 3600));
    assert_eq!(store.forget_ended(now.before(week)).await.unwrap(), 0);
    let later = now.after(Duration::from_millis(1));
    assert_eq!(store.forget_ended(later).await.unwrap(), 1);
    assert!(!store.take_back(merchant, now).await.unwrap());
    rig.connected().await;
    end(&rig).await;
    store
        .disconnect(merchant, Actor::Operator, now)
        .await
        .unwrap();
    assert!(!store.take_back(merchant, now).await.unwrap());
    rig.connected().await;
    end(&rig).await;
    rig.connected().await;
    assert!(!store.take_back(merchant, now).await.unwrap());
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
}

/// The service refuses an order and the refresh.
async fn end(rig: &Rig) {
    rig.proxy.plan(|seen| match seen.path() {
        "/v1/orders" => Fault::Instead(401, "", String::new()),
        path::TOKEN => Fault::Instead(400, "", r#"{"error":"invalid_grant"}"#.into()),
        _ => Fault::None,
    });
    assert_eq!(rig.order().await.code(), "connection_ended");
    rig.proxy.plan(|_| Fault::None);
}

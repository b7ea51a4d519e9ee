//! What only several relays on one database can show.

use crate::on_server::{connect, end_failover, fail_over, fresh, named};
use crate::proxy::{Fault, Gate};
use crate::rig::{Rig, text};
use crate::world::{INTEGRATION, TOKEN, until};
use pos_connect_protocol::path;
use pos_connect_relay::store::{Opening, SCHEMA, Store};
use pos_connect_relay::upstream::Patience;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Never on SQLite, where these tests would show nothing.
async fn rig() -> Rig {
    named();
    Rig::new().await
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn the_named_server_can_be_used() {
    let url = fresh(&named()).await;
    let store = Store::open(&url, Opening::Prepare).await.unwrap();
    assert!(store.schema_version() > 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn two_relays_pick_up_once() {
    let rig = rig().await;
    let other = rig.replica().await;
    for round in 0..10 {
        let token = rig.finished().await;
        let faults = match round % 2 {
            0 => vec![Fault::Late(Duration::from_millis(100))],
            _ => vec![Fault::DropAfter],
        };
        rig.proxy.faults(TOKEN, faults);
        let before = rig.given();
        let calls = (0..16).map(|number| {
            let target = rig.target(TOKEN, &token);
            let call = rig.call(&rig.till, "GET", target);
            let address = if number % 2 == 0 { rig.address } else { other };
            tokio::spawn(async move { call.send(address).await })
        });
        let mut bodies = HashSet::new();
        for call in calls.collect::<Vec<_>>() {
            let answer = call.await.unwrap();
            assert_eq!(answer.status, 200, "{}", answer.body);
            bodies.insert(answer.body);
        }
        assert_eq!((bodies.len(), rig.given() - before), (1, 1));
    }
    // One for each lost answer: had both relays been at work, there would be more.
    assert_eq!(
        rig.proxy
            .seen("POST", path::INTEGRATION_TOKEN_REISSUE)
            .len(),
        5
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn two_relays_refresh_once() {
    let rig = rig().await;
    let other = rig.replica().await;
    rig.connected().await;
    for round in 1..=5 {
        rig.service.pass(Duration::from_secs(3600));
        rig.proxy.plan(|seen| match seen.path() {
            "/v1/orders" => Fault::Instead(200, "", "{}".into()),
            _ => Fault::Late(Duration::from_millis(50)),
        });
        let calls = (0..16).map(|number| {
            let call = rig.call(&rig.till, "POST", "/v1/orders").body("{}");
            let address = if number % 2 == 0 { rig.address } else { other };
            tokio::spawn(async move { call.send(address).await.status })
        });
        for call in calls.collect::<Vec<_>>() {
            assert_eq!(call.await.unwrap(), 200);
        }
        assert_eq!(rig.proxy.seen("POST", path::TOKEN).len(), round);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn what_one_relay_began_another_goes_on_with() {
    let rig = rig().await;
    let other = rig.replica().await;
    let created = rig.call(&rig.till, "POST", rig.target(crate::world::INTEGRATION, ""));
    let token = text(&created.send(other).await, "integrationToken");
    rig.service.finish(&token).await;
    assert_eq!(rig.tokens(&token).await.json()["held"], true);
    let elsewhere = rig
        .call(&rig.neighbor, "GET", "/connection")
        .send(other)
        .await;
    assert_eq!(elsewhere.json()["connected"], true);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn connections_that_break_come_back() {
    let rig = rig().await;
    rig.connected().await;
    for _ in 0..3 {
        forget_sessions(&rig).await;
        until(async || rig.connection(&rig.till).await.json()["connected"] == true).await;
        until(async || rig.ask(&rig.till, "POST", INTEGRATION, "").await.status == 200).await;
        rig.connected().await;
    }
}

/// Neither its pool's nor the one that its locks belong to.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_session_that_takes_no_writes_is_given_up() {
    let rig = rig().await;
    let token = rig.finished().await;
    fail_over(&rig.database).await;
    // The calls that meet a session that was ended, and then those that take no writes.
    for _ in 0..3 {
        assert_eq!(rig.tokens(&token).await.status, 503);
        let created = rig.ask(&rig.till, "POST", INTEGRATION, "").await;
        assert_eq!(created.status, 503);
    }
    end_failover(&rig.database).await;
    until(async || rig.tokens(&token).await.status == 200).await;
    until(async || rig.ask(&rig.till, "POST", INTEGRATION, "").await.status == 200).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn relays_that_look_after_a_set_at_once_refresh_it_once() {
    let rig = rig().await;
    rig.connected().await;
    let before = rig.proxy.seen("POST", path::TOKEN).len();
    rig.proxy.plan(|_| Fault::Late(Duration::from_millis(200)));
    let (stop, stopped) = tokio::sync::watch::channel(false);
    for _ in 0..4 {
        rig.tending_replica(stopped.clone()).await;
    }
    // Within the margin before the end of the access token: while one relay refreshes it, the others find it.
    rig.service.pass(Duration::from_secs(56 * 60));
    let refreshes = || rig.proxy.seen("POST", path::TOKEN).len() - before;
    until(async || refreshes() > 0).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    stop.send(true).unwrap();
    assert_eq!(refreshes(), 1);
}

/// A relay beside the first whose calls are soon over: for so long the others wait once it has lost its lease.
async fn brief(rig: &Rig) -> SocketAddr {
    let patience = Patience {
        call: Duration::from_secs(2),
        ..crate::rig::patience()
    };
    rig.replica_with(patience).await
}

/// What a failover does: the server forgets the sessions, and with them the locks.
async fn forget_sessions(rig: &Rig) {
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let admin = connect(&rig.database).await;
    admin.execute(kill, &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_lease_that_is_lost_while_a_refresh_is_on_its_way_costs_no_tokens() {
    let rig = rig().await;
    let brief = brief(&rig).await;
    rig.connected().await;
    for _ in 0..3 {
        rig.service.pass(Duration::from_secs(3600));
        let (gate, calls) = (Gate::default(), AtomicU32::new(0));
        let held = gate.clone();
        rig.proxy.plan(move |seen| match seen.path() {
            "/v1/orders" => Fault::Instead(200, "", "{}".into()),
            path::TOKEN if calls.fetch_add(1, Ordering::SeqCst) == 0 => Fault::Gate(held.clone()),
            _ => Fault::None,
        });
        let order = |address| {
            let call = rig.call(&rig.till, "POST", "/v1/orders").body("{}");
            tokio::spawn(async move { call.send(address).await.status })
        };
        let first = order(brief);
        gate.has_held(1).await;
        forget_sessions(&rig).await;
        let second = order(rig.address);
        // The first relay's call reaches the service after the lock is gone.
        gate.open();
        for answer in [first, second] {
            let status = answer.await.unwrap();
            // 504: the machine stalled for longer than the brief one waits.
            assert!([200, 503, 504].contains(&status), "{status}");
        }
        until(async || order(rig.address).await.unwrap() == 200).await;
    }
    rig.proxy.plan(|_| Fault::None);
    let (rig, store) = (&rig, "/v1/store");
    rig.service.pass(Duration::from_secs(3600));
    for address in [rig.address, brief] {
        let call = || rig.call(&rig.till, "GET", store);
        until(async || call().send(address).await.status == 200).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_lease_that_is_lost_while_a_pick_up_is_on_its_way_costs_no_tokens() {
    let rig = rig().await;
    let brief = brief(&rig).await;
    for has_come in [false, true] {
        let (token, gate) = (rig.finished().await, Gate::default());
        rig.proxy.faults(
            TOKEN,
            vec![match has_come {
                false => Fault::Gate(gate.clone()),
                true => Fault::LateGate(gate.clone()),
            }],
        );
        let ask = |address| {
            let call = rig.call(&rig.till, "GET", rig.target(TOKEN, &token));
            tokio::spawn(async move { call.send(address).await.status })
        };
        let first = ask(brief);
        gate.has_held(1).await;
        forget_sessions(&rig).await;
        let second = ask(rig.address);
        gate.open();
        for answer in [first, second] {
            let status = answer.await.unwrap();
            // 504: the machine stalled for longer than the brief one waits.
            assert!([200, 503, 504].contains(&status), "{status}");
        }
        until(async || ask(rig.address).await.unwrap() == 200).await;
        let call = || rig.call(&rig.till, "GET", "/v1/store");
        until(async || call().send(rig.address).await.status == 200).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn relays_that_start_together_migrate_once_and_a_schema_that_does_not_work_is_refused() {
    let url = fresh(&named()).await;
    // A command beside the relay makes nothing.
    let looked = Store::open(&url, Opening::Existing).await;
    assert!(looked.err().unwrap().to_string().contains("migrate"));
    let opened = (0..8).map(|_| {
        let url = url.clone();
        tokio::spawn(async move {
            Store::open(&url, Opening::Prepare)
                .await
                .map(|store| store.schema_version())
        })
    });
    for opened in opened.collect::<Vec<_>>() {
        assert_eq!(opened.await.unwrap().unwrap(), SCHEMA.postgres.latest());
    }
    assert!(Store::open(&url, Opening::Existing).await.is_ok());
    let admin = connect(&url).await;
    let added = "INSERT INTO pos_connect_relay.schema_version VALUES (99)";
    admin.batch_execute(added).await.unwrap();
    let beside = Store::open(&url, Opening::Prepare).await;
    assert_eq!(beside.unwrap().schema_version(), 99);
    let changed = "UPDATE pos_connect_relay.schema_version SET version = 99";
    admin.batch_execute(changed).await.unwrap();
    let refused = Store::open(&url, Opening::Prepare)
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(refused.contains("newer pos-connect-relay"), "{refused}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_without_the_password() {
    for url in [
        "postgres://user:hunter2@127.0.0.1:1/relay",
        "postgres://user:hunter2@127.0.0.1:hunter2/relay",
        "postgresql://user:hunter2@[",
    ] {
        let error = Store::open(url, Opening::Prepare)
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}

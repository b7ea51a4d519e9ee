//! Sizes, times, numbers.

use crate::http::{Call, Connection};
use crate::proxy::{Fault, Gate};
use crate::rig::{Rig, patience, settings};
use crate::world::{INTEGRATION, until};
use pos_connect_relay::Settings;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn a_body_may_be_as_long_as_the_limit_and_no_longer() {
    let small = Settings {
        body_limit: 1000,
        ..settings()
    };
    let rig = Rig::with(small, patience()).await;
    rig.connected().await;
    rig.proxy.plan(|seen| match seen.path() {
        "/v1/orders" => Fault::Instead(200, "", "{}".into()),
        _ => Fault::None,
    });
    for (length, status) in [(0, 200), (1000, 200), (1001, 413), (1_000_000, 413)] {
        let call = rig
            .call(&rig.till, "POST", "/v1/orders")
            .body("x".repeat(length));
        assert_eq!(call.send(rig.address).await.status, status, "{length}");
    }
    let mut connection = Connection::open(rig.address).await;
    let head = format!(
        "POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        rig.till
    );
    connection.write(head.as_bytes()).await;
    for _ in 0..3 {
        connection
            .write(format!("1f4\r\n{}\r\n", "x".repeat(500)).as_bytes())
            .await;
    }
    let answer = connection.read(false).await.unwrap();
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (413, "body_too_large")
    );
    assert_eq!(rig.proxy.seen("POST", "/v1/orders").len(), 2);
}

#[tokio::test]
async fn the_default_limit_is_1_mib() {
    let rig = Rig::new().await;
    for (length, code) in [(1_048_576, "not_connected"), (1_048_577, "body_too_large")] {
        let call = rig
            .call(&rig.till, "POST", "/v1/orders")
            .body("x".repeat(length));
        assert_eq!(call.send(rig.address).await.code(), code);
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let hasty = Settings {
        body_wait: Duration::from_millis(200),
        ..settings()
    };
    let rig = Rig::with(hasty, patience()).await;
    let mut connection = Connection::open(rig.address).await;
    let head = format!(
        "POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: 10\r\n\r\nhalf",
        rig.till
    );
    connection.write(head.as_bytes()).await;
    let answer = connection.read(false).await.unwrap();
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (408, "request_timeout")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_relay_says_so_and_is_still_healthy() {
    let narrow = Settings {
        requests: 2,
        ..settings()
    };
    let rig = Arc::new(Rig::with(narrow, patience()).await);
    let gate = Gate::default();
    let held = gate.clone();
    rig.proxy.plan(move |_| Fault::Gate(held.clone()));
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let rig = rig.clone();
            tokio::spawn(async move { rig.ask(&rig.till, "POST", INTEGRATION, "").await.status })
        })
        .collect();
    gate.has_held(2).await;
    let full = rig.ask(&rig.till, "POST", INTEGRATION, "").await;
    assert_eq!((full.status, full.code().as_str()), (503, "unavailable"));
    assert_eq!(full.header("retry-after"), Some("1"));
    for path in ["/healthz", "/readyz"] {
        assert_eq!(Call::new("GET", path).send(rig.address).await.status, 200);
    }
    gate.open();
    for waiting in waiting {
        assert_eq!(waiting.await.unwrap(), 200);
    }
}

/// The service hangs, and a page, or a thief with its key, calls without end.
#[tokio::test(flavor = "multi_thread")]
async fn a_till_takes_no_more_than_its_share() {
    let rig = Arc::new(Rig::new().await);
    let gate = Gate::default();
    let held = gate.clone();
    rig.proxy.plan(move |_| Fault::Gate(held.clone()));
    let create = |key: &str| {
        let (rig, key) = (rig.clone(), key.to_owned());
        tokio::spawn(async move { rig.ask(&key, "POST", INTEGRATION, "").await.status })
    };
    let mut waiting: Vec<_> = (0..8).map(|_| create(&rig.till)).collect();
    gate.has_held(8).await;
    let refused = rig.connection(&rig.till).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (429, "slow_down")
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    waiting.push(create(&rig.neighbor));
    gate.has_held(1).await;
    assert_eq!(rig.connection(&rig.neighbor).await.status, 200);
    gate.open();
    for waiting in waiting {
        assert_eq!(waiting.await.unwrap(), 200);
    }
    assert_eq!(rig.connection(&rig.till).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_to_the_service_wait_their_turn_within_their_own_time() {
    let narrow = pos_connect_relay::upstream::Patience {
        concurrency: 1,
        call: Duration::from_secs(2),
        ..patience()
    };
    let rig = Arc::new(Rig::with(settings(), narrow).await);
    rig.proxy.plan(|_| Fault::Late(Duration::from_millis(900)));
    // A machine that stalls may answer none in time: then once more.
    until(async || {
        let calls: Vec<_> = (0..4)
            .map(|_| {
                let rig = rig.clone();
                tokio::spawn(
                    async move { rig.ask(&rig.till, "POST", INTEGRATION, "").await.status },
                )
            })
            .collect();
        let mut statuses = Vec::new();
        for call in calls {
            statuses.push(call.await.unwrap());
        }
        let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!(count(200) + count(504), 4, "{statuses:?}");
        count(200) >= 1 && count(504) >= 2
    })
    .await;
}

#[tokio::test]
async fn a_till_creates_so_many_in_a_minute_and_takes_nothing_from_another() {
    let narrow = Settings {
        creates_per_till: 3,
        ..settings()
    };
    let rig = Rig::with(narrow, patience()).await;
    for _ in 0..3 {
        rig.create().await;
    }
    let refused = rig.ask(&rig.till, "POST", INTEGRATION, "").await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (429, "slow_down")
    );
    assert_eq!(refused.header("retry-after"), Some("20"));
    assert_eq!(
        rig.proxy.seen("POST", INTEGRATION).len(),
        3,
        "the service hears nothing of it"
    );
    assert_eq!(
        rig.ask(&rig.neighbor, "POST", INTEGRATION, "").await.status,
        200
    );
    rig.service.pass(Duration::from_secs(20));
    rig.create().await;
    assert_eq!(
        rig.ask(&rig.till, "POST", INTEGRATION, "").await.status,
        429
    );
}

#[tokio::test]
async fn readiness_follows_the_database() {
    let rig = Rig::on_sqlite().await;
    let ready = || Call::new("GET", "/readyz").send(rig.address);
    assert_eq!(ready().await.status, 200);
    let other = rusqlite::Connection::open(rig.folder.path().join("test.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    until(async || ready().await.status == 503).await;
    assert_eq!(ready().await.code(), "unavailable");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ready().await.status, 200);
}

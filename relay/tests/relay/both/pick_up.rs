//! The one pick-up: shared, written down before it is sent, cured when its answer is lost.

use crate::proxy::{Fault, Gate, Seen};
use crate::rig::{Rig, hasty, patience, settings};
use crate::world::{INTEGRATION, TOKEN, target, until};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::path::INTEGRATION_TOKEN_REISSUE as REISSUE;
use pos_connect_relay::Settings;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

fn pickup_ids(seen: &[Seen]) -> HashSet<String> {
    let id = |seen: &Seen| seen.target.split("pickup_id=").nth(1).map(str::to_owned);
    seen.iter().filter_map(id).collect()
}

/// Every way to lose an answer, and what each must leave behind.
fn losses() -> Vec<Vec<Fault>> {
    let late = || Fault::Late(Duration::from_secs(600));
    vec![
        vec![Fault::DropBefore],
        vec![Fault::DropAfter],
        vec![Fault::CutBody],
        vec![late()],
        vec![Fault::Instead(503, "", String::new())],
        vec![Fault::Replaced(500)],
        vec![Fault::Replaced(502)],
        vec![Fault::Instead(429, "Retry-After: 1\r\n", String::new())],
        vec![Fault::Instead(200, "", "<html>maintenance</html>".into())],
        vec![
            Fault::DropBefore,
            Fault::DropAfter,
            Fault::DropBefore,
            Fault::CutBody,
        ],
        vec![Fault::Replaced(503), late()],
        // Somebody on the way: the service's own refusals have a code.
        vec![Fault::Instead(403, "", "<html>firewall</html>".into())],
        vec![Fault::Replaced(404), Fault::Replaced(404)],
        vec![Fault::Replaced(405)],
        vec![Fault::Replaced(410), Fault::Instead(410, "", "{}".into())],
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pick_up_that_is_open_is_not_forgotten() {
    let impatient = Settings {
        pickup_attempts: 2,
        tend_every: Duration::from_secs(3600),
        ..settings()
    };
    let rig = Rig::with(impatient, patience()).await;
    let (token, idle) = (rig.finished().await, rig.create().await);
    rig.proxy
        .faults(TOKEN, vec![Fault::DropAfter, Fault::DropBefore]);
    assert_eq!(rig.tokens(&token).await.status, 502);
    let forgotten = rig.relay.store.purge(Timestamp(i64::MAX)).await.unwrap();
    assert_eq!(forgotten, 1);
    assert_eq!(
        rig.ask(&rig.till, "GET", INTEGRATION, &idle).await.status,
        403
    );
    assert_eq!(rig.tokens(&token).await.json()["held"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_cured_and_the_service_gives_once() {
    let (late, others): (Vec<_>, Vec<_>) = losses()
        .into_iter()
        .partition(|faults| matches!(faults.last(), Some(Fault::Late(_))));
    cures(Rig::new().await, others).await;
    cures(Rig::with(settings(), hasty()).await, late).await;
}

async fn cures(rig: Rig, losses: Vec<Vec<Fault>>) {
    for faults in losses {
        let token = rig.finished().await;
        let (given, ids) = (rig.given(), pickup_ids(&rig.proxy.seen("GET", TOKEN)));
        let what = format!("{faults:?}");
        rig.proxy.faults(TOKEN, faults);
        let answer = rig.tokens(&token).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.body);
        assert_eq!(answer.json()["held"], true);
        assert_eq!(rig.given() - given, 1, "{what}");
        let now = pickup_ids(&rig.proxy.seen("GET", TOKEN));
        assert_eq!(
            now.difference(&ids).count(),
            1,
            "one pickup_id for all its calls"
        );
        // What is kept is what works.
        rig.proxy.plan(|_| Fault::None);
        assert_eq!(whoami(&rig).await, 200, "{what}");
    }
}

/// Uses the kept access token as the service's own account call does.
async fn whoami(rig: &Rig) -> u16 {
    let used = Arc::new(std::sync::Mutex::new(String::new()));
    let note = used.clone();
    rig.proxy.plan(move |seen| {
        if seen.path() == "/v1/orders" {
            *note.lock().unwrap() = seen.header("authorization").unwrap().to_owned();
            return Fault::Instead(200, "", "{}".into());
        }
        Fault::None
    });
    assert_eq!(rig.order().await.status, 200);
    let bearer = used.lock().unwrap().clone();
    let call = crate::http::Call::new("GET", "/v1/account").header("Authorization", bearer);
    call.send(rig.service.address).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reissue_is_cured_too() {
    let rig = Rig::new().await;
    let token = rig.finished().await;
    let (mut first, mut second) = (true, true);
    rig.proxy.plan(move |seen| match seen.path() {
        TOKEN if seen.method == "GET" && std::mem::take(&mut first) => Fault::DropAfter,
        REISSUE if std::mem::take(&mut second) => Fault::CutBody,
        _ => Fault::None,
    });
    assert_eq!(rig.tokens(&token).await.json()["held"], true);
    assert_eq!((rig.given(), rig.proxy.seen("POST", REISSUE).len()), (1, 2));
    assert_eq!(whoami(&rig).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_are_one_pick_up() {
    let rig = Arc::new(Rig::new().await);
    let token = rig.finished().await;
    rig.proxy
        .faults(TOKEN, vec![Fault::Late(Duration::from_millis(300))]);
    let calls = (0..8).map(|_| {
        let (rig, token) = (rig.clone(), token.clone());
        tokio::spawn(async move { rig.tokens(&token).await })
    });
    let mut bodies = HashSet::new();
    for call in calls.collect::<Vec<_>>() {
        let answer = call.await.unwrap();
        assert_eq!(answer.status, 200);
        bodies.insert(answer.body);
    }
    assert_eq!((bodies.len(), rig.proxy.seen("GET", TOKEN).len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_till_that_leaves_does_not_stop_it() {
    let narrow = Settings {
        requests: 1,
        ..settings()
    };
    let rig = Rig::with(narrow, patience()).await;
    let token = rig.finished().await;
    let gate = Gate::default();
    rig.proxy.faults(TOKEN, vec![Fault::LateGate(gate.clone())]);
    tokio::select! {
        answer = rig.tokens(&token) => panic!("{}", answer.body),
        () = gate.has_held(1) => {}
    }
    // The relay has noticed.
    until(async || rig.connection(&rig.neighbor).await.status == 200).await;
    gate.open();
    rig.come_connected().await;
    assert_eq!(rig.given(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_reissue_a_loss_is_said_and_stays_said() {
    let rig = Rig::new().await;
    rig.proxy.plan(|_| Fault::Without(r#","pickup":true"#));
    let token = rig.create().await;
    rig.service.finish(&token).await;
    rig.proxy.faults(TOKEN, vec![Fault::DropAfter]);
    for _ in 0..2 {
        let lost = rig.tokens(&token).await;
        assert_eq!(
            (lost.status, lost.code().as_str()),
            (410, "tokens_already_retrieved")
        );
    }
    let seen = rig.proxy.seen("GET", TOKEN);
    assert_eq!(
        (seen.len(), pickup_ids(&seen).len()),
        (2, 0),
        "it is not asked for what it does not know"
    );
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rival_with_our_keys_is_noticed() {
    let rig = Rig::new().await;
    let token = rig.finished().await;
    let theirs = crate::http::Call::new("GET", target(TOKEN, &rig.service.vendor, &token));
    assert_eq!(theirs.send(rig.service.address).await.status, 200);
    let lost = rig.tokens(&token).await;
    assert_eq!(
        (lost.status, lost.code().as_str()),
        (410, "tokens_already_retrieved")
    );
    assert!(rig.proxy.seen("POST", REISSUE).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_opened_a_pick_up_is_erased_when_it_is_over() {
    let rig = Rig::new().await;
    let (kept, lost) = (rig.finished().await, rig.finished().await);
    assert_eq!(rig.tokens(&kept).await.status, 200);
    let theirs = crate::http::Call::new("GET", target(TOKEN, &rig.service.vendor, &lost));
    assert_eq!(theirs.send(rig.service.address).await.status, 200);
    assert_eq!(rig.tokens(&lost).await.status, 410);
    for token in [kept, lost] {
        let found = rig.relay.store.integration(&Hash::of(&token)).await;
        let found = found.unwrap().unwrap();
        assert_eq!(
            (
                found.sealed_token.len(),
                found.sealed_pickup.map(|id| id.len())
            ),
            (0, Some(0)),
            "{:?}",
            found.pickup
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_outage_is_answered_and_the_pick_up_goes_on_by_itself() {
    let patient = Settings {
        pickup_attempts: 2,
        tend_every: Duration::from_millis(200),
        ..settings()
    };
    let rig = Rig::with(patient, crate::rig::patience()).await;
    let token = rig.finished().await;
    rig.proxy
        .faults(TOKEN, vec![Fault::DropAfter, Fault::DropBefore]);
    let outage = rig.tokens(&token).await;
    assert_eq!(
        (outage.status, outage.code().as_str()),
        (502, "upstream_unavailable")
    );
    assert_eq!(outage.header("retry-after"), Some("1"));
    // Without being asked again.
    rig.come_connected().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_pick_up_goes_on_after_a_restart() {
    let once = Settings {
        pickup_attempts: 1,
        ..settings()
    };
    let rig = Rig::with(once, crate::rig::patience()).await;
    let token = rig.finished().await;
    rig.proxy.faults(TOKEN, vec![Fault::DropAfter]);
    assert_eq!(rig.tokens(&token).await.status, 502);
    let rig = rig.restart(settings()).await;
    rig.come_connected().await;
    assert_eq!(rig.given(), 1);
    assert_eq!(pickup_ids(&rig.proxy.seen("GET", TOKEN)).len(), 1);
    assert_eq!(rig.tokens(&token).await.json()["held"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_service_keeps_no_till_waiting_for_ever() {
    let hasty = Settings {
        token_wait: Duration::from_millis(200),
        ..settings()
    };
    let rig = Rig::with(hasty, crate::rig::patience()).await;
    let token = rig.finished().await;
    let gate = Gate::default();
    rig.proxy.faults(TOKEN, vec![Fault::Gate(gate.clone())]);
    let slow = rig.tokens(&token).await;
    assert_eq!(
        (slow.status, slow.code().as_str()),
        (504, "upstream_timeout")
    );
    gate.open();
    rig.come_connected().await;
    until(async || rig.tokens(&token).await.status == 200).await;
    assert_eq!(rig.proxy.seen("GET", TOKEN).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_has_it_before_the_till_hears_of_it() {
    let rig = Rig::on_sqlite().await;
    let token = rig.finished().await;
    let other = rusqlite::Connection::open(rig.folder.path().join("test.db")).unwrap();
    let held_up = Arc::new(std::sync::Mutex::new(other));
    let blocker = held_up.clone();
    rig.proxy.plan(move |seen| {
        if seen.method == "GET" && seen.path() == TOKEN {
            blocker
                .lock()
                .unwrap()
                .execute_batch("BEGIN IMMEDIATE")
                .unwrap();
        }
        Fault::None
    });
    let early = tokio::time::timeout(Duration::from_millis(700), rig.tokens(&token)).await;
    assert!(early.is_err(), "answered before it was kept");
    held_up.lock().unwrap().execute_batch("ROLLBACK").unwrap();
    rig.proxy.plan(|_| Fault::None);
    assert_eq!(rig.tokens(&token).await.status, 200);
    assert_eq!((rig.given(), rig.proxy.seen("GET", TOKEN).len()), (1, 1));
}

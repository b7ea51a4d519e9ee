//! Many at once.

use crate::both::orders::{order, with_body};
use crate::folder::Folder;
use crate::http::{Answer, Call, Connection};
use crate::world::{ACCOUNT, EMAIL, INTEGRATION, PASSWORD, TOKEN, World, until};
use pos_connect_service::Settings;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::Barrier;

const ROUNDS: usize = 50;
const CALLERS: usize = 50;

/// For `hang_up`.
pub fn one_at_a_time() -> Settings {
    Settings {
        requests: 1,
        ..Settings::default()
    }
}

/// Hangs up while the service is at a call, and waits until it has noticed. It answers one request at a time.
pub async fn hang_up(world: &World, call: impl AsyncFn() -> Answer) {
    let is_full = async || world.send(Call::new("GET", ACCOUNT)).await.status == 503;
    let is_free = async || !is_full().await;
    loop {
        // A look that was dropped may still have the place.
        until(&is_free).await;
        tokio::select! {
            // Our own look had the place.
            answer = call() => assert_eq!(answer.status, 503, "{}", answer.body),
            () = until(&is_full) => break,
        }
    }
    until(&is_free).await;
}

/// Everybody calls at the same moment, round after round; gives the statuses of each round.
async fn race(world: &Arc<World>, tokens: Arc<Vec<String>>) -> Vec<Vec<u16>> {
    let start = Arc::new(Barrier::new(CALLERS));
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (world, tokens, start) = (world.clone(), tokens.clone(), start.clone());
            tokio::spawn(async move {
                let mut connection = Connection::open(world.address).await;
                let mut statuses = Vec::new();
                for token in tokens.iter() {
                    start.wait().await;
                    statuses.push(
                        connection
                            .send(world.prepared("GET", TOKEN, token))
                            .await
                            .status,
                    );
                }
                statuses
            })
        })
        .collect();
    let mut rounds = vec![Vec::new(); tokens.len()];
    for caller in callers {
        for (round, status) in rounds.iter_mut().zip(caller.await.unwrap()) {
            round.push(status);
        }
    }
    rounds
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_pickups_exactly_one_succeeds() {
    let world = Arc::new(World::new().await);
    let mut tokens = Vec::new();
    for _ in 0..ROUNDS {
        tokens.push(world.finished().await);
    }
    let rounds = race(&world, Arc::new(tokens)).await;
    for round in &rounds {
        assert_eq!(round.iter().filter(|status| **status == 200).count(), 1);
        assert_eq!(
            round.iter().filter(|status| **status == 410).count(),
            CALLERS - 1
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_till_that_went_away_while_its_claim_waited_can_ask_again() {
    let world = World::made(Folder::new(), one_at_a_time()).await;
    let token = world.finished().await;
    let database = rusqlite::Connection::open(world.folder.path().join("test.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    hang_up(&world, async || world.token(&token).await).await;
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(world.token(&token).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_finish_and_cancel_exactly_one_wins() {
    let world = Arc::new(World::new().await);
    for _ in 0..40 {
        let token = world.create().await;
        let finishing = {
            let (world, token) = (world.clone(), token.clone());
            tokio::spawn(async move { world.finish(&token).await })
        };
        let cancelled = world.call("DELETE", INTEGRATION, &token).await.status == 204;
        let finished = finishing.await.unwrap();
        assert_ne!(finished, cancelled);
        let expected = if finished { "finished" } else { "cancelled" };
        assert_eq!(world.status(&token).await.json()["status"], expected);
        assert_eq!(
            world.token(&token).await.status,
            if finished { 200 } else { 409 }
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_sent_twenty_times_at_once_counts_once() {
    let world = Arc::new(World::new().await);
    let token = world.create().await;
    let page = world.open_connect(&token).await;
    let consent = world.sign_in(&page, EMAIL, PASSWORD).await;
    let store = consent.stores().remove(1);
    let mut sent = Vec::new();
    for _ in 0..20 {
        let call = world.form(&consent, &[("action", "connect"), ("store", &store)]);
        let address = world.address;
        sent.push(tokio::spawn(async move { call.send(address).await }));
    }
    let mut pages = Vec::new();
    for answer in sent {
        let answer = answer.await.unwrap();
        assert_eq!(answer.status, 200);
        pages.push(answer.data("page"));
    }
    assert!(pages.iter().any(|page| page == "finished"));
    assert!(
        pages
            .iter()
            .all(|page| page == "finished" || page == "sign-in"),
        "{pages:?}"
    );
    assert_eq!(world.status(&token).await.json()["status"], "finished");
}

/// Two bodies under one key: whichever comes first is the call, and the other one is told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_bodies_under_one_key_exactly_one_wins() {
    let (world, access) = World::connected().await;
    for round in 0..20 {
        let calls = (0..20).map(|client| {
            // No two externalIds of a round and side are the same order: only the key can tell them apart.
            let body = order(&format!("{round}-{}", ["a", "b"][client % 2]));
            let call = with_body("POST", "/v1/orders", &access, &body);
            let call = call.header("Idempotency-Key", format!("key-{round}"));
            tokio::spawn(call.send(world.address))
        });
        let mut winners = HashSet::new();
        let (mut done, mut refused) = (0, 0);
        for call in calls.collect::<Vec<_>>() {
            let answer = call.await.unwrap();
            match answer.status {
                200 => {
                    done += 1;
                    winners.insert(answer.json()["order"]["externalId"].to_string());
                }
                _ => {
                    refused += 1;
                    let refusal = (answer.status, answer.code());
                    assert_eq!(refusal, (422, "idempotency_key_reused".into()));
                }
            }
        }
        assert_eq!((winners.len(), done, refused), (1, 10, 10));
        assert_eq!(world.rows("store_order").await, round + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_changes_under_one_key_exactly_one_is_made() {
    let (world, access) = World::connected().await;
    for (method, path, bodies) in [
        (
            "PATCH",
            "/v1/store",
            [json!({"name": "a"}), json!({"name": "b"})],
        ),
        (
            "POST",
            "/v1/customers",
            [
                json!({"customers": [{"externalId": "1", "name": "a"}]}),
                json!({"customers": [{"externalId": "2", "name": "b"}]}),
            ],
        ),
    ] {
        for round in 0..10 {
            let calls = (0..20).map(|client| {
                let call = with_body(method, path, &access, &bodies[client % 2]);
                let call = call.header("Idempotency-Key", format!("key-{round}"));
                tokio::spawn(call.send(world.address))
            });
            let mut statuses = Vec::new();
            for call in calls.collect::<Vec<_>>() {
                statuses.push(call.await.unwrap().status);
            }
            let count = |status| statuses.iter().filter(|&&seen| seen == status).count();
            assert_eq!((count(200), count(422)), (10, 10), "{path}: {statuses:?}");
        }
    }
}

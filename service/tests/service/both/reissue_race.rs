//! Pick-ups, reissues and first uses at the same moment: never two pairs that are valid.

use crate::both::race::{hang_up, one_at_a_time};
use crate::folder::Folder;
use crate::http::{Answer, Call, Connection};
use crate::tokens::{self, Pair, pickup_id};
use crate::world::World;
use std::sync::Arc;
use tokio::sync::Barrier;

/// Sends all calls at the same moment, each on a connection of its own.
async fn at_once(world: &Arc<World>, calls: Vec<Call>) -> Vec<Answer> {
    let start = Arc::new(Barrier::new(calls.len()));
    let sent: Vec<_> = calls
        .into_iter()
        .map(|call| {
            let (address, start) = (world.address, start.clone());
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await;
                start.wait().await;
                connection.send(call).await
            })
        })
        .collect();
    let mut answers = Vec::new();
    for answer in sent {
        answers.push(answer.await.unwrap());
    }
    answers
}

fn pairs(answers: &[Answer]) -> Vec<Pair> {
    let given = answers.iter().filter(|answer| answer.status == 200);
    given.map(Pair::of).collect()
}

/// Exactly one of several pairs lives, in both of its halves. Uses it up.
async fn assert_one_lives(world: &World, pairs: &[Pair]) {
    let live: Vec<Pair> = world.live(pairs).await.into_iter().cloned().collect();
    assert_eq!(
        live.len(),
        1,
        "{} of {} pairs are valid",
        live.len(),
        pairs.len()
    );
    for pair in pairs.iter().filter(|pair| **pair != live[0]) {
        assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_grant");
    }
    assert_eq!(world.refresh(&live[0].refresh).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_reissues_three_succeed_and_the_last_ones_pair_lives() {
    let world = Arc::new(World::new().await);
    for _ in 0..10 {
        let (token, pickup, first) = world.picked_up().await;
        let calls = vec![tokens::reissue(&world.vendor, &token, &pickup); 50];
        let answers = at_once(&world, calls).await;
        let mut given = pairs(&answers);
        assert_eq!(given.len(), 3);
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (409, "reissue_exhausted")
            );
        }
        given.push(first);
        assert_one_lives(&world, &given).await;
    }
}

/// 50 integrations, 20 callers each: half pick up, half reissue, without waiting for each other.
#[tokio::test(flavor = "multi_thread")]
async fn pick_ups_and_reissues_mixed_leave_one_pair() {
    let world = Arc::new(World::new().await);
    for round in 0..50 {
        let (token, pickup) = (world.finished().await, pickup_id());
        let calls = (0..20).map(|caller| match (caller + round) % 2 {
            0 => tokens::pick_up(&world.vendor, &token, &pickup),
            _ => tokens::reissue(&world.vendor, &token, &pickup),
        });
        let calls: Vec<Call> = calls.collect();
        let asked: Vec<bool> = (0..20).map(|caller| (caller + round) % 2 == 0).collect();
        let answers = at_once(&world, calls).await;
        let claims = asked
            .iter()
            .zip(&answers)
            .filter(|(claim, answer)| **claim && answer.status == 200);
        assert_eq!(claims.count(), 1, "one pick-up");
        let given = pairs(&answers);
        assert!((1..=4).contains(&given.len()));
        for (claim, answer) in asked
            .iter()
            .zip(&answers)
            .filter(|(_, answer)| answer.status != 200)
        {
            let code = answer.code();
            match claim {
                true => assert_eq!(
                    (&*code, &answer.json()["pickup"]),
                    ("tokens_already_retrieved", &"yours".into())
                ),
                false => assert!(
                    ["tokens_not_retrieved", "reissue_exhausted"].contains(&&*code),
                    "{code}"
                ),
            }
        }
        assert_one_lives(&world, &given).await;
    }
}

/// Whoever commits first wins: a used pair is never replaced, and a replaced one is never used.
#[tokio::test(flavor = "multi_thread")]
async fn a_first_use_and_a_reissue_never_both_succeed() {
    let world = Arc::new(World::new().await);
    let (mut used, mut replaced) = (0, 0);
    for round in 0..60 {
        let (token, pickup, pair) = world.picked_up().await;
        let use_it = match round % 2 {
            0 => tokens::account(&pair.access),
            _ => tokens::refresh(&world.vendor, &pair.refresh),
        };
        let mut calls = vec![use_it, tokens::reissue(&world.vendor, &token, &pickup)];
        if round % 3 == 0 {
            calls.reverse();
        }
        let answers = at_once(&world, calls).await;
        let codes: Vec<String> = answers.iter().map(Answer::code).collect();
        let won = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!(won, 1, "{codes:?}");
        match codes.iter().any(|code| code == "reissue_used") {
            true => used += 1,
            false => replaced += 1,
        }
        assert!(
            codes
                .iter()
                .any(|code| ["reissue_used", "invalid_token", "invalid_grant"].contains(&&**code))
        );
    }
    assert_eq!(used + replaced, 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_till_that_went_away_while_its_reissue_waited_used_none_up() {
    let world = World::made(Folder::new(), one_at_a_time()).await;
    let (token, pickup, pair) = world.picked_up().await;
    let database = rusqlite::Connection::open(world.folder.path().join("test.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    hang_up(&world, async || world.reissue(&token, &pickup).await).await;
    hang_up(&world, async || world.refresh(&pair.refresh).await).await;
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(
        world.account(&pair.access).await.status,
        200,
        "nothing was replaced"
    );
    assert_eq!(
        world.refresh(&pair.refresh).await.status,
        200,
        "nothing was spent"
    );
}

//! A refresh token that comes again: it cures a lost answer, and ends what is in two hands.

use crate::http::Connection;
use crate::tokens::{Pair, account, refresh};
use crate::world::World;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test(flavor = "multi_thread")]
async fn after_fifty_refreshes_with_one_token_one_pair_lives() {
    let world = std::sync::Arc::new(World::new().await);
    let (_, _, pair) = world.picked_up().await;
    let start = std::sync::Arc::new(tokio::sync::Barrier::new(50));
    let callers: Vec<_> = (0..50)
        .map(|_| {
            let (world, start, token) = (world.clone(), start.clone(), pair.refresh.clone());
            tokio::spawn(async move {
                let mut connection = Connection::open(world.address).await;
                start.wait().await;
                connection.send(refresh(&world.vendor, &token)).await
            })
        })
        .collect();
    let mut pairs = vec![pair];
    for caller in callers {
        pairs.push(Pair::of(&caller.await.unwrap()));
    }
    let live = world.live(&pairs).await;
    assert_eq!(live.len(), 1);
    assert_eq!(world.refresh(&live[0].refresh).await.status, 200);
}

#[tokio::test]
async fn a_lost_answer_is_cured_by_asking_again() {
    let world = World::new().await;
    let (token, pickup, first) = world.picked_up().await;
    assert_eq!(world.account(&first.access).await.status, 200);
    let mut pairs = vec![first.clone()];
    for _ in 0..5 {
        pairs.push(Pair::of(&world.refresh(&first.refresh).await));
    }
    let world = world.restart().await;
    pairs.push(Pair::of(&world.refresh(&first.refresh).await));
    for replaced in &pairs[1..6] {
        let refused = world.refresh(&replaced.refresh).await;
        assert_eq!(refused.code(), "invalid_grant", "a replaced pair is dead");
    }
    let reissue = world.reissue(&token, &pickup).await;
    assert_eq!(reissue.code(), "reissue_used");
    assert_eq!(world.live(&pairs).await, [&pairs[6]], "and nothing else");
}

/// Each leaves a row for 90 days: who holds a secret and one token set must not fill the disk with them.
#[tokio::test]
async fn a_token_set_is_refreshed_so_often_and_no_more() {
    let world = World::new().await;
    for is_lost in [false, true] {
        let (_, _, first) = world.picked_up().await;
        let (_, _, beside) = world.picked_up().await;
        let mut last = first.clone();
        for _ in 0..100 {
            let sent = if is_lost { &first } else { &last };
            last = Pair::of(&world.refresh(&sent.refresh).await);
        }
        let sent = if is_lost { &first } else { &last }.refresh.clone();
        let rows = world.rows("spent_refresh").await;
        for _ in 0..3 {
            let refused = world.refresh(&sent).await;
            assert_eq!((refused.status, &*refused.code()), (429, "slow_down"));
            assert!(refused.header("retry-after").is_some());
        }
        assert_eq!(world.rows("spent_refresh").await, rows);
        assert_eq!(world.refresh(&beside.refresh).await.status, 200);
        world.pass(Duration::from_secs(60));
        last = Pair::of(&world.refresh(&sent).await);
        // What is in two hands ends all the same.
        assert_eq!(world.account(&last.access).await.status, 200);
        assert_eq!(world.refresh(&first.refresh).await.code(), "invalid_grant");
        assert_eq!(world.account(&last.access).await.status, 401);
    }
}

#[tokio::test]
async fn once_the_new_pair_is_used_the_spent_token_ends_it() {
    let world = World::new().await;
    for by_refresh in [false, true] {
        let (_, _, first) = world.picked_up().await;
        let lost = Pair::of(&world.refresh(&first.refresh).await);
        let mut last = Pair::of(&world.refresh(&first.refresh).await);
        match by_refresh {
            true => last = Pair::of(&world.refresh(&last.refresh).await),
            false => assert_eq!(world.account(&last.access).await.status, 200),
        }
        // A pair that was replaced unused is in two hands, too, if it comes back after another was used.
        let returned = if by_refresh { &first } else { &lost };
        assert_eq!(
            world.refresh(&returned.refresh).await.code(),
            "invalid_grant"
        );
        assert_eq!(world.account(&last.access).await.status, 401);
        for pair in [&first, &lost, &last] {
            assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_grant");
        }
    }
}

#[tokio::test]
async fn an_expired_spent_token_neither_cures_nor_ends() {
    let world = World::new().await;
    let (_, _, first) = world.picked_up().await;
    world.pass(90 * DAY - HOUR);
    let second = Pair::of(&world.refresh(&first.refresh).await);
    world.pass(HOUR);
    assert_eq!(world.refresh(&first.refresh).await.code(), "invalid_grant");
    assert_eq!(world.refresh(&second.refresh).await.status, 200);
}

#[tokio::test]
async fn a_revoked_set_is_not_brought_back() {
    let world = World::new().await;
    let (_, _, first) = world.picked_up().await;
    let second = Pair::of(&world.refresh(&first.refresh).await);
    world.revoke(&second.access).await;
    assert_eq!(world.refresh(&first.refresh).await.code(), "invalid_grant");
    assert!(world.live(&[first, second]).await.is_empty());
}

/// The new pair is used in the moment in which the spent token comes back.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_use_and_a_repeated_refresh_one_wins() {
    let world = World::new().await;
    let (mut used, mut replaced) = (0, 0);
    for round in 0..40 {
        let (_, _, first) = world.picked_up().await;
        let second = Pair::of(&world.refresh(&first.refresh).await);
        let mut one = Connection::open(world.address).await;
        let mut other = Connection::open(world.address).await;
        let (head_start, lag) = (round % 5 * 50, (4 - round % 5) * 50);
        let (account, again) = tokio::join!(
            async {
                tokio::time::sleep(Duration::from_micros(head_start)).await;
                one.send(account(&second.access)).await
            },
            async {
                tokio::time::sleep(Duration::from_micros(lag)).await;
                other.send(refresh(&world.vendor, &first.refresh)).await
            }
        );
        match (account.status, again.status) {
            (200, 400) => {
                used += 1;
                assert_eq!(world.account(&second.access).await.status, 401);
            }
            (401, 200) => {
                replaced += 1;
                let third = Pair::of(&again);
                let pairs = [second, third.clone()];
                assert_eq!(world.live(&pairs).await, [&third]);
            }
            both => panic!("{both:?}"),
        }
    }
    println!("{used} used, {replaced} replaced");
}

//! A clock that jumps by an hour, forward and back: a later answer may differ, and what was decided stays.

use crate::tokens::Pair;
use crate::world::{EMAIL, PASSWORD, World};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_consent_counts_once_whatever_the_clock_says() {
    let (world, token) = World::with_integration().await;
    let page = world
        .sign_in(&world.open_connect(&token).await, EMAIL, PASSWORD)
        .await;
    let chosen = page.stores().remove(0);
    let connect = [("action", "connect"), ("store", &*chosen)];
    world.pass(HOUR);
    assert_eq!(world.status(&token).await.json()["status"], "cancelled");
    world.submit(&page, &connect).await;
    assert_eq!(world.rows("token_set").await, 0);
    let finished: i64 = world
        .value("SELECT count(*) FROM integration WHERE status = 'finished'")
        .await;
    assert_eq!(finished, 0, "too late");
    world.set_back(HOUR);
    assert_eq!(
        world.status(&token).await.json()["status"],
        "pending",
        "nothing was written"
    );
    assert!(world.finish(&token).await);
    world.set_back(HOUR);
    assert!(!world.finish(&token).await, "once");
    assert_eq!(world.status(&token).await.json()["status"], "finished");
    world.pass(2 * HOUR);
    assert_eq!(world.status(&token).await.json()["status"], "finished");
}

#[tokio::test]
async fn tokens_are_given_once_and_exchanged_once() {
    for back in [true, false] {
        let world = World::new().await;
        let jump = || match back {
            true => world.set_back(HOUR),
            false => world.pass(HOUR),
        };
        let (early, late) = (world.finished().await, world.finished().await);
        let first = Pair::of(&world.token(&early).await);
        jump();
        assert_eq!(world.token(&early).await.status, 410);
        let second = Pair::of(&world.token(&late).await);
        assert_eq!(world.token(&late).await.status, 410);
        let next = Pair::of(&world.refresh(&first.refresh).await);
        assert_eq!(world.account(&next.access).await.status, 200);
        jump();
        assert_eq!(world.token(&late).await.status, 410);
        assert_eq!(world.account(&first.access).await.status, 401, "replaced");
        let last = Pair::of(&world.refresh(&second.refresh).await);
        assert_eq!(world.account(&last.access).await.status, 200);
        // The replaced one's reuse ends the set, at any time.
        assert_eq!(world.refresh(&first.refresh).await.code(), "invalid_grant");
        assert_eq!(world.account(&next.access).await.status, 401);
    }
}

#[tokio::test]
async fn a_lost_answer_is_given_again_and_the_pair_before_is_dead() {
    for back in [true, false] {
        let world = World::new().await;
        let (token, pickup, lost) = world.picked_up().await;
        match back {
            true => world.set_back(HOUR),
            false => world.pass(HOUR),
        }
        let pair = Pair::of(&world.reissue(&token, &pickup).await);
        assert_eq!(world.live(&[lost, pair]).await.len(), 1, "back: {back}");
        assert_eq!(world.reissue(&token, &pickup).await.code(), "reissue_used");
    }
}

//! The first calls with a token set, all at once, as when a shop opens.

use crate::on_server::connect;
use crate::world::{World, until};
use std::sync::Arc;
use tokio::task::JoinSet;

const CALLERS: i64 = 8;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn one_call_notes_the_use_for_all_that_come_with_it() {
    let (world, access) = World::connected().await;
    let world = Arc::new(world);
    let url = world.folder.database();
    let (mut other, watch) = (connect(&url).await, connect(&url).await);
    // Another service has noted the use and not committed yet: all of them wait for that row.
    let first = other.transaction().await.unwrap();
    let note = "UPDATE pos_connect_service.token_set SET pair_used_at = $1, used_at = $1 RETURNING txid_current()";
    let first_id: i64 = first
        .query_one(note, &[&world.now().0])
        .await
        .unwrap()
        .get(0);
    let mut calls = JoinSet::new();
    for _ in 0..CALLERS {
        let (world, access) = (world.clone(), access.clone());
        calls.spawn(async move { world.account(&access).await });
    }
    until(async || {
        let waiting = "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'";
        watch
            .query_one(waiting, &[])
            .await
            .unwrap()
            .get::<_, i64>(0)
            == CALLERS
    })
    .await;
    first.commit().await.unwrap();
    for answer in calls.join_all().await {
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let last = "SELECT xmin::text::bigint FROM pos_connect_service.token_set";
    let last: i64 = watch.query_one(last, &[]).await.unwrap().get(0);
    assert_eq!(last, first_id, "nobody else has written it");
}

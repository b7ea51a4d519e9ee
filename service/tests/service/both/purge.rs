//! The purge, where nobody calls it by hand: in the running service, and as a command.

use crate::program::json;
use crate::world::{INTEGRATION, World, until};
use std::time::Duration;
use tokio::sync::watch;

#[tokio::test]
async fn a_running_service_purges_by_itself() {
    let world = World::new().await;
    let cancelled = world.create().await;
    world.call("DELETE", INTEGRATION, &cancelled).await;
    world.create().await;
    world.pass(Duration::from_secs(31 * 24 * 3600));
    let kept = world.create().await;
    let (stop, stopped) = watch::channel(false);
    let tending = tokio::spawn(world.service.clone().tend(stopped));
    until(async || world.rows("integration").await == 1).await;
    assert_eq!(world.status(&kept).await.json()["status"], "pending");
    stop.send(true).unwrap();
    tending.await.unwrap();
}

#[tokio::test]
async fn the_command_erases_what_is_older_than_it_is_told() {
    let world = World::new().await;
    for _ in 0..3 {
        world.create().await;
    }
    // Commands go by the machine's clock, the world by its own: two expired long ago, and one two days ago.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let before = i64::try_from(now.unwrap().as_millis()).unwrap() - 2 * 24 * 3600 * 1000;
    let aged = "UPDATE integration SET created_at = ?1, expires_at = ?1";
    assert_eq!(world.change(aged, vec![before.into()]).await, 3);
    let older = "UPDATE integration SET created_at = 1, expires_at = 2
         WHERE hash <> (SELECT hash FROM integration ORDER BY hash LIMIT 1)";
    assert_eq!(world.change(older, vec![]).await, 2);
    assert_eq!(json(&world.folder, &["purge"])["purged"], 2);
    assert_eq!(json(&world.folder, &["purge"])["purged"], 0);
    let told = ["purge", "--keep-ended-days", "1"];
    assert_eq!(json(&world.folder, &told)["purged"], 1);
    assert_eq!(world.rows("integration").await, 0);
}

//! The purge, where nobody calls it by hand: in the running service, and as a command.

use crate::program::json;
use crate::world::{INTEGRATION, World, until};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
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
    // Rows of the audit that are older than 400 days go, and budgets that are full again.
    world
        .change(
            "INSERT INTO audit (at, event, actor) VALUES (1, 'x', 'y')",
            vec![],
        )
        .await;
    for full in [
        "INSERT INTO budget (key, full_at) VALUES (?1, 1)",
        "INSERT INTO sign_in_budget (key, full_at) VALUES (?1, 1)",
    ] {
        assert_eq!(world.change(full, values![Hash::of("x")]).await, 1);
    }
    json(&world.folder, &["purge"]);
    let old = "SELECT count(*) FROM audit WHERE event = 'x'";
    assert_eq!(world.value::<i64>(old).await, 0);
    for budget in ["budget", "sign_in_budget"] {
        assert_eq!(world.rows(budget).await, 0, "{budget}");
    }
    let told = ["purge", "--keep-ended-days", "1"];
    assert_eq!(json(&world.folder, &told)["purged"], 1);
    assert_eq!(world.rows("integration").await, 0);
}

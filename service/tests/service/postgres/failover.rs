//! A server that fails over and breaks no connection.

use crate::on_server::{end_failover, fail_over, named};
use crate::world::{INTEGRATION, World, until};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_session_that_takes_no_writes_is_given_up() {
    named();
    let world = World::new().await;
    let url = world.folder.database();
    let created = async |status: u16| world.call("POST", INTEGRATION, "").await.status == status;
    for _ in 0..2 {
        fail_over(&url).await;
        // The calls that meet a session that was ended, and then one of those that take no writes.
        for _ in 0..3 {
            assert!(created(503).await);
        }
        end_failover(&url).await;
        until(async || created(200).await).await;
    }
}

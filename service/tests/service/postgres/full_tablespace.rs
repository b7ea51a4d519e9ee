//! A full disk under PostgreSQL: 503, nothing is half done, and all goes on once there is room. The database's tables
//! are on a disk in memory, of a server that the test starts; its log is elsewhere, as a server without room for that
//! stops.

use crate::both::orders::{order, post};
use crate::folder::Folder;
use crate::full_disk::Disk;
use crate::on_server::connect;
use crate::program::json;
use crate::world::{INTEGRATION, World, until};
use pos_connect_service::Settings;
use std::fs::create_dir;
use std::os::unix::fs::chown;
use std::path::PathBuf;
use workbench::postgres::{Owner, Postgres, owner};

/// A new database has 8 MB.
const MIB: u32 = 40;

/// A folder that only the server may look into, as it wants it.
fn tablespace(disk: &Disk) -> PathBuf {
    let folder = disk.path().join("tables");
    create_dir(&folder).unwrap();
    let Owner { user, group } = owner().unwrap();
    chown(&folder, Some(user), Some(group)).unwrap();
    folder
}

/// A database on the disk.
async fn database_on(disk: &Disk, server: &Postgres) -> String {
    let admin = connect(&server.url).await;
    let place = tablespace(disk);
    let tablespace = format!("CREATE TABLESPACE small LOCATION '{}'", place.display());
    admin.batch_execute(&tablespace).await.unwrap();
    let create = "CREATE DATABASE full_disk TABLESPACE small";
    admin.batch_execute(create).await.unwrap();
    server.url.replace("/postgres?", "/full_disk?")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs root, to mount a small disk, and PostgreSQL: cargo xtask test --only postgres"]
async fn a_full_tablespace_is_503_and_changes_nothing_until_there_is_room() {
    let folder = Folder::new();
    let disk = Disk::mount(folder.path().join("disk"), MIB);
    let server = Postgres::own().unwrap();
    let world = world_on(&disk, &server).await;
    disk.fill();
    let mut tokens = Vec::new();
    // What still fits into the pages that the tables have.
    let refused = loop {
        let answer = world.call("POST", INTEGRATION, "").await;
        if answer.status != 200 {
            break answer;
        }
        let token = answer.json()["integrationToken"].take();
        tokens.push(token.as_str().unwrap().to_owned());
        assert!(tokens.len() < 4_000, "it never fills");
    };
    assert_eq!(
        (refused.status, refused.code()),
        (503, "unavailable".into())
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(world.rows("integration").await, count(&tokens));
    for token in tokens.iter().take(20) {
        let cancelled = world.call("DELETE", INTEGRATION, token).await.status;
        let status = world.status(token).await;
        let expected = match cancelled {
            204 => "cancelled",
            503 => "pending",
            other => panic!("{other}"),
        };
        assert_eq!(
            status.json()["status"],
            expected,
            "reads go on: {}",
            status.body
        );
    }
    disk.make_room();
    let created = world.call("POST", INTEGRATION, "").await;
    assert_eq!(created.status, 200, "{}", created.body);
    assert_eq!(world.rows("integration").await, count(&tokens) + 1);
    assert_eq!(world.call("GET", "/readyz", "").await.status, 200);
}

/// The operator does what the page of incidents says.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs root, to mount a small disk, and PostgreSQL: cargo xtask test --only postgres"]
async fn a_file_that_is_given_up_is_room_enough_to_revoke_disable_and_erase() {
    let folder = Folder::new();
    let disk = Disk::mount(folder.path().join("disk"), MIB);
    let server = Postgres::own().unwrap();
    let world = world_on(&disk, &server).await;
    let access = world.access().await;
    let order = post(&access, &order("1041"));
    assert_eq!(world.send(order.clone()).await.status, 200);
    let spare = disk.path().join("spare");
    std::fs::write(&spare, vec![0; 4 << 20]).unwrap();
    disk.fill();
    until(async || world.call("POST", INTEGRATION, "").await.status == 503).await;
    std::fs::remove_file(spare).unwrap();
    let vendor = &*world.vendor.id;
    let run = |words: &[&str]| json(&world.folder, words);
    assert_eq!(
        run(&["token-set", "revoke", "--vendor", vendor])["revoked"],
        1
    );
    assert_eq!(world.send(order).await.code(), "invalid_token");
    assert_eq!(run(&["order", "erase", "--vendor", vendor])["erased"], 1);
    run(&["vendor", "disable", vendor]);
    let refused = world.call("POST", INTEGRATION, "").await;
    assert_eq!(refused.code(), "invalid_client");
}

/// A service that is not in the way of who fills it.
async fn world_on(disk: &Disk, server: &Postgres) -> World {
    let settings = Settings {
        creates_per_second: 100_000,
        pending_per_vendor: 8_000,
        ..Settings::default()
    };
    let database = database_on(disk, server).await;
    World::made(Folder::with_database(database), settings).await
}

fn count(tokens: &[String]) -> i64 {
    i64::try_from(tokens.len()).unwrap()
}

//! What only several services on one database can show.

use crate::both::race::{hang_up, one_at_a_time};
use crate::both::receipts::with_ereceipt;
use crate::both::webhooks::{Receiver, deliver};
use crate::folder::Folder;
use crate::http::Call;
use crate::on_server::{connect, fresh, named};
use crate::program::{command, failure};
use crate::tokens::Pair;
use crate::world::{EMAIL, INTEGRATION, PASSWORD, World, until};
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::values;
use pos_connect_service::clock::Clock;
use pos_connect_service::token::Kind;
use pos_connect_service::{Service, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Barrier;
use workbench::process::signal;

/// Never on SQLite, where these tests would show nothing.
async fn world() -> World {
    named();
    World::new().await
}

/// As after a restart of the server: every connection but the test's own is gone.
async fn break_connections(world: &World) {
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let admin = connect(&world.folder.database()).await;
    admin.execute(kill, &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn what_one_service_began_another_goes_on_with() {
    let world = world().await;
    let other = world.replica().await;
    let token = world.create().await;
    assert_eq!(other.status(&token).await.json()["status"], "pending");
    let consent = other.open_connect(&token).await;
    let consent = world.sign_in(&consent, EMAIL, PASSWORD).await;
    let store = consent.stores().remove(0);
    let chosen = [("action", "connect"), ("store", &*store)];
    assert_eq!(other.submit(&consent, &chosen).await.status, 200);
    assert_eq!(world.status(&token).await.json()["status"], "finished");
    let access = Pair::of(&other.token(&token).await).access;
    assert_eq!(world.account(&access).await.status, 200);
    assert_eq!(world.token(&token).await.status, 410);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn of_fifty_pick_ups_at_two_services_exactly_one_succeeds() {
    let world = Arc::new(world().await);
    let other = Arc::new(world.replica().await);
    for _ in 0..40 {
        let token = Arc::new(world.finished().await);
        let start = Arc::new(Barrier::new(50));
        let callers: Vec<_> = (0..50)
            .map(|number| {
                let at = if number % 2 == 0 { &world } else { &other };
                let (at, token, start) = (at.clone(), token.clone(), start.clone());
                tokio::spawn(async move {
                    start.wait().await;
                    at.token(&token).await.status
                })
            })
            .collect();
        let mut counts = BTreeMap::new();
        for caller in callers {
            *counts.entry(caller.await.unwrap()).or_insert(0) += 1;
        }
        assert_eq!(counts, BTreeMap::from([(200, 1), (410, 49)]));
    }
}

/// Both exchange the same refresh token at the same moment: of the pairs that they hand out, one is valid.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_token_set_never_has_two_valid_pairs() {
    let world = world().await;
    let other = world.replica().await;
    for _ in 0..30 {
        let (_, _, pair) = world.picked_up().await;
        let (here, there) =
            tokio::join!(world.refresh(&pair.refresh), other.refresh(&pair.refresh));
        let mut valid = 0;
        for answer in [here, there] {
            if answer.status == 200 {
                let access = Pair::of(&answer).access;
                valid += usize::from(world.account(&access).await.status == 200);
            }
        }
        assert_eq!(valid, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn guesses_count_wherever_they_are_made() {
    let world = world().await;
    let other = world.replica().await;
    let token = world.create().await;
    for number in 0..5 {
        let at = if number % 2 == 0 { &world } else { &other };
        let page = at.open_connect(&token).await;
        let answer = at.sign_in(&page, EMAIL, "wrong").await;
        assert_eq!((answer.status, &*answer.data("page")), (200, "sign-in"));
    }
    for at in [&world, &other] {
        let page = at.open_connect(&token).await;
        assert_eq!(at.sign_in(&page, EMAIL, PASSWORD).await.status, 429);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_message_is_handed_over_by_one_service() {
    let world = world().await;
    let other = world.replica().await;
    let access = world.access().await;
    for number in 0..40 {
        let mut order = with_ereceipt(&number.to_string(), "en");
        order["ereceipt"]["phone"] = format!("+97250234{number:04}").into();
        assert_eq!(world.send_order(&access, &order).await.status, 200);
    }
    let receiver = Receiver::start(&[]).await;
    let (here, there) = (receiver.outlet(), receiver.outlet());
    tokio::join!(deliver(&world, &here), deliver(&other, &there));
    let ids: BTreeSet<String> = receiver
        .calls()
        .iter()
        .map(|(headers, _)| headers["webhook-id"].to_str().unwrap().to_owned())
        .collect();
    assert_eq!((ids.len(), receiver.calls().len()), (40, 40));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn connections_that_break_come_back() {
    let world = world().await;
    for _ in 0..3 {
        let token = world.finished().await;
        break_connections(&world).await;
        until(async || world.status(&token).await.status == 200).await;
        until(async || world.token(&token).await.status == 200).await;
        assert_eq!(world.token(&token).await.status, 410);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn without_a_database_nothing_is_answered_and_nothing_is_lost() {
    let world = world().await;
    let (open, finished) = (world.create().await, world.finished().await);
    let server = connect(&named()).await;
    let database = world.folder.database();
    let name = database
        .rsplit('/')
        .next()
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    let allow = async |is_allowed: bool| {
        let sql = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {is_allowed}");
        server.batch_execute(&sql).await.unwrap();
    };
    allow(false).await;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
    server.execute(kill, &[&name]).await.unwrap();
    for answer in [
        world.status(&open).await,
        world.token(&finished).await,
        world.call("POST", INTEGRATION, "").await,
        world.call("DELETE", INTEGRATION, &open).await,
        world.send(Call::new("GET", "/readyz")).await,
    ] {
        assert_eq!(answer.status, 503, "{}", answer.body);
    }
    allow(true).await;
    assert_eq!(world.send(Call::new("GET", "/readyz")).await.status, 200);
    assert_eq!(world.status(&open).await.json()["status"], "pending");
    assert_eq!(world.token(&finished).await.status, 200);
}

/// Somebody else is at the row; meanwhile the till that asks goes away. It can ask again.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_till_that_went_away_while_its_claim_waited_can_ask_again() {
    named();
    let world = World::with(one_at_a_time()).await;
    let token = world.finished().await;
    let mut other = connect(&world.folder.database()).await;
    let transaction = other.transaction().await.unwrap();
    let lock = "SELECT 1 FROM pos_connect_service.integration FOR UPDATE";
    transaction.execute(lock, &[]).await.unwrap();
    hang_up(&world, async || world.token(&token).await).await;
    transaction.rollback().await.unwrap();
    assert_eq!(world.token(&token).await.status, 200);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_database_has_no_key_beside_it_and_no_copy_in_a_file() {
    let folder = Folder::tested().await;
    let database = folder.database();
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pos-connect-service"))
            .args(arguments)
            .args(["--database", &database])
            .env_remove("POS_CONNECT_SERVICE_KEY")
            .output()
            .unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let error = run(&["migrate"]);
    assert!(error.contains("--key-file"), "{error}");
    let error = run(&["backup", "copy.db"]);
    assert!(error.contains("pg_dump"), "{error}");
    let error = failure(
        &folder,
        &[
            "vendor",
            "list",
            "--database",
            "postgres://u:hunter2@127.0.0.1/x",
        ],
    );
    assert!(!error.contains("hunter2"), "{error}");
}

/// A newer program's database is left alone; one that starts beside another waits for its migration.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn services_that_start_at_once_migrate_once() {
    let folder = Arc::new(Folder::with_database(fresh(&named()).await));
    let starts: Vec<_> = (0..8)
        .map(|_| {
            let folder = folder.clone();
            let settings = Settings {
                storage_key: Some(StorageKey::File(folder.key())),
                ..Settings::default()
            };
            std::fs::write(folder.key(), Kind::Storage.mint()).unwrap();
            (folder, settings)
        })
        .collect();
    let starts: Vec<_> = starts
        .into_iter()
        .map(|(folder, settings)| {
            tokio::spawn(async move {
                let database = folder.database();
                let opened = Service::open(&database, settings, Clock::system()).await;
                opened.map(|service| service.store.schema_version())
            })
        })
        .collect();
    for start in starts {
        assert!(start.await.unwrap().unwrap() > 0);
    }
    let client = connect(&folder.database()).await;
    let newer = "UPDATE pos_connect_service.schema_version SET version = 99";
    client.batch_execute(newer).await.unwrap();
    let refused = failure(&folder, &["serve"]);
    assert!(
        refused.contains("schema version 99") && refused.contains("newer"),
        "{refused}"
    );
}

/// A statement of a till may take five seconds; a migration, or waiting for another service's, takes what it takes.
#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_slow_migration_is_not_cut_off() {
    let folder = Folder::with_database(fresh(&named()).await);
    let other = connect(&folder.database()).await;
    let lock = "SELECT pg_advisory_lock($1)";
    other.execute(lock, &[&0x504F_5343_i64]).await.unwrap();
    let (database, key) = (folder.database(), folder.key());
    let opening = tokio::spawn(async move {
        let settings = Settings {
            storage_key: Some(StorageKey::File(key)),
            ..Settings::default()
        };
        let opened = Service::open(&database, settings, Clock::system()).await;
        opened.map(|service| service.store.schema_version())
    });
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert!(!opening.is_finished(), "it waits");
    let unlock = "SELECT pg_advisory_unlock($1)";
    other.execute(unlock, &[&0x504F_5343_i64]).await.unwrap();
    assert!(opening.await.unwrap().unwrap() > 0);
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_tills_statement_is_cut_off_and_a_commands_is_not() {
    let world = world().await;
    let longest = "SELECT current_setting('statement_timeout')";
    assert_eq!(world.value::<String>(longest).await, "5s");
    let command = world.command().await;
    let of_command = command
        .store
        .one(longest, values![], |row| row.get::<String>(0));
    assert_eq!(of_command.await.unwrap(), "0");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_service_that_waits_at_its_start_stops_when_asked() {
    let folder = Folder::with_database(fresh(&named()).await);
    let other = connect(&folder.database()).await;
    let lock = "SELECT pg_advisory_lock($1)";
    other.execute(lock, &[&0x504F_5343_i64]).await.unwrap();
    let mut starting = command(&folder, &["serve", "--listen", "127.0.0.1:0"])
        .spawn()
        .unwrap();
    until(async || {
        let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        other
            .query_one(waiting, &[])
            .await
            .unwrap()
            .get::<_, i64>(0)
            == 1
    })
    .await;
    signal(starting.id(), "-TERM").unwrap();
    let ended = starting.wait().unwrap();
    assert!(ended.success(), "{ended}");
}

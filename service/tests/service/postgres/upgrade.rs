//! Releases that follow one another on one database, and keys that are changed there, while calls come in.

use crate::both::orders::order;
use crate::both::sealed::with_sealed;
use crate::http::Answer;
use crate::on_server::{connect, migrated, named};
use crate::program::{failure, json};
use crate::sealing::sealed;
use crate::tokens::Pair;
use crate::world::{INTEGRATION, PASSWORD, Vendor, World, until};
use pos_connect_foundation::database::{Database, Schema};
use pos_connect_foundation::sqlite::{Opening, StoreError};
use pos_connect_foundation::token::Kind;
use pos_connect_foundation::{postgres, sqlite};
use pos_connect_service::Settings;
use pos_connect_service::store::SCHEMA;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{JoinSet, block_in_place};
use tokio_postgres::Client;

const TILLS: usize = 4;
/// From one connection of a till to the next: a merchant signs in 200 times at once, and no more.
const PACE: Duration = Duration::from_millis(100);
/// How many tills connect and sell between two steps of the test.
const ROUNDS: usize = 8;

/// What the next release may add.
const ADDED: &str = "
    ALTER TABLE integration ADD COLUMN till_name text;
    ALTER TABLE token_set ADD COLUMN generation bigint NOT NULL DEFAULT 0;
    ALTER TABLE store_order ADD COLUMN channel_note text;
    CREATE TABLE note (account_id bigint NOT NULL REFERENCES account (id), text text NOT NULL);
    CREATE INDEX note_of_account ON note (account_id);";
/// And the one after it no more have.
const REMOVED: &str = "ALTER TABLE integration DROP COLUMN code;";

/// This release's schema and later migrations, beside which programs of the `oldest` version work.
fn later(migrations: &[&'static str], oldest: usize) -> Schema {
    let all = [SCHEMA.postgres.migrations, migrations].concat();
    Schema {
        sqlite: sqlite::Schema { ..SCHEMA.sqlite },
        postgres: postgres::Schema {
            migrations: all.leak(),
            oldest,
            ..SCHEMA.postgres
        },
    }
}

async fn migrate(url: String, schema: Schema) -> Result<(), StoreError> {
    Database::open(&url, &schema, Opening::Prepare)
        .await
        .map(drop)
}

async fn world() -> World {
    named();
    let world = World::with(Settings {
        interval: Duration::ZERO,
        creates_per_second: 1_000,
        creates_per_address: 1_000,
        ..Settings::default()
    })
    .await;
    world.set_system_time();
    for till in 0..TILLS {
        world.add_account(&email(till), "Shop", &["Counter"]).await;
    }
    world
}

fn email(till: usize) -> String {
    format!("owner{till}@shop.example")
}

/// The services that take calls, as a load balancer knows them, and what the tills have done.
struct Load {
    services: watch::Sender<Vec<Arc<World>>>,
    rounds: watch::Sender<usize>,
    tills: JoinSet<()>,
}

impl Load {
    fn begin(world: World) -> Self {
        let (services, _) = watch::channel(vec![Arc::new(world)]);
        let (rounds, _) = watch::channel(0);
        let mut tills = JoinSet::new();
        for number in 0..TILLS {
            let till = Till {
                number,
                services: services.subscribe(),
                calls: 0,
            };
            tills.spawn(till.sell(rounds.clone()));
        }
        Self {
            services,
            rounds,
            tills,
        }
    }

    /// Waits until so many more tills were connected, and sold; or one met an answer that it did not expect.
    async fn go_on(&mut self) {
        let mut rounds = self.rounds.subscribe();
        let enough = *rounds.borrow() + ROUNDS;
        let come = rounds.wait_for(|rounds| *rounds >= enough);
        let come = tokio::time::timeout(Duration::from_secs(60), come);
        tokio::select! {
            come = come => drop(come.expect("calls are answered")),
            Some(ended) = self.tills.join_next() => ended.expect("a till goes on"),
        }
    }

    fn first(&self) -> Arc<World> {
        self.services.borrow()[0].clone()
    }

    /// One more service, for calls of this vendor.
    async fn add_for(&self, vendor: &Vendor) {
        let next = Arc::new(self.first().replica_for(vendor).await);
        self.services.send_modify(|services| services.push(next));
    }

    /// One more, and the first one stops.
    async fn replace(&mut self) {
        let vendor = self.first().vendor.clone();
        self.add_for(&vendor).await;
        self.stop(0).await;
        self.go_on().await;
    }

    /// Takes a service out of use, and stops it once it has answered.
    async fn stop(&self, index: usize) {
        let mut leaving = None;
        self.services
            .send_modify(|services| leaving = Some(services.remove(index)));
        let leaving = leaving.unwrap();
        until(async || Arc::strong_count(&leaving) == 1).await;
        Arc::into_inner(leaving).unwrap().leave().await;
    }

    /// The tills stop, and none has met such an answer. Gives the services.
    async fn end(self) -> Vec<Arc<World>> {
        let services = self.services.borrow().clone();
        drop(self.services);
        self.tills.join_all().await;
        services
    }
}

struct Till {
    number: usize,
    services: watch::Receiver<Vec<Arc<World>>>,
    calls: usize,
}

impl Till {
    /// The service that the next call goes to.
    fn service(&mut self) -> Arc<World> {
        self.calls += 1;
        let services = self.services.borrow();
        services[(self.number + self.calls) % services.len()].clone()
    }

    async fn sell(mut self, rounds: watch::Sender<usize>) {
        while self.services.has_changed().is_ok() {
            self.round(&format!("{}-{}", self.number, self.calls)).await;
            rounds.send_modify(|rounds| *rounds += 1);
            tokio::time::sleep(PACE).await;
        }
    }

    /// A merchant connects a till by the page, which sells and refreshes its tokens.
    async fn round(&mut self, id: &str) {
        let created = good(self.service().call("POST", INTEGRATION, "").await).json();
        let token = created["integrationToken"].as_str().unwrap();
        assert_eq!(self.status(token).await, "pending");
        let page = good(self.service().open_connect(token).await);
        let email = email(self.number);
        let page = good(self.service().sign_in(&page, &email, PASSWORD).await);
        let store = page.stores().remove(0);
        let chosen = [
            ("action", "connect"),
            ("store", &*store),
            ("ereceipts", "yes"),
        ];
        good(self.service().submit(&page, &chosen).await);
        assert_eq!(self.status(token).await, "finished");
        let pair = Pair::of(&self.service().token(token).await);
        good(self.service().account(&pair.access).await);
        let plain = order(&format!("plain-{id}"));
        good(self.service().send_order(&pair.access, &plain).await);
        let pair = Pair::of(&self.service().refresh(&pair.refresh).await);
        let key = self.service().key(&pair.access).await;
        let id = format!("sealed-{id}");
        let phone = format!("+97250234{:04}", self.calls % 10_000);
        let order = with_sealed(&id, sealed(&key, &id, &phone));
        let accepted = good(self.service().send_order(&pair.access, &order).await);
        assert!(
            accepted.json().get("warnings").is_none(),
            "{}",
            accepted.body
        );
    }

    async fn status(&mut self, token: &str) -> String {
        let answer = good(self.service().status(token).await).json();
        answer["status"].as_str().unwrap().to_owned()
    }
}

fn good(answer: Answer) -> Answer {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer
}

/// Whether a migration waits for a table.
async fn waits(watch: &Client) -> bool {
    let waiting = "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
         WHERE datname = current_database() AND mode = 'AccessExclusiveLock' AND NOT granted";
    let row = watch.query_one(waiting, &[]).await;
    row.unwrap().get::<_, i64>(0) > 0
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn no_call_fails_while_one_release_follows_another_and_keys_change() {
    let world = world().await;
    let (folder, vendor) = (world.folder.clone(), world.vendor.clone());
    let url = folder.database();
    let command = |arguments: &[&str]| block_in_place(|| json(&folder, arguments));
    let mut load = Load::begin(world);
    load.go_on().await;
    // As `pg_dump` does, for minutes.
    let mut dump = connect(&url).await;
    let watch = connect(&url).await;
    let dumping = dump.transaction().await.unwrap();
    let held = "LOCK TABLE pos_connect_service.token_set IN ACCESS SHARE MODE";
    dumping.batch_execute(held).await.unwrap();
    let known = SCHEMA.postgres.latest();
    let migration = tokio::spawn(migrate(url.clone(), later(&[ADDED], known)));
    until(async || waits(&watch).await).await;
    load.go_on().await;
    assert!(!migration.is_finished(), "it lets the calls go first");
    dumping.commit().await.unwrap();
    migration.await.unwrap().unwrap();
    load.go_on().await;
    // The next release, as far as the database is concerned; and the vendor's new secret.
    assert_eq!(command(&["migrate"])["schemaVersion"], known + 1);
    let rotated = command(&["vendor", "rotate-secret", &vendor.id]);
    let vendor = Vendor {
        secret: rotated["clientSecret"].as_str().unwrap().to_owned(),
        ..vendor
    };
    load.add_for(&vendor).await;
    load.go_on().await;
    command(&["sealing-key", "rotate"]);
    load.go_on().await;
    load.stop(0).await;
    load.go_on().await;
    // The storage key: all services open with the new one, before one of them seals with it.
    let (old, new) = (folder.read_keys(), Kind::Storage.mint());
    folder.write_keys(&[&old, &new]);
    load.replace().await;
    folder.write_keys(&[&new, &old]);
    load.add_for(&vendor).await;
    load.go_on().await;
    load.stop(0).await;
    assert!(load.first().rotate_key().await > 0);
    folder.write_keys(&[&new]);
    load.replace().await;
    assert_eq!(load.first().rotate_key().await, 0);
    load.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_release_does_not_change_what_another_one_stands_on() {
    let world = world().await;
    let (folder, known) = (world.folder.clone(), SCHEMA.postgres.latest());
    let url = folder.database();
    let mut load = Load::begin(world);
    let skipped = || later(&[ADDED, REMOVED], known + 1);
    let refused = migrate(url.clone(), skipped()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("the releases in between"), "{refused}");
    load.go_on().await;
    let world = Arc::into_inner(load.end().await.remove(0));
    world.unwrap().leave().await;
    migrate(url, skipped()).await.unwrap();
    let refused = failure(&folder, &["serve"]);
    assert!(
        refused.contains("does not work with") && refused.contains("newer"),
        "{refused}"
    );
}

/// A migration can wait for minutes, and a supervisor starts a program of before again in between.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_release_that_comes_while_a_migration_waits_is_not_run_over() {
    let server = named();
    let (url, known) = (migrated(&server, &SCHEMA).await, SCHEMA.postgres.latest());
    let (mut dump, watch) = (connect(&url).await, connect(&url).await);
    let dumping = dump.transaction().await.unwrap();
    let held = "LOCK TABLE pos_connect_service.integration IN ACCESS SHARE MODE";
    dumping.batch_execute(held).await.unwrap();
    let skipped = || later(&[ADDED, REMOVED], known + 1);
    let migration = tokio::spawn(migrate(url.clone(), skipped()));
    until(async || waits(&watch).await).await;
    let before = Database::open(&url, &SCHEMA, Opening::Prepare)
        .await
        .unwrap();
    dumping.commit().await.unwrap();
    let refused = migration.await.unwrap().unwrap_err().to_string();
    assert!(refused.contains("the releases in between"), "{refused}");
    let codes = before.rows("SELECT code FROM integration", vec![], |row| {
        row.get::<i64>(0)
    });
    assert_eq!(codes.await.unwrap(), [] as [i64; 0]);
    drop(before);
    migrate(url, skipped()).await.unwrap();
}

/// Nobody saw it connected, so nothing kept the next release from changing the tables.
#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_release_that_was_cut_off_does_not_come_back_to_other_tables() {
    let url = migrated(&named(), &SCHEMA).await;
    let before = Database::open(&url, &SCHEMA, Opening::Prepare).await;
    let before = before.unwrap();
    let count = async || {
        let count = before.one("SELECT count(*) FROM vendor", vec![], |row| {
            row.get::<i64>(0)
        });
        count.await.map_err(|error| error.to_string())
    };
    assert_eq!(count().await, Ok(0));
    let admin = connect(&url).await;
    let others = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    assert!(admin.execute(others, &[]).await.unwrap() > 0);
    let latest = SCHEMA.postgres.latest();
    migrate(url, later(&[ADDED], latest + 1)).await.unwrap();
    for _ in 0..2 {
        let refused = count().await.unwrap_err();
        assert!(
            refused.contains("does not work with this program's"),
            "{refused}"
        );
    }
    let Database::Postgres(server) = &before else {
        unreachable!("it is one")
    };
    let refused = server.session().await.expect_err("nor beside the pool");
    let refused = refused.to_string();
    assert!(
        refused.contains("does not work with this program's"),
        "{refused}"
    );
    // Nor by the session of a caller that goes away while it looks.
    let locked = "BEGIN; LOCK TABLE pos_connect_service.schema_version IN ACCESS EXCLUSIVE MODE";
    admin.batch_execute(locked).await.unwrap();
    let left = tokio::time::timeout(Duration::from_millis(500), count());
    assert!(left.await.is_err());
    admin.batch_execute("ROLLBACK").await.unwrap();
    assert!(count().await.is_err());
}

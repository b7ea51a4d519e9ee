//! A database that the previous version wrote.

use crate::both::receipts::{PHONE, with_ereceipt};
use crate::both::sealed::with_sealed;
use crate::sealing::sealed;
use crate::tokens::{Pair, pickup_id};
use crate::world::World;
use pos_connect_service::clock::Timestamp;
use pos_connect_service::token::{Hash, Kind};
use rusqlite::{Connection, params};
use std::time::Duration;

const FIRST: &str = include_str!("../../../migrations/sqlite/0001_integrations.sql");

/// What version 4 and later ones added.
const WITHOUT_4: &str =
    "DROP TABLE message; DROP TABLE receipt; DROP TABLE number_seal; DROP TABLE store_order; DROP TABLE key_check;
     DROP TABLE customer;
     DROP TABLE repeatable_call; DROP TABLE sign_in_budget; DROP TABLE familiar_address; DROP TABLE fingerprint_secret;
     ALTER TABLE store DROP COLUMN profile;
     ALTER TABLE account DROP COLUMN disabled_at;
     DROP INDEX integration_by_age; DROP INDEX spent_refresh_of_integration; DROP INDEX integration_of_owner;
     DROP INDEX integration_by_code; ALTER TABLE integration DROP COLUMN code;
     ALTER TABLE integration DROP COLUMN opened_at;
     DROP TABLE event; DROP TABLE webhook; DROP TABLE form; DROP TABLE audit; DROP TABLE sealing_key;
     DROP TABLE budget; ALTER TABLE account DROP COLUMN message_regions; DROP TABLE stored_bytes;";

/// Takes back what came after the sealing keys.
pub const WITHOUT_LIMITS: &str = "ALTER TABLE integration DROP COLUMN opened_at;
     DROP INDEX order_of_number; ALTER TABLE store_order DROP COLUMN number;
     DROP INDEX message_of_store; ALTER TABLE message DROP COLUMN store_id;
     CREATE INDEX message_by_time ON message (due_at) WHERE state = 'queued';
     DROP TABLE budget; ALTER TABLE account DROP COLUMN message_regions;";

/// Takes back what version 4 and later ones did.
fn without_4(database: &Connection) {
    database.execute_batch(WITHOUT_4).unwrap();
    let form = FIRST.find("CREATE TABLE form").unwrap();
    database.execute_batch(&FIRST[form..]).unwrap();
}

/// Writes the world's database back as version 1 would have left it: everything of that schema, and nothing else.
fn downgrade(database: &Connection) {
    without_4(database);
    database
        .execute_batch(
            "PRAGMA foreign_keys = OFF; BEGIN;
             CREATE TEMP TABLE kept AS
               SELECT integration_hash, access_hash, refresh_hash, access_until, created_at FROM token_set;
             DROP TABLE token_set; DROP TABLE spent_refresh;",
        )
        .unwrap();
    let from = FIRST.find("CREATE TABLE token_set").unwrap();
    let table = &FIRST[from..];
    let table = &table[..=table.find(';').unwrap()];
    database.execute_batch(table).unwrap();
    database
        .execute_batch("INSERT INTO token_set SELECT * FROM kept; DROP TABLE kept; PRAGMA user_version = 1; COMMIT;")
        .unwrap();
}

fn schema(database: &Connection) -> Vec<String> {
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn what_was_picked_up_before_goes_on_working() {
    let world = World::on_sqlite().await;
    let (claimed, open, pending) = (
        world.finished().await,
        world.finished().await,
        world.create().await,
    );
    let pair = Pair::of(&world.token(&claimed).await);
    let file = world.folder.path().join("test.db");
    let database = Connection::open(&file).unwrap();
    downgrade(&database);
    let old = Connection::open_in_memory().unwrap();
    old.execute_batch(FIRST).unwrap();
    assert_eq!(
        schema(&database),
        schema(&old),
        "this is what version 1 wrote"
    );

    let world = world.restart().await;
    let version: i64 = database
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 24);
    assert_eq!(world.token(&claimed).await.status, 410);
    let pickup = pickup_id();
    let gone = world.pick_up(&claimed, &pickup).await;
    assert_eq!(
        (gone.status, &gone.json()["pickup"]),
        (410, &"other".into())
    );
    assert_eq!(
        world.reissue(&claimed, &pickup).await.code(),
        "reissue_other_pickup"
    );
    assert_eq!(world.account(&pair.access).await.status, 200);
    world.pass(Duration::from_secs(89 * 24 * 3600));
    let next = Pair::of(&world.refresh(&pair.refresh).await);
    assert_eq!(world.account(&next.access).await.status, 200);
    assert_eq!(world.status(&open).await.json()["status"], "finished");
    assert_eq!(world.status(&pending).await.json()["status"], "cancelled");
    assert_whole(&database);
}

fn assert_whole(database: &Connection) {
    let check = |pragma: &str| -> Vec<String> {
        let mut statement = database.prepare(pragma).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    assert_eq!(check("PRAGMA integrity_check"), ["ok"]);
    assert!(check("PRAGMA foreign_key_check").is_empty());
}

/// The same, from rows that version 1's own statements would have written.
#[tokio::test]
async fn a_refresh_token_from_before_lives_ninety_days_from_its_pick_up() {
    let world = World::on_sqlite().await;
    let token = world.finished().await;
    let database = Connection::open(world.folder.path().join("test.db")).unwrap();
    downgrade(&database);
    let (access, refresh, now) = (Kind::Access.mint(), Kind::Refresh.mint(), world.now());
    database
        .execute(
            "UPDATE integration SET claimed_at = ?2 WHERE hash = ?1",
            params![Hash::of(&token), now],
        )
        .unwrap();
    let until = Timestamp(now.0 + 3_600_000);
    database
        .execute(
            "INSERT INTO token_set (integration_hash, access_hash, refresh_hash, access_until, created_at)
             VALUES (?, ?, ?, ?, ?)",
            params![Hash::of(&token), Hash::of(&access), Hash::of(&refresh), until, now],
        )
        .unwrap();
    let world = world.restart().await;
    world.pass(Duration::from_secs(3600));
    assert_eq!(world.account(&access).await.status, 401);
    world.pass(Duration::from_secs(90 * 24 * 3600 - 3601));
    assert_eq!(world.refresh(&refresh).await.status, 200);
}

/// Version 2 did not know which pair was used: a spent refresh token from its time ends the token set, as it did then.
#[tokio::test]
async fn a_refresh_token_that_was_spent_before_is_not_exchanged_again() {
    let world = World::on_sqlite().await;
    let (_, _, first) = world.picked_up().await;
    let (_, _, unused) = world.picked_up().await;
    let second = Pair::of(&world.refresh(&first.refresh).await);
    let database = Connection::open(world.folder.path().join("test.db")).unwrap();
    without_4(&database);
    database
        .execute_batch(
            "ALTER TABLE token_set DROP COLUMN pair_used_at; ALTER TABLE token_set DROP COLUMN exchanges;
             ALTER TABLE spent_refresh DROP COLUMN exchange; ALTER TABLE spent_refresh DROP COLUMN unused;
             PRAGMA user_version = 2;",
        )
        .unwrap();
    let world = world.restart().await;
    assert_eq!(world.refresh(&first.refresh).await.code(), "invalid_grant");
    assert_eq!(world.account(&second.access).await.status, 401);
    for _ in 0..2 {
        assert_eq!(world.refresh(&unused.refresh).await.status, 200);
    }
    assert_whole(&database);
}

/// Fingerprints had the shopper's number in them, and go. The order is known all the same.
#[tokio::test]
async fn an_order_of_before_is_the_same_order() {
    let world = World::on_sqlite().await;
    let access = world.access().await;
    let order = with_ereceipt("1041", "en");
    let first = world.send_order(&access, &order).await;
    let database = Connection::open(world.folder.path().join("test.db")).unwrap();
    database.execute_batch(WITHOUT_LIMITS).unwrap();
    database
        .execute_batch(
            "DROP TABLE sealing_key; DROP TABLE stored_bytes; DROP INDEX customer_by_age;
             DROP TABLE number_seal;
             ALTER TABLE store_order ADD COLUMN fingerprint BLOB CHECK (length(fingerprint) = 32);
             PRAGMA user_version = 17;",
        )
        .unwrap();
    let world = world.restart().await;
    let again = world.send_order(&access, &order).await;
    assert_eq!((again.status, again.body), (200, first.body));
    assert!(
        !schema(&database)
            .concat()
            .contains("fingerprint BLOB CHECK")
    );
    assert_eq!(world.rows("store_order").await, 1);
    // Its message waits for the store's turn.
    world.deliver().await;
    assert_eq!(world.messages().len(), 1);
}

/// An order had one e-receipt, and the seal of its number.
#[tokio::test]
async fn a_sealed_number_that_came_before_is_good_for_no_other_order() {
    let world = World::on_sqlite().await;
    let access = world.access().await;
    let mut number = sealed(&world.key(&access).await, "1041", PHONE);
    let first = with_sealed("1041", number.clone());
    assert_eq!(world.send_order(&access, &first).await.status, 200);
    let database = Connection::open(world.folder.path().join("test.db")).unwrap();
    database
        .execute_batch(
            "ALTER TABLE store_order ADD COLUMN number_seal BLOB CHECK (length(number_seal) = 32);
             UPDATE store_order SET number_seal = (SELECT hash FROM number_seal WHERE order_id = store_order.id);
             CREATE UNIQUE INDEX order_of_number_seal ON store_order (number_seal) WHERE number_seal IS NOT NULL;
             DROP TABLE number_seal; ALTER TABLE integration DROP COLUMN opened_at; PRAGMA user_version = 22;",
        )
        .unwrap();
    let world = world.restart().await;
    number["externalId"] = "1041".into();
    let other = with_sealed("1042", number);
    let refused = world.send_order(&access, &other).await;
    assert_eq!(refused.json()["pointer"], "/ereceipt/sealed");
    assert_eq!(world.send_order(&access, &first).await.status, 200);
    world.deliver().await;
    assert_eq!(world.messages().len(), 1);
    assert_whole(&database);
}

//! What a release with one more migration does to a database of the release before it.

use crate::folder::Folder;
use crate::on_server::{fresh, server};
use pos_connect_foundation::database::{Database, Schema, Transaction};
use pos_connect_foundation::sqlite::Opening;
use pos_connect_foundation::{postgres, sqlite, values};
use pos_connect_service::store::SCHEMA;
use pos_connect_service::token::Hash;

const NAMES: &str = "CREATE TABLE person (name TEXT NOT NULL)";
const AGES: &str = "ALTER TABLE person ADD COLUMN age bigint NOT NULL DEFAULT 30";

const fn schema(migrations: &'static [&'static str]) -> Schema {
    Schema {
        sqlite: sqlite::Schema {
            program: "the-program",
            application_id: 7,
            migrations,
        },
        postgres: postgres::Schema {
            program: "the-program",
            name: "the_program",
            lock: 7,
            migrations,
            oldest: 1,
        },
    }
}

const BEFORE: Schema = schema(&[NAMES]);
const AFTER: Schema = schema(&[NAMES, AGES]);

#[tokio::test]
async fn a_later_migration_runs_once_and_keeps_what_is_there() {
    let folder = match server() {
        Some(server) => Folder::with_database(fresh(&server).await),
        None => Folder::new(),
    };
    let url = folder.database();
    let database = Database::open(&url, &BEFORE, Opening::Prepare).await;
    let add = |transaction: &Transaction<'_>| {
        transaction.execute("INSERT INTO person (name) VALUES ('Ada')", vec![])
    };
    database.unwrap().write(add).await.unwrap();
    let behind = Database::open(&url, &AFTER, Opening::Existing).await;
    let refused = behind.err().unwrap().to_string();
    assert!(refused.contains("`migrate` and `serve`"), "{refused}");
    let untouched = Database::open(&url, &BEFORE, Opening::Existing).await;
    assert!(untouched.is_ok());
    for _ in 0..2 {
        let database = Database::open(&url, &AFTER, Opening::Prepare).await;
        let ages = "SELECT age FROM person WHERE name = 'Ada'";
        let age = database
            .unwrap()
            .one(ages, vec![], |row| row.get::<i64>(0))
            .await;
        assert_eq!(age.unwrap(), 30);
    }
    if !folder.is_on_a_server() {
        let copy = format!("{url}.v1");
        let before = Database::open(&copy, &BEFORE, Opening::Existing).await;
        let before = before.unwrap();
        let name = "SELECT name FROM person";
        let name = before.one(name, vec![], |row| row.get::<String>(0)).await;
        assert_eq!(name.unwrap(), "Ada");
    }
}

/// Vendors, also those that a statement without a mode adds. No word but these two gets into a row.
#[tokio::test]
async fn what_was_there_before_modes_is_live() {
    let folder = match server() {
        Some(server) => Folder::with_database(fresh(&server).await),
        None => Folder::new(),
    };
    let url = folder.database();
    let before = Schema {
        sqlite: sqlite::Schema {
            migrations: &SCHEMA.sqlite.migrations[..4],
            ..SCHEMA.sqlite
        },
        postgres: postgres::Schema {
            migrations: &SCHEMA.postgres.migrations[..4],
            oldest: 4,
            ..SCHEMA.postgres
        },
    };
    let add =
        "INSERT INTO vendor (client_id, name, secret_hash, created_at) VALUES (?1, 'x', ?2, 1)";
    let old = Database::open(&url, &before, Opening::Prepare)
        .await
        .unwrap();
    let insert = async |database: &Database, id: &'static str| {
        let hash = Hash::of("secret");
        let added = database.write(move |transaction| transaction.execute(add, values![id, hash]));
        added.await.unwrap();
    };
    insert(&old, "test_old").await;
    drop(old);
    let new = Database::open(&url, &SCHEMA, Opening::Prepare)
        .await
        .unwrap();
    insert(&new, "test_older_program").await;
    let modes = new.rows("SELECT mode FROM vendor", values![], |row| {
        row.get::<String>(0)
    });
    assert_eq!(modes.await.unwrap(), ["live", "live"]);
    for word in ["'Test'", "''", "NULL"] {
        let sql = format!("UPDATE vendor SET mode = {word}");
        let changed = new.write(move |transaction| transaction.execute(&sql, values![]));
        assert!(changed.await.is_err(), "{word}");
    }
}

//! What a release with one more migration does to a database of the release before it.

use crate::folder::Folder;
use crate::on_server::{fresh, server};
use pos_connect_foundation::database::{Database, Schema, Transaction};
use pos_connect_foundation::sqlite::Opening;
use pos_connect_foundation::{postgres, sqlite};

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

//! Copies, and what must not be made by mistake: databases, keys, schemas.

use crate::folder::Folder;
use crate::program::{Program, command, failure, json};
use crate::tokens::Pair;
use crate::world::World;
use pos_connect_foundation::sqlite;
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn count(database: &Path, table: &str) -> i64 {
    let database = Connection::open(database).unwrap();
    let sql = format!("SELECT count(*) FROM {table}");
    database.query_row(&sql, [], |row| row.get(0)).unwrap()
}

fn listed(folder: &Folder) -> Vec<String> {
    let entries = folder.path().read_dir().unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Beside a service that writes, and then put in the place of what was lost.
#[test]
fn a_copy_is_made_while_the_service_runs_and_starts_another_one() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let program = Program::serve(&folder, &["--demo", "--till-listen", "127.0.0.1:0"], None);
    let copy = elsewhere.path().join("test.db");
    let copied = json(&folder, &["backup", copy.to_str().unwrap()]);
    assert_eq!(copied["file"], copy.to_str().unwrap());
    assert_eq!((count(&copy, "vendor"), count(&copy, "account")), (1, 1));
    #[cfg(unix)]
    {
        let mode = fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let told = json(&folder, &["audit", "--event", "database.copied"]);
    assert_eq!(told.as_array().unwrap().len(), 1);
    let again = failure(&folder, &["backup", copy.to_str().unwrap()]);
    assert!(again.contains("no copy was made"), "{again}");
    assert_eq!(count(&copy, "vendor"), 1, "what is there stays");
    drop(program);
    // Without its key it does not start, and no other key takes its place.
    let error = failure(&elsewhere, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(
        error.contains("test.db.key") && error.contains("written with"),
        "{error}"
    );
    assert!(!listed(&elsewhere).contains(&"test.db.key".to_owned()));
    let key = folder.path().join("test.db.key");
    fs::copy(key, elsewhere.path().join("test.db.key")).unwrap();
    let restored = Program::serve(&elsewhere, &[], None);
    assert_eq!(
        json(&elsewhere, &["vendor", "list"])[0]["clientId"],
        "demo-till"
    );
    drop(restored);
}

/// What it never knew it refuses; that ends nothing which it knows.
#[tokio::test]
async fn an_older_copy_takes_its_own_tokens_and_no_later_ones() {
    let (world, elsewhere) = (World::on_sqlite().await, Folder::new());
    let (_, _, before) = world.picked_up().await;
    let copy = elsewhere.path().join("older.db");
    sqlite::copy(&world.folder.database(), &copy).unwrap();
    let after = Pair::of(&world.refresh(&before.refresh).await);
    let (token, _, later) = world.picked_up().await;
    let world = world.restored(&copy).await;
    for unknown in [&after, &later] {
        assert_eq!(world.account(&unknown.access).await.status, 401);
        let refused = world.refresh(&unknown.refresh).await;
        assert_eq!((refused.status, &*refused.code()), (400, "invalid_grant"));
    }
    assert_eq!(world.status(&token).await.code(), "invalid_integration");
    assert_eq!(world.account(&before.access).await.status, 200);
    let again = Pair::of(&world.refresh(&before.refresh).await);
    assert_eq!(world.account(&again.access).await.status, 200);
}

#[test]
fn a_service_that_was_asked_to_stop_leaves_no_log_of_writes() {
    let folder = Folder::new();
    let mut program = Program::serve(&folder, &["--demo", "--till-listen", "127.0.0.1:0"], None);
    program.signal("-TERM");
    assert_eq!(program.wait(), Some(0));
    let left = ["test.db", "test.db.key", "test.db.lock", "test.db.reserve"];
    assert_eq!(listed(&folder), left);
    let copy = folder.path().join("plain-copy.db");
    fs::copy(folder.path().join("test.db"), &copy).unwrap();
    assert_eq!(count(&copy, "vendor"), 1);
}

#[test]
fn commands_beside_the_service_make_no_database() {
    let folder = Folder::new();
    for command in [
        &["vendor", "list"][..],
        &["vendor", "add", "--name", "Till Co"],
        &["account", "add", "--email", "a@b.example", "--name", "X"],
        &["account", "list"],
        &["token-set", "revoke", "--vendor", "x"],
        &["message", "list"],
        &["backup", "copy.db"],
        &["migrate", "--to", "postgres://nobody@127.0.0.1:1/nothing"],
    ] {
        let error = failure(&folder, command);
        assert!(
            error.contains("there is no database") && error.contains("migrate"),
            "{error}"
        );
        assert!(error.contains("`--config`"), "{error}");
    }
    assert!(listed(&folder).is_empty());
}

#[test]
fn the_demo_takes_no_database_that_is_in_use() {
    let folder = Folder::prepared();
    json(&folder, &["vendor", "add", "--name", "Till Co"]);
    let error = failure(
        &folder,
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--demo",
            "--till-listen",
            "127.0.0.1:0",
        ],
    );
    assert!(error.contains("other vendors or accounts"), "{error}");
    assert_eq!(
        json(&folder, &["vendor", "list"]).as_array().unwrap().len(),
        1
    );
}

/// Names that mean something else to SQLite.
#[test]
fn a_copy_has_the_name_that_was_asked_for() {
    let folder = Folder::prepared();
    for name in ["file:copy.db", ":memory:"] {
        let copied = command(&folder, &["backup", name])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(copied.status.success(), "{copied:?}");
        let copy = folder.path().join(name);
        assert_eq!(count(&copy, "vendor"), 0);
        assert_eq!(
            fs::metadata(&copy).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    assert!(!folder.path().join("copy.db").exists());
}

#[cfg(unix)]
#[test]
fn files_that_others_can_read_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::prepared();
    let said = || {
        drop(Program::serve(&folder, &[], Some("info")));
        fs::read_to_string(folder.path().join("log")).unwrap()
    };
    assert!(!said().contains("others on this machine"));
    for name in ["test.db", "test.db.key"] {
        let file = folder.path().join(name);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let log = said();
        let line = log
            .lines()
            .find(|line| line.contains("others on this machine"));
        assert!(line.is_some_and(|line| line.contains(name)), "{log}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

//! A SQLite file: one writer thread, a pool of reader connections, numbered migrations, copies.

mod copy;
mod error;
mod exclusive;
mod health;
mod migration;
mod reader;
mod reserve;
mod staged;
mod writer;

pub use copy::copy;
pub use error::StoreError;
pub use exclusive::Exclusive;
pub use health::{Sizes, quick_check};
pub use migration::Schema;
pub use reserve::Reserve;
pub use staged::Staged;
pub(crate) use staged::sync_folder;
pub use writer::Notes;

use crate::private;
use reader::Readers;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use writer::Writer;

/// What a program may do to a database that is not there, or not as the program needs it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Opening {
    /// Make it, and bring its schema up to date.
    Prepare,
    /// Nothing: a mistyped path is an error, not an empty database.
    Existing,
    /// The same, for a command that contains an incident: with a full disk it may use the [`Reserve`].
    Contain,
}

/// The size that the write-ahead log keeps once all of it is in the file. A long reader beside it lets it grow, and
/// SQLite would leave it so for good. Four times what it has otherwise.
const LONGEST_LOG: u32 = 16 * 1024 * 1024;

/// One open file.
pub struct Database {
    // Closed first: SQLite takes the write-ahead log into the file when the last connection closes that can write.
    readers: Readers,
    writer: Writer,
}

impl Database {
    /// Opens `sqlite://FILE`. Before the schema of a database with data changes, a copy of the file is made beside it.
    pub fn open(url: &str, schema: &Schema, opening: Opening) -> Result<Self, StoreError> {
        let file = sqlite_file(url)?;
        match opening {
            Opening::Prepare => create_private(&file)?,
            Opening::Existing | Opening::Contain => {
                let is_there = file.try_exists();
                if !is_there.map_err(|error| unopened(&file, &error.to_string(), &error))? {
                    return Err(nothing_at(&file));
                }
            }
        }
        let reserve = (opening == Opening::Contain).then(|| Reserve::of(&file));
        if let Some(reserve) = &reserve {
            reserve.make_room();
        }
        let flags = OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = opened(&file, flags)?;
        if opening == Opening::Prepare && connection.is_readonly(MAIN_DB)? {
            return Err(closed_by_system(
                &file,
                "attempt to write a readonly database",
            ));
        }
        configure(&mut connection)?;
        // Before anything is written, so that another program's file stays as it is; and as of one moment.
        let version = schema.check(&*connection.transaction()?)?;
        if opening != Opening::Prepare && version < schema.latest() {
            return Err(schema.is_behind(version));
        }
        if version > 0 && version < schema.latest() {
            copy::before_migration(&connection, &file, version)?;
        }
        if opening == Opening::Prepare {
            private::warn_if_shared(&file);
            connection.pragma_update(None, "journal_mode", "WAL")?;
            schema.apply(&mut connection)?;
        }
        Ok(Self {
            readers: Readers::open(&file)?,
            writer: Writer::start(connection, reserve)?,
        })
    }

    /// Whether a row can be written: on a full disk, or one that is read-only now, it cannot.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            let version: i64 =
                transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
            // The same number: the page that holds it is written nevertheless.
            Ok(transaction.pragma_update(None, "user_version", version)?)
        })
        .await
    }
}

/// Why a command does not go on without a file.
pub fn nothing_at(file: &Path) -> StoreError {
    StoreError::Unsupported(format!(
        "there is no database {}; `--database` or `--config` names another, `migrate` and `serve` make one",
        file.display()
    ))
}

fn opened(file: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    Connection::open_with_flags(file, flags).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen) => closed_by_system(file, &error.to_string()),
        _ => error.into(),
    })
}

pub(crate) fn opened_to_read(file: &Path) -> Result<Connection, StoreError> {
    opened(
        file,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
}

/// The first column of all rows.
pub(crate) fn texts(
    connection: &Connection,
    sql: &str,
    values: &[&str],
) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?;
    rows.collect()
}

/// Why a file cannot be opened or written. SQLite does not say it, so the system is asked.
fn closed_by_system(file: &Path, text: &str) -> StoreError {
    let asked = OpenOptions::new().read(true).write(true).open(file);
    match asked {
        Err(error) => unopened(file, text, &error),
        Ok(_) => StoreError::Unavailable(text.to_owned()),
    }
}

/// After a restore, the file may be root's: then the one who serves it is not allowed to open it.
fn unopened(file: &Path, text: &str, error: &std::io::Error) -> StoreError {
    let file = file.display();
    match error.kind() {
        ErrorKind::PermissionDenied => StoreError::Unavailable(format!(
            "this user may not read and write {file}; run the command as its owner, or `chown` it to this user"
        )),
        _ => StoreError::Unavailable(text.to_owned()),
    }
}

/// Every connection waits for other processes (the CLI beside a running service) and survives power loss at every
/// commit.
fn configure(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_handler(Some(writer::wait_for_others))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // `INSERT OR REPLACE` deletes a row, and no trigger would see it.
    connection.pragma_update(None, "recursive_triggers", true)?;
    connection.pragma_update(None, "journal_size_limit", LONGEST_LOG)?;
    // What is erased is overwritten in the pages that are written anyway.
    connection.pragma_update(None, "secure_delete", "FAST")?;
    // SQLite is built with STAT4 here, and would plan a prepared statement anew for every new value: four times the
    // work of a read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// SQLite would let everybody read the file; its companions take the file's own permissions.
fn create_private(file: &Path) -> Result<(), StoreError> {
    match private::create(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(StoreError::Unavailable(
            format!("the database file cannot be created: {error}"),
        )),
        _ => Ok(()),
    }
}

/// The file that a database URL names.
pub fn sqlite_file(url: &str) -> Result<PathBuf, StoreError> {
    let refused = |text: &str| Err(StoreError::Unsupported(text.into()));
    match url.strip_prefix("sqlite://") {
        Some(file) if file.starts_with(':') || file.starts_with("file:") => refused(
            "the database must be a file on the disk: \":memory:\", other names that start with \":\", and \"file:\" \
             URIs are not supported",
        ),
        Some(file) if !file.is_empty() && !file.contains(['?', '#']) => Ok(PathBuf::from(file)),
        _ => refused("the database must be given as sqlite://FILE"),
    }
}

/// The file beside another one whose name has a suffix more.
pub fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: Schema = Schema {
        program: "the-program",
        application_id: 7,
        migrations: &["CREATE TABLE t (x)"],
    };

    #[test]
    fn a_url_names_a_file_on_the_disk() {
        for file in ["a.db", "/var/lib/a.db", "./a b.db"] {
            let url = format!("sqlite://{file}");
            assert_eq!(sqlite_file(&url).ok(), Some(PathBuf::from(file)), "{url}");
        }
        for url in [
            "a.db",
            "sqlite:a.db",
            "sqlite://",
            "sqlite://:memory:",
            "sqlite://file:a.db",
            "sqlite://a.db?mode=ro",
            "sqlite://a.db#x",
        ] {
            assert!(sqlite_file(url).is_err(), "{url}");
        }
    }

    /// As a backup beside a busy program is: what it reads is kept, and everything after it, too.
    #[tokio::test]
    async fn after_a_long_reader_the_write_ahead_log_is_short_again() {
        let name = format!("pos-connect-wal-{}.db", std::process::id());
        let file = std::env::temp_dir().join(&name);
        let url = format!("sqlite://{}", file.display());
        let database = Database::open(&url, &SCHEMA, Opening::Prepare).unwrap();
        let log = std::env::temp_dir().join(format!("{name}-wal"));
        let length = || std::fs::metadata(&log).unwrap().len();
        let write = |bytes: i64| {
            database.write(move |transaction| {
                let insert = "INSERT INTO t VALUES (zeroblob(?))";
                Ok(transaction.execute(insert, [bytes])?)
            })
        };
        let reader = Connection::open(&file).unwrap();
        reader
            .execute_batch("BEGIN; SELECT count(*) FROM t")
            .unwrap();
        while length() < 2 * u64::from(LONGEST_LOG) {
            write(1 << 20).await.unwrap();
        }
        drop(reader);
        // The one that takes it into the file, and the one that begins it anew.
        for _ in 0..2 {
            write(1).await.unwrap();
        }
        assert!(length() <= u64::from(LONGEST_LOG), "{}", length());
        drop(database);
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn a_file_of_another_user_is_named_with_what_to_do() {
        let file = Path::new("/var/lib/x/service.db");
        let said = |kind: ErrorKind| unopened(file, "sqlite's word", &kind.into()).to_string();
        let denied = said(ErrorKind::PermissionDenied);
        assert!(
            denied.contains("/var/lib/x/service.db") && denied.contains("`chown`"),
            "{denied}"
        );
        assert_eq!(said(ErrorKind::IsADirectory), "sqlite's word");
    }
}

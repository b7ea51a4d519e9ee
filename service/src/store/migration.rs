//! Schema migrations: numbered SQL files, forward only, each applied in one transaction together with its number.

use super::StoreError;
use rusqlite::{Connection, TransactionBehavior};

/// In order; the position is the schema version that a file leads to, so a released file never changes.
const MIGRATIONS: &[&str] = &[include_str!(
    "../../migrations/sqlite/0001_integrations.sql"
)];

/// The schema version that this program writes.
pub(super) const LATEST: usize = MIGRATIONS.len();

/// "POSC": tells our files from other programs' (`PRAGMA application_id`).
const APPLICATION_ID: i64 = 0x504F_5343;

pub(super) fn apply(connection: &mut Connection) -> Result<(), StoreError> {
    // Immediate: a second process that starts at the same time waits here and then finds the work done.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = check(&transaction)?;
    for migration in &MIGRATIONS[version..] {
        transaction.execute_batch(migration)?;
    }
    if version < LATEST {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", LATEST as i64)?;
    }
    Ok(transaction.commit()?)
}

/// The schema version of a database that is ours or empty. Writes nothing.
pub(super) fn check(connection: &Connection) -> Result<usize, StoreError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let version = usize::try_from(pragma("user_version")?).unwrap_or(usize::MAX);
    let application = pragma("application_id")?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION_ID && tables > 0 {
        return Err(StoreError::Unsupported(
            "this database belongs to another program".into(),
        ));
    }
    if version > LATEST {
        return Err(StoreError::Unsupported(format!(
            "the database has schema version {version}, but this program knows only {LATEST}: it was used by a newer \
             pos-connect-service; run that one, or restore a backup from before the upgrade"
        )));
    }
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrating_twice_changes_nothing_and_a_newer_schema_is_refused_untouched() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply(&mut connection).unwrap();
        apply(&mut connection).unwrap();
        connection
            .pragma_update(None, "user_version", LATEST as i64 + 1)
            .unwrap();
        let refused = apply(&mut connection).unwrap_err().to_string();
        assert!(refused.contains("newer pos-connect-service"), "{refused}");
        let version: i64 = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(version, LATEST as i64 + 1);
    }

    #[test]
    fn a_database_of_another_program_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
        assert!(
            apply(&mut connection)
                .unwrap_err()
                .to_string()
                .contains("another program")
        );
    }
}

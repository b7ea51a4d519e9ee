//! Schema migrations: numbered SQL files, forward only, each applied in one transaction together with its number.

use super::StoreError;
use rusqlite::{Connection, TransactionBehavior};

/// The schema of one program's database.
pub struct Schema {
    /// The program's name, for messages.
    pub program: &'static str,
    /// Tells its files from other programs' (`PRAGMA application_id`).
    pub application_id: i64,
    /// In order; the position is the schema version that a file leads to, so a released file never changes.
    pub migrations: &'static [&'static str],
}

impl Schema {
    /// The schema version that this program writes.
    pub const fn latest(&self) -> usize {
        self.migrations.len()
    }

    pub(super) fn apply(&self, connection: &mut Connection) -> Result<(), StoreError> {
        // Immediate: a second process that starts at the same time waits here and then finds the work done.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = self.check(&transaction)?;
        for migration in &self.migrations[version..] {
            transaction.execute_batch(migration)?;
        }
        if version < self.latest() {
            transaction.pragma_update(None, "application_id", self.application_id)?;
            transaction.pragma_update(None, "user_version", self.latest() as i64)?;
        }
        Ok(transaction.commit()?)
    }

    /// The error of a program that only looks.
    pub(super) fn is_behind(&self, version: usize) -> StoreError {
        StoreError::Unsupported(match version {
            0 => "the database is empty; `migrate` and `serve` prepare it".to_owned(),
            _ => format!(
                "the database has schema version {version}, and this program needs {}; `migrate` and `serve` bring it \
                 up to date",
                self.latest()
            ),
        })
    }

    /// The schema version of a database that is ours or empty. Writes nothing.
    pub(super) fn check(&self, connection: &Connection) -> Result<usize, StoreError> {
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let version = usize::try_from(pragma("user_version")?).unwrap_or(usize::MAX);
        let application = pragma("application_id")?;
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if application != self.application_id && tables > 0 {
            return Err(StoreError::Unsupported(
                "this database belongs to another program".into(),
            ));
        }
        if version > self.latest() {
            let (known, program) = (self.latest(), self.program);
            return Err(StoreError::Unsupported(format!(
                "the database has schema version {version}, but this program knows only {known}: it was used by a \
                 newer {program}; run that one, or restore a backup from before the upgrade"
            )));
        }
        Ok(version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: Schema = Schema {
        program: "the-program",
        application_id: 7,
        migrations: &["CREATE TABLE ours (x)"],
    };

    #[test]
    fn migrating_twice_changes_nothing_and_a_newer_schema_is_refused_untouched() {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.apply(&mut connection).unwrap();
        SCHEMA.apply(&mut connection).unwrap();
        connection
            .pragma_update(None, "user_version", SCHEMA.latest() as i64 + 1)
            .unwrap();
        let refused = SCHEMA.apply(&mut connection).unwrap_err().to_string();
        assert!(refused.contains("newer the-program"), "{refused}");
        let version: i64 = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(version, SCHEMA.latest() as i64 + 1);
    }

    #[test]
    fn a_database_of_another_program_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
        assert!(
            SCHEMA
                .apply(&mut connection)
                .unwrap_err()
                .to_string()
                .contains("another program")
        );
    }
}

//! The schema of the service's database, on each engine.

use pos_connect_foundation::{database, postgres, sqlite};

/// The service's tables.
pub const SCHEMA: database::Schema = database::Schema {
    sqlite: sqlite::Schema {
        program: "pos-connect-service",
        // "POSC"
        application_id: 0x504F_5343,
        migrations: &[
            include_str!("../../migrations/sqlite/0001_service.sql"),
            include_str!("../../migrations/sqlite/0002_traceparent.sql"),
            include_str!("../../migrations/sqlite/0003_admin_key.sql"),
            include_str!("../../migrations/sqlite/0004_second_factor.sql"),
            include_str!("../../migrations/sqlite/0005_mode.sql"),
            include_str!("../../migrations/sqlite/0006_storage_key.sql"),
            include_str!("../../migrations/sqlite/0007_passkey.sql"),
        ],
    },
    postgres: postgres::Schema {
        program: "pos-connect-service",
        name: "pos_connect_service",
        // "POSC"
        lock: 0x504F_5343,
        migrations: &[
            include_str!("../../migrations/postgres/0001_service.sql"),
            include_str!("../../migrations/postgres/0002_traceparent.sql"),
            include_str!("../../migrations/postgres/0003_admin_key.sql"),
            include_str!("../../migrations/postgres/0004_second_factor.sql"),
            include_str!("../../migrations/postgres/0005_mode.sql"),
            include_str!("../../migrations/postgres/0006_storage_key.sql"),
            include_str!("../../migrations/postgres/0007_passkey.sql"),
        ],
        oldest: 6,
    },
};
const _: () =
    assert!(0 < SCHEMA.postgres.oldest && SCHEMA.postgres.oldest <= SCHEMA.postgres.latest());

/// How SQLite finds what a statement asks for, in steps.
#[cfg(test)]
pub(super) fn plan(sql: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for migration in SCHEMA.sqlite.migrations {
        connection.execute_batch(migration).unwrap();
    }
    let explain = format!("EXPLAIN QUERY PLAN {sql}");
    let mut statement = connection.prepare(&explain).unwrap();
    let steps = statement.raw_query().mapped(|row| row.get(3));
    steps.map(Result::unwrap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_oldest_version_work_with_what_was_added() {
        assert_eq!(SCHEMA.postgres.first_breaking(), None);
    }
}

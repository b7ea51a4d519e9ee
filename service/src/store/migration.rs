//! The schema of the service's database, on each engine.

use pos_connect_foundation::{database, postgres, sqlite};

/// The service's tables.
pub const SCHEMA: database::Schema = database::Schema {
    sqlite: sqlite::Schema {
        program: "pos-connect-service",
        // "POSC"
        application_id: 0x504F_5343,
        migrations: &[include_str!("../../migrations/sqlite/0001_service.sql")],
    },
    postgres: postgres::Schema {
        program: "pos-connect-service",
        name: "pos_connect_service",
        // "POSC"
        lock: 0x504F_5343,
        migrations: &[include_str!("../../migrations/postgres/0001_service.sql")],
    },
};

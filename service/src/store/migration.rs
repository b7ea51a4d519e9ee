//! The schema of the service's database, on each engine.

use pos_connect_foundation::{database, postgres, sqlite};

/// The service's tables.
pub const SCHEMA: database::Schema = database::Schema {
    sqlite: sqlite::Schema {
        program: "pos-connect-service",
        // "POSC"
        application_id: 0x504F_5343,
        migrations: &[
            include_str!("../../migrations/sqlite/0001_integrations.sql"),
            include_str!("../../migrations/sqlite/0002_token_sets.sql"),
            include_str!("../../migrations/sqlite/0003_refresh_again.sql"),
            include_str!("../../migrations/sqlite/0004_operations.sql"),
            include_str!("../../migrations/sqlite/0005_dead_letters.sql"),
            include_str!("../../migrations/sqlite/0006_disabled_account.sql"),
            include_str!("../../migrations/sqlite/0007_purge.sql"),
            include_str!("../../migrations/sqlite/0008_sign_in.sql"),
            include_str!("../../migrations/sqlite/0009_fingerprint_secret.sql"),
            include_str!("../../migrations/sqlite/0010_connections.sql"),
            include_str!("../../migrations/sqlite/0011_audit.sql"),
            include_str!("../../migrations/sqlite/0012_webhooks.sql"),
            include_str!("../../migrations/sqlite/0013_quiet_vendors.sql"),
            include_str!("../../migrations/sqlite/0014_code.sql"),
            include_str!("../../migrations/sqlite/0015_retention.sql"),
            include_str!("../../migrations/sqlite/0016_unused_indexes.sql"),
            include_str!("../../migrations/sqlite/0017_gone_webhooks.sql"),
            include_str!("../../migrations/sqlite/0019_sealing_keys.sql"),
            include_str!("../../migrations/sqlite/0020_stored_bytes.sql"),
            include_str!("../../migrations/sqlite/0030_message_limits.sql"),
            include_str!("../../migrations/sqlite/0031_tills_of_orders.sql"),
            include_str!("../../migrations/sqlite/0032_audit_guard.sql"),
            include_str!("../../migrations/sqlite/0033_ereceipts.sql"),
            include_str!("../../migrations/sqlite/0034_opened.sql"),
        ],
    },
    postgres: postgres::Schema {
        program: "pos-connect-service",
        name: "pos_connect_service",
        // "POSC"
        lock: 0x504F_5343,
        migrations: &[
            include_str!("../../migrations/postgres/0001_service.sql"),
            include_str!("../../migrations/postgres/0002_webhooks.sql"),
            include_str!("../../migrations/postgres/0003_quiet_vendors.sql"),
            include_str!("../../migrations/postgres/0004_code.sql"),
            include_str!("../../migrations/postgres/0005_retention.sql"),
            include_str!("../../migrations/postgres/0006_unused_indexes.sql"),
            include_str!("../../migrations/postgres/0007_gone_webhooks.sql"),
            include_str!("../../migrations/postgres/0009_sealing_keys.sql"),
            include_str!("../../migrations/postgres/0010_stored_bytes.sql"),
            include_str!("../../migrations/postgres/0020_message_limits.sql"),
            include_str!("../../migrations/postgres/0021_tills_of_orders.sql"),
            include_str!("../../migrations/postgres/0022_audit_guard.sql"),
            include_str!("../../migrations/postgres/0023_ereceipts.sql"),
            include_str!("../../migrations/postgres/0024_opened.sql"),
        ],
    },
};

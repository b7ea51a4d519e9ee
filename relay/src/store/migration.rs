//! The tables, on each engine.

use pos_connect_foundation::database::Schema;
use pos_connect_foundation::{postgres, sqlite};

/// "POSR", which marks a database as a relay's.
const POSR: i64 = 0x504F_5352;

/// The relay's tables.
pub const SCHEMA: Schema = Schema {
    sqlite: sqlite::Schema {
        program: "pos-connect-relay",
        application_id: POSR,
        migrations: &[
            include_str!("../../migrations/sqlite/0001_relay.sql"),
            include_str!("../../migrations/sqlite/0002_fleet.sql"),
            include_str!("../../migrations/sqlite/0003_till_of_fleet_key.sql"),
            include_str!("../../migrations/sqlite/0004_request_of_till.sql"),
            include_str!("../../migrations/sqlite/0005_storage_key.sql"),
        ],
    },
    postgres: postgres::Schema {
        program: "pos-connect-relay",
        name: "pos_connect_relay",
        lock: POSR,
        migrations: &[
            include_str!("../../migrations/postgres/0001_relay.sql"),
            include_str!("../../migrations/postgres/0002_fleet.sql"),
            include_str!("../../migrations/postgres/0003_till_of_fleet_key.sql"),
            include_str!("../../migrations/postgres/0004_request_of_till.sql"),
            include_str!("../../migrations/postgres/0005_storage_key.sql"),
        ],
        oldest: 5,
    },
};
const _: () =
    assert!(0 < SCHEMA.postgres.oldest && SCHEMA.postgres.oldest <= SCHEMA.postgres.latest());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_oldest_version_work_with_what_was_added() {
        assert_eq!(SCHEMA.postgres.first_breaking(), None);
    }
}

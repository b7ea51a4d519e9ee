//! Rows as the store gives them.

use crate::store::{AuditEntry, Facts, Integration, PickupState, Till, TokenSet, named};
use pos_connect_foundation::clock::Timestamp;
use rusqlite::Row;
use rusqlite::types::Type;

pub(super) fn read_till(row: &Row<'_>) -> rusqlite::Result<Till> {
    Ok(Till {
        label: row.get(0)?,
        key: row.get(1)?,
        merchant: row.get(2)?,
        name: row.get(3)?,
        created_at: row.get(4)?,
        revoked: row.get(5)?,
    })
}

pub(super) fn read_integration(row: &Row<'_>) -> rusqlite::Result<Integration> {
    let word = || rusqlite::Error::InvalidColumnType(6, "unknown word".into(), Type::Text);
    Ok(Integration {
        hash: row.get(0)?,
        till: row.get(1)?,
        merchant: row.get(2)?,
        sealed_token: row.get(3)?,
        reissues: row.get(4)?,
        sealed_pickup: row.get(5)?,
        pickup: PickupState::parse(row.get_ref(6)?.as_str()?).ok_or_else(word)?,
    })
}

pub(super) fn read_token_set(row: &Row<'_>) -> rusqlite::Result<TokenSet> {
    Ok(TokenSet {
        integration: row.get(0)?,
        merchant: row.get(1)?,
        version: row.get(2)?,
        sealed_tokens: row.get(3)?,
        handed_out: row.get(4)?,
        facts: Facts {
            ereceipt: row.get(5)?,
            expiration: row.get(6)?,
            expires_at: row.get(7)?,
            account: named(row.get(8)?, row.get(9)?),
            store: named(row.get(13)?, row.get(14)?),
        },
        acknowledged: row.get(10)?,
        ended: row.get(11)?,
        refused: row.get(12)?,
        can_be_taken_back: row.get(15)?,
    })
}

pub(super) fn read_entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        at: row.get::<_, Timestamp>(0)?.to_string(),
        event: row.get(1)?,
        actor: row.get(2)?,
        merchant: row.get(3)?,
        subject: row.get(4)?,
    })
}

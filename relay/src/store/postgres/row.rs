//! Rows as the store gives them.

use crate::store::{
    AuditEntry, Facts, Integration, PickupState, StoreError, Till, TokenSet, named,
};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::postgres::fault;
use pos_connect_foundation::token::Hash;
use tokio_postgres::Row;

pub(super) fn get<'r, T: tokio_postgres::types::FromSql<'r>>(
    row: &'r Row,
    column: usize,
) -> Result<T, StoreError> {
    row.try_get(column).map_err(fault)
}

pub(super) fn hash(row: &Row, column: usize) -> Result<Hash, StoreError> {
    let bytes: &[u8] = get(row, column)?;
    let bytes = bytes.try_into();
    bytes
        .map(Hash::from_bytes)
        .map_err(|_| StoreError::Fault("a hash of another length".into()))
}

pub(super) fn read_till(row: &Row) -> Result<Till, StoreError> {
    Ok(Till {
        label: get(row, 0)?,
        key: hash(row, 1)?,
        merchant: get(row, 2)?,
        name: get(row, 3)?,
        created_at: Timestamp(get(row, 4)?),
        revoked: get(row, 5)?,
    })
}

pub(super) fn read_integration(row: &Row) -> Result<Integration, StoreError> {
    let pickup = PickupState::parse(get(row, 6)?);
    Ok(Integration {
        hash: hash(row, 0)?,
        till: get(row, 1)?,
        merchant: get(row, 2)?,
        sealed_token: get(row, 3)?,
        reissues: get(row, 4)?,
        sealed_pickup: get(row, 5)?,
        pickup: pickup.ok_or_else(|| StoreError::Fault("an unknown word".into()))?,
    })
}

pub(super) fn read_token_set(row: &Row) -> Result<TokenSet, StoreError> {
    Ok(TokenSet {
        integration: hash(row, 0)?,
        merchant: get(row, 1)?,
        version: get(row, 2)?,
        sealed_tokens: get(row, 3)?,
        handed_out: get(row, 4)?,
        facts: Facts {
            ereceipt: get(row, 5)?,
            expiration: get(row, 6)?,
            expires_at: get::<Option<i64>>(row, 7)?.map(Timestamp),
            account: named(get(row, 8)?, get(row, 9)?),
            store: named(get(row, 13)?, get(row, 14)?),
        },
        acknowledged: get(row, 10)?,
        ended: get(row, 11)?,
        refused: get(row, 12)?,
        can_be_taken_back: get(row, 15)?,
    })
}

pub(super) fn read_entry(row: &Row) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        at: Timestamp(get(row, 0)?).to_string(),
        event: get(row, 1)?,
        actor: get(row, 2)?,
        merchant: get(row, 3)?,
        subject: get(row, 4)?,
    })
}

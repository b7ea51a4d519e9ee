//! Receipts: which order a link opens.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Session};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use pos_connect_protocol::order::Order;
use pos_connect_protocol::store::StoreProfile;

/// What a receipt shows.
pub struct StoredReceipt {
    /// The order, without the number.
    pub order: Order,
    /// What shoppers may know of the store.
    pub profile: StoreProfile,
    /// The store's name, for a profile without one.
    pub store: String,
}

impl Store {
    /// The receipt behind a link, as long as it can be opened.
    pub async fn receipt(
        &self,
        link: &Hash,
        now: Timestamp,
    ) -> Result<Option<StoredReceipt>, StoreError> {
        let sql = "SELECT o.hash, o.sealed, store.name, store.profile
                   FROM receipt JOIN store_order o ON o.id = receipt.order_id JOIN store ON store.id = o.store_id
                   WHERE receipt.hash = ?1 AND receipt.expires_at > ?2";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let found = self.row(sql, values![link, now], read).await?;
        let Some((row, sealed, store, profile)): Option<(Hash, Vec<u8>, String, String)> = found
        else {
            return Ok(None);
        };
        Ok(Some(StoredReceipt {
            order: opened(&self.sealer, &row, &sealed)?,
            profile: serde_json::from_str(&profile).map_err(|_| unreadable())?,
            store,
        }))
    }
}

pub(super) fn add_receipt(
    session: &Session<'_>,
    order: i64,
    link: &Hash,
    until: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO receipt (hash, order_id, expires_at) VALUES (?1, ?2, ?3)";
    session.execute(sql, values![link, order, until])?;
    Ok(())
}

/// A stored order.
pub(super) fn opened(sealer: &Sealer, row: &Hash, sealed: &[u8]) -> Result<Order, StoreError> {
    let content = sealer.open(Purpose::Order, row, sealed)?;
    serde_json::from_slice(&content).map_err(|_| unreadable())
}

fn unreadable() -> StoreError {
    StoreError::Fault("a stored order or profile cannot be read".into())
}

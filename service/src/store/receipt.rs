//! Receipts: which order a link opens, one for each e-receipt.

use super::kept_order::KeptOrder;
use super::mode::read_mode;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use pos_connect_protocol::order::Order;
use pos_connect_protocol::store::StoreProfile;

/// Characters of a receipt's link: 62^22 > 2^130. Text messages are short.
pub(crate) const LINK_LENGTH: usize = 22;

/// What a receipt shows.
pub struct StoredReceipt {
    /// The order, without the number.
    pub order: Order,
    /// What shoppers may know of the store.
    pub profile: StoreProfile,
    /// Whose it is: the account's name, as the operator has it.
    pub account: String,
    /// The account's logo, as a `data:` URI.
    pub logo: Option<String>,
    /// The store's name, for a profile without one.
    pub store: String,
    /// What the refunded order is called: as the till has said, if the service has that order.
    pub refund_of: Option<String>,
    /// When the link ends.
    pub until: Timestamp,
    /// Whether it is real.
    pub mode: Mode,
}

impl Store {
    /// The receipt behind a link, as long as it can be opened.
    pub async fn receipt(
        &self,
        link: &Hash,
        now: Timestamp,
    ) -> Result<Option<StoredReceipt>, StoreError> {
        let sql = "SELECT o.hash, o.sealed, account.name, store.name, store.profile, account.logo, o.vendor_id,
                     o.store_id, receipt.expires_at, vendor.mode
                   FROM receipt JOIN store_order o ON o.id = receipt.order_id JOIN store ON store.id = o.store_id
                     JOIN account ON account.id = store.account_id JOIN vendor ON vendor.id = o.vendor_id
                   WHERE receipt.hash = ?1 AND receipt.expires_at > ?2";
        let read = |row: &Row<'_>| {
            let (hash, sealed): (Hash, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let profile: String = row.get(4)?;
            let receipt = StoredReceipt {
                order: KeptOrder::open(&self.sealer, &hash, &sealed)?.newest(),
                account: row.get(2)?,
                store: row.get(3)?,
                profile: serde_json::from_str(&profile).map_err(unreadable)?,
                logo: row.get(5)?,
                refund_of: None,
                until: row.get(8)?,
                mode: read_mode(row, 9)?,
            };
            Ok((receipt, row.get(6)?, row.get(7)?))
        };
        let Some((mut receipt, vendor, store)) = self.row(sql, values![link, now], read).await?
        else {
            return Ok(None);
        };
        if let Some(sale) = &receipt.order.refund_of {
            let known = self.order(vendor, store, None, sale).await?;
            receipt.refund_of =
                Some(known.map_or(sale.clone(), |known| known.order.number().into()));
        }
        Ok(Some(receipt))
    }
}

pub(super) fn add_receipt(
    transaction: &Transaction<'_>,
    order: i64,
    link: &Hash,
    until: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO receipt (hash, order_id, expires_at) VALUES (?1, ?2, ?3)";
    transaction.execute(sql, values![link, order, until])?;
    Ok(())
}

fn unreadable(_: serde_json::Error) -> StoreError {
    StoreError::Fault("a stored profile cannot be read".into())
}

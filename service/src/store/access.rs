//! Access tokens: the point read that every call with one makes.

use super::mode::read_mode;
use super::{Store, StoreError};
use crate::clock::{Timestamp, millis};
use crate::token::Hash;
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use std::time::Duration;

/// Whom a valid access token speaks for.
pub struct TokenOwner {
    /// Row number of the vendor it was handed to.
    pub vendor: i64,
    /// The vendor's client_id.
    pub client_id: String,
    /// That of the vendor, and of the account.
    pub mode: Mode,
    /// When it expires.
    pub until: Timestamp,
    /// When its token set was noted as used; `None` if no token of its pair was used before.
    pub used_at: Option<Timestamp>,
    /// The merchant's choice.
    pub ereceipt: bool,
    /// Public id of the account.
    pub account_id: String,
    /// Name of the account.
    pub account_name: String,
    /// The countries that its messages go to, as `IL US`, if it has its own.
    pub message_regions: Option<String>,
    /// Row number of the store.
    pub store: i64,
    /// Public id of the store.
    pub store_id: String,
    /// Name of the store.
    pub store_name: String,
}

/// A call with an access token, as far as its connection notes it.
#[derive(Clone, Copy)]
pub struct TokenUse {
    /// When it came.
    pub at: Timestamp,
    /// Whether it changes nothing.
    pub looks: bool,
}

/// The time of the last use is for the merchant: orders that come within a minute cost no write each.
const NOTED_EVERY: Duration = Duration::from_secs(60);

impl TokenUse {
    /// Whether what is noted is enough. A relay looks by itself while the shop is closed: of calls that only look, the
    /// first one of each pair is noted.
    pub fn is_noted(self, used_at: Option<Timestamp>) -> bool {
        used_at.is_some_and(|at| self.looks || (self.at.0 - at.0).abs() < millis(NOTED_EVERY))
    }
}

impl Store {
    /// Whom an access token speaks for; `None` for one that is not valid, or whose vendor is disabled or has another
    /// mode than the account.
    pub async fn access(
        &self,
        token: &Hash,
        now: Timestamp,
    ) -> Result<Option<TokenOwner>, StoreError> {
        const SQL: &str =
            "SELECT i.vendor_id, t.access_until,
                CASE WHEN t.pair_used_at IS NOT NULL THEN t.used_at END, i.ereceipt,
                account.public_id, account.name, store.public_id, store.name, store.id, vendor.client_id,
                account.message_regions, vendor.mode
             FROM token_set t JOIN integration i ON i.hash = t.integration_hash
               JOIN vendor ON vendor.id = i.vendor_id AND vendor.disabled_at IS NULL
               JOIN account ON account.id = i.owner_id AND account.mode = vendor.mode
               JOIN store ON store.id = i.store_id
             WHERE t.access_hash = ?1 AND t.revoked_at IS NULL AND t.access_until > ?2";
        self.row(SQL, values![token, now], |row| {
            Ok(TokenOwner {
                vendor: row.get(0)?,
                until: row.get(1)?,
                used_at: row.get(2)?,
                ereceipt: row.get(3)?,
                account_id: row.get(4)?,
                account_name: row.get(5)?,
                store_id: row.get(6)?,
                store_name: row.get(7)?,
                store: row.get(8)?,
                client_id: row.get(9)?,
                message_regions: row.get(10)?,
                mode: read_mode(row, 11)?,
            })
        })
        .await
    }
}

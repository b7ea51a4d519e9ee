//! Token sets as the operator sees them.

use super::account::named;
use super::{RevocationScope, Store, StoreError};
use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_foundation::database::Row;
use pos_connect_foundation::values;
use schemars::JsonSchema;
use serde::Serialize;

/// A token set that is valid, or still waits to be picked up.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenSetSummary {
    /// The hash of its integration.
    #[serde(skip)]
    pub hash: Hash,
    /// The integration, as the log and the audit name it.
    pub integration: String,
    /// The vendor that holds it.
    pub client_id: String,
    /// The merchant's account.
    pub account: String,
    /// The store.
    pub store: String,
    /// When the merchant consented.
    pub since: String,
    /// Whether it was picked up.
    pub picked_up: bool,
    /// When a token of it was used last, by the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// Those of a scope that a revocation would end, after an integration.
const LIST: &str = "SELECT i.hash, vendor.client_id, account.public_id, store.public_id, i.decided_at,
       t.integration_hash IS NOT NULL, t.used_at
     FROM integration i JOIN vendor ON vendor.id = i.vendor_id JOIN account ON account.id = i.owner_id
       JOIN store ON store.id = i.store_id LEFT JOIN token_set t ON t.integration_hash = i.hash
     WHERE i.hash > ?1 AND i.status = 'finished'
       AND (CAST(?3 AS text) IS NULL OR vendor.client_id = CAST(?3 AS text))
       AND (CAST(?4 AS text) IS NULL OR account.email = CAST(?4 AS text) OR account.public_id = CAST(?4 AS text))
       AND (CAST(?5 AS text) IS NULL OR store.public_id = CAST(?5 AS text))
       AND CASE WHEN t.integration_hash IS NULL THEN i.claimed_at IS NULL AND i.pickup_until > ?2
                ELSE t.revoked_at IS NULL AND t.refresh_until > ?2 END
     ORDER BY i.hash LIMIT ?6";

impl Store {
    /// The token sets of a scope, in the order of their integrations' hashes.
    pub async fn token_sets(
        &self,
        scope: RevocationScope,
        after: Option<Hash>,
        limit: u32,
        now: Timestamp,
    ) -> Result<Vec<TokenSetSummary>, StoreError> {
        let after = after.map_or_else(Vec::new, |hash| hash.bytes().to_vec());
        let account = scope.account.as_deref().map(named);
        let values = values![after, now, scope.vendor, account, scope.store, limit];
        let read = |row: &Row<'_>| {
            let (hash, used_at): (Hash, Option<Timestamp>) = (row.get(0)?, row.get(6)?);
            Ok(TokenSetSummary {
                hash,
                integration: hash.label(),
                client_id: row.get(1)?,
                account: row.get(2)?,
                store: row.get(3)?,
                since: row.get::<Timestamp>(4)?.to_string(),
                picked_up: row.get(5)?,
                last_used_at: used_at.map(|at| at.to_string()),
            })
        };
        self.rows(LIST, values, read).await
    }
}

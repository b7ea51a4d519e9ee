//! Token sets as the operator sees them.

use super::walk::Walk;
use super::{RevocationScope, Store, StoreError};
use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_foundation::database::Row;
use pos_connect_foundation::values;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

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

/// Token sets of a scope that are valid or wait to be picked up, of some integrations. A revocation also ends those
/// whose refresh token has expired.
const LIST: &str = "SELECT i.hash, vendor.client_id, account.public_id, store.public_id, i.decided_at,
       t.integration_hash IS NOT NULL, t.used_at
     FROM integration i JOIN vendor ON vendor.id = i.vendor_id JOIN account ON account.id = i.owner_id
       JOIN store ON store.id = i.store_id LEFT JOIN token_set t ON t.integration_hash = i.hash
     WHERE i.hash > ?1 AND i.hash <= ?2 AND i.status = 'finished'
       AND (CAST(?5 AS bigint) IS NULL OR i.vendor_id = CAST(?5 AS bigint))
       AND (CAST(?6 AS bigint) IS NULL OR i.owner_id = CAST(?6 AS bigint))
       AND (CAST(?7 AS bigint) IS NULL OR i.store_id = CAST(?7 AS bigint))
       AND CASE WHEN t.integration_hash IS NULL THEN i.claimed_at IS NULL AND i.pickup_until > ?4
                ELSE t.revoked_at IS NULL AND t.refresh_until > ?4 END
     ORDER BY i.hash LIMIT ?3";

/// Which token sets are asked for.
#[derive(Debug)]
pub struct TokenSetPage {
    /// Whose.
    pub scope: RevocationScope,
    /// Only what comes after this integration.
    pub after: Option<Hash>,
    /// Token sets at most.
    pub limit: u32,
}

impl Store {
    /// The token sets of a scope, in the order of their integrations' hashes, and where it goes on that it has not
    /// looked at in this time. `Err` names what of the scope is not there.
    pub async fn token_sets(
        &self,
        page: TokenSetPage,
        longest: Duration,
        now: Timestamp,
    ) -> Result<Result<(Vec<TokenSetSummary>, Option<Hash>), &'static str>, StoreError> {
        let rows = match page.scope.rows(self).await? {
            Ok(rows) => rows,
            Err(noun) => return Ok(Err(noun)),
        };
        let walk = Walk {
            table: "integration",
            key: "hash",
            list: LIST.into(),
            values: values![now, rows.vendor, rows.account, rows.store],
            after: page.after.unwrap_or(Hash::from_bytes([0; 32])),
            last: Hash::from_bytes([0xff; 32]),
            limit: page.limit,
            longest,
        };
        self.walk(walk, summary).await.map(Ok)
    }
}

fn summary(row: &Row<'_>) -> Result<TokenSetSummary, StoreError> {
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
}

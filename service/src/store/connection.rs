//! What a merchant has connected: token sets that are valid, and those that still wait to be picked up.

use super::audit::{Act, record};
use super::event::{Happening, tell};
use super::token_set::end;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_foundation::database::Row;
use pos_connect_foundation::values;

/// A connection, as its merchant sees it.
pub struct Connection {
    /// Hash of the integration.
    pub integration: Hash,
    /// Name of the vendor.
    pub vendor: String,
    /// Name of the store.
    pub store: String,
    /// When the merchant consented.
    pub since: Timestamp,
}

const OF_ACCOUNT: &str = "SELECT i.hash, vendor.name, store.name, i.decided_at
     FROM integration i JOIN vendor ON vendor.id = i.vendor_id JOIN store ON store.id = i.store_id
       LEFT JOIN token_set t ON t.integration_hash = i.hash
     WHERE i.owner_id = ?1 AND i.status = 'finished' AND CASE WHEN t.integration_hash IS NULL
       THEN i.pickup_until > ?2 ELSE t.revoked_at IS NULL AND t.refresh_until > ?2 END
     ORDER BY i.decided_at DESC, i.hash";

fn read(row: &Row<'_>) -> Result<Connection, StoreError> {
    Ok(Connection {
        integration: row.get(0)?,
        vendor: row.get(1)?,
        store: row.get(2)?,
        since: row.get(3)?,
    })
}

impl Store {
    /// The connections of an account, the newest first.
    pub async fn connections(
        &self,
        account: i64,
        now: Timestamp,
    ) -> Result<Vec<Connection>, StoreError> {
        self.rows(OF_ACCOUNT, values![account, now], read).await
    }

    /// Ends a connection of an account; gives what it was. `None` if the account has no such connection any more.
    pub async fn disconnect(
        &self,
        account: i64,
        integration: Hash,
        act: Act,
    ) -> Result<Option<Connection>, StoreError> {
        let now = act.now;
        self.write(move |session| {
            let all = session.rows(OF_ACCOUNT, values![account, now], read)?;
            let found = all.into_iter().find(|one| one.integration == integration);
            if found.is_some() {
                if !end(session, &integration, "merchant", now)? {
                    // Nobody has picked it up yet.
                    tell(session, &integration, Happening::Revoked("merchant"), now)?;
                }
                record(session, "connection.disconnected", Some(&integration.label()), &act)?;
                session.execute(
                    "UPDATE integration SET pickup_until = ?2 WHERE hash = ?1 AND claimed_at IS NULL",
                    values![integration, now],
                )?;
                session.on_commit(
                    move || tracing::info!(integration = %integration.label(), "its merchant has disconnected it"),
                );
            }
            Ok(found)
        })
        .await
    }
}

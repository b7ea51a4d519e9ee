//! Token sets that were picked up.

use super::audit::Record;
use super::{Actor, Lease, Store, StoreError};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use pos_connect_protocol::{self as protocol, Account, Named};

/// A token set that was picked up.
#[derive(Clone, Debug)]
pub struct TokenSet {
    /// Hash of the integration token.
    pub integration: Hash,
    /// Whose it is.
    pub merchant: String,
    /// Counts the refreshes.
    pub version: i64,
    /// Both tokens, sealed; `None` once they are handed over or replaced.
    pub sealed_tokens: Option<Vec<u8>>,
    /// Whether the till gets the tokens; decided when they are kept.
    pub handed_out: bool,
    /// What every till of the merchant may know.
    pub info: TokenSetInfo,
    /// Whether the till said that it has the tokens.
    pub acknowledged: bool,
    /// Whether the service stopped taking them, the merchant was disconnected, or another set took their place.
    pub ended: bool,
    /// Whether it is of another account or store than the merchant's: it is only there to be revoked.
    pub refused: bool,
    /// Whether its tokens are still there though the service stopped taking them.
    pub can_be_taken_back: bool,
}

/// What is no secret about a token set.
#[derive(Clone, Debug)]
pub struct TokenSetInfo {
    /// Whether the till offers e-receipts.
    pub ereceipt: bool,
    /// When the access token expires, as the tills are told it.
    pub expiration: Option<String>,
    /// The same, where it could be read.
    pub expires_at: Option<Timestamp>,
    /// Whose account it is.
    pub account: Option<Account>,
    /// Which of its stores.
    pub store: Option<protocol::Store>,
}

/// A pair that a refresh gave.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// Hash of the integration token.
    pub integration: Hash,
    /// The version that was refreshed.
    pub version: i64,
    /// Both tokens, sealed.
    pub sealed_tokens: Vec<u8>,
    /// As the tills are told it.
    pub expiration: Option<String>,
    /// The same, where it could be read.
    pub expires_at: Option<Timestamp>,
    /// The account's choice now, if the service said it.
    pub ereceipt: Option<bool>,
}

/// What [`read`] reads.
pub(super) const TOKEN_SET: &str = "SELECT integration_hash, merchant, version, sealed_tokens, handed_out, ereceipt,
       expiration, expires_at, account_id, account_name, acknowledged_at IS NOT NULL, ended_at IS NOT NULL, refused,
       store_id, store_name, sealed_ended IS NOT NULL FROM token_set";

pub(super) fn read(row: &Row<'_>) -> Result<TokenSet, StoreError> {
    let named = |id: Option<String>, name| id.zip(name).map(|(id, name)| Named { id, name });
    Ok(TokenSet {
        integration: row.get(0)?,
        merchant: row.get(1)?,
        version: row.get(2)?,
        sealed_tokens: row.get(3)?,
        handed_out: row.get(4)?,
        info: TokenSetInfo {
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

impl Store {
    /// The token set of an integration.
    pub async fn token_set(&self, integration: &Hash) -> Result<Option<TokenSet>, StoreError> {
        let sql = format!("{TOKEN_SET} WHERE integration_hash = ?1");
        self.database.row(&sql, values![integration], read).await
    }

    /// The till has the tokens: forgets them. Idempotent.
    pub async fn acknowledge(&self, integration: &Hash, now: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET acknowledged_at = coalesce(acknowledged_at, ?2), sealed_tokens = NULL
                   WHERE integration_hash = ?1 AND handed_out AND NOT refused AND ended_at IS NULL";
        self.change(sql, values![integration, now]).await?;
        Ok(())
    }

    /// Puts a refreshed pair in the place of the version it came from; false if that one is not there any more, or the
    /// lease is another relay's by now. Of an ended set, too: what is to be revoked is the newest pair.
    pub async fn replace(&self, new: Refreshed, lease: &Lease) -> Result<bool, StoreError> {
        let fence = lease.fence();
        let replace = move |transaction: &Transaction<'_>| {
            if !fence.holds(transaction)? {
                return Ok(false);
            }
            let Refreshed {
                integration,
                version,
                ..
            } = &new;
            let sql = "UPDATE token_set SET version = version + 1, sealed_tokens = ?3, expiration = ?4, expires_at = ?5,
                         ereceipt = coalesce(?6, ereceipt)
                       WHERE integration_hash = ?1 AND version = ?2 AND sealed_tokens IS NOT NULL";
            let row = values![
                integration,
                version,
                new.sealed_tokens,
                new.expiration,
                new.expires_at,
                new.ereceipt
            ];
            if transaction.execute(sql, row)? == 1 {
                return Ok(true);
            }
            // Under our own lease nobody else has replaced it: the answer to our own commit was lost.
            let ours = "SELECT 1 FROM token_set WHERE integration_hash = ?1 AND version = ?2";
            transaction.exists(ours, values![integration, version + 1])
        };
        self.database.write(replace).await
    }

    /// The merchant's choice now, as the service says it to this version.
    pub async fn choose(
        &self,
        integration: &Hash,
        version: i64,
        ereceipt: bool,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET ereceipt = ?3 WHERE integration_hash = ?1 AND version = ?2";
        self.change(sql, values![integration, version, ereceipt])
            .await?;
        Ok(())
    }

    /// The service stopped taking this version. Its tokens are put aside until [`Store::forget_ended`].
    pub async fn end(&self, set: &TokenSet, now: Timestamp) -> Result<(), StoreError> {
        let sql =
            "UPDATE token_set SET ended_at = ?3, sealed_ended = sealed_tokens, sealed_tokens = NULL
                   WHERE integration_hash = ?1 AND version = ?2 AND ended_at IS NULL";
        let note = Record::new("token_set.ended", &Actor::Service, now)
            .of(&set.merchant)
            .about(&set.integration.label());
        self.change_noted(sql, values![set.integration, set.version, now], note)
            .await?;
        Ok(())
    }

    /// Erases the tokens of sets that the service stopped taking before a moment; says of how many.
    pub async fn forget_ended(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sql = "UPDATE token_set SET sealed_ended = NULL WHERE sealed_ended IS NOT NULL AND ended_at < ?1";
        self.change(sql, values![before]).await
    }

    /// Ended token sets whose tokens are still to be revoked at the service.
    pub async fn unrevoked(&self) -> Result<Vec<Hash>, StoreError> {
        let sql = "SELECT integration_hash FROM token_set WHERE ended_at IS NOT NULL AND sealed_tokens IS NOT NULL";
        self.database.rows(sql, values![], |row| row.get(0)).await
    }

    /// The service has revoked this version: forgets its tokens.
    pub async fn revoked(&self, integration: &Hash, version: i64) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET sealed_tokens = NULL
                   WHERE integration_hash = ?1 AND version = ?2 AND ended_at IS NOT NULL";
        self.change(sql, values![integration, version]).await?;
        Ok(())
    }

    /// Held token sets that expire between two moments, with their versions.
    pub async fn due(
        &self,
        after: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<(Hash, i64)>, StoreError> {
        let sql = "SELECT integration_hash, version FROM token_set
                   WHERE NOT handed_out AND ended_at IS NULL AND sealed_tokens IS NOT NULL
                     AND expires_at BETWEEN ?1 AND ?2";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        self.database.rows(sql, values![after, before], read).await
    }
}

//! The connections of merchants: of each, its newest token set.

use super::audit::Record;
use super::token_set::{TOKEN_SET, read};
use super::{Actor, Store, StoreError, TokenSet};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::values;

impl Store {
    /// The merchant's newest token set.
    pub async fn connection(&self, merchant: &str) -> Result<Option<TokenSet>, StoreError> {
        let sql =
            format!("{TOKEN_SET} WHERE merchant = ?1 AND NOT refused ORDER BY number DESC LIMIT 1");
        self.database.row(&sql, values![merchant], read).await
    }

    /// The newest token set of each merchant, by the merchant's name.
    pub async fn connections(&self) -> Result<Vec<TokenSet>, StoreError> {
        let newest = "SELECT max(number) FROM token_set
                      WHERE token_set.merchant = newest.merchant AND NOT token_set.refused";
        let sql = format!("{TOKEN_SET} AS newest WHERE number = ({newest}) ORDER BY merchant");
        self.database.rows(&sql, values![], read).await
    }

    /// Makes the merchant's newest set its connection again, if it ended because the service stopped taking it, and its
    /// tokens are still there. Says whether.
    pub async fn take_back(&self, merchant: &str, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "UPDATE token_set SET ended_at = NULL, sealed_tokens = sealed_ended, sealed_ended = NULL
                   WHERE merchant = ?1 AND sealed_ended IS NOT NULL
                     AND number = (SELECT max(number) FROM token_set WHERE merchant = ?1 AND NOT refused)";
        let note = Record::new("merchant.taken_back", &Actor::Operator, now).of(merchant);
        Ok(self.change_noted(sql, values![merchant], note).await? == 1)
    }

    /// Ends the merchant's token sets: no till uses them from now on. Their tokens stay until [`Store::revoked`].
    /// Idempotent.
    pub async fn disconnect(
        &self,
        merchant: &str,
        by: Actor,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET ended_at = coalesce(ended_at, ?2), sealed_ended = NULL
                   WHERE merchant = ?1 AND (ended_at IS NULL OR sealed_ended IS NOT NULL)";
        let note = Record::new("merchant.disconnected", &by, now).of(merchant);
        self.change_noted(sql, values![merchant, now], note).await?;
        Ok(())
    }

    /// The merchant's next connection may be to another account or store, if it comes within a day. Whichever it is, it
    /// uses this up.
    pub async fn allow_change(&self, merchant: &str, now: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO allowed_change (merchant, allowed_at) VALUES (?1, ?2)
                   ON CONFLICT (merchant) DO UPDATE SET allowed_at = excluded.allowed_at";
        let note = Record::new("merchant.change_allowed", &Actor::Operator, now).of(merchant);
        self.change_noted(sql, values![merchant, now], note).await?;
        Ok(())
    }
}

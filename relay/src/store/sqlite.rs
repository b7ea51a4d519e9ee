//! SQLite: one relay, one file.

mod keep;
mod row;

use super::audit::{self, Record};
use super::{
    Actor, AuditEntry, AuditQuery, Integration, KeyChange, Lease, NEWEST, NewTokenSet, PickupState,
    Refreshed, SEALED, Store, StoreError, Till, TokenSet,
};
use async_trait::async_trait;
use keep::keep;
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::sqlite::{Database, Opening, Schema};
use pos_connect_foundation::token::Hash;
use row::{read_entry, read_integration, read_till, read_token_set};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use std::time::Duration;

const SCHEMA: Schema = Schema {
    program: "pos-connect-relay",
    // "POSR"
    application_id: 0x504F_5352,
    migrations: &[
        include_str!("../../migrations/sqlite/0001_relay.sql"),
        include_str!("../../migrations/sqlite/0002_other_account.sql"),
        include_str!("../../migrations/sqlite/0003_store.sql"),
        include_str!("../../migrations/sqlite/0004_sealed_ended.sql"),
        include_str!("../../migrations/sqlite/0005_audit.sql"),
    ],
};

const TILL: &str =
    "SELECT label, key_hash, merchant, name, created_at, revoked_at IS NOT NULL FROM till";
const INTEGRATION: &str =
    "SELECT hash, till, merchant, sealed_token, reissues, sealed_pickup, pickup
     FROM integration JOIN till ON till.label = till";
const TOKEN_SET: &str = "SELECT integration_hash, merchant, version, sealed_tokens, handed_out, ereceipt, expiration, expires_at,
     account_id, account_name, acknowledged_at IS NOT NULL, ended_at IS NOT NULL, refused, store_id,
     store_name, sealed_ended IS NOT NULL FROM token_set";

/// The database of one relay.
pub struct SqliteStore(Database);

impl SqliteStore {
    /// Opens `sqlite://FILE`.
    pub fn open(url: &str, opening: Opening) -> Result<Self, StoreError> {
        Database::open(url, &SCHEMA, opening).map(Self)
    }

    /// Runs one changing statement; gives how many rows it changed.
    async fn change<P>(&self, sql: &'static str, params: P) -> Result<usize, StoreError>
    where
        P: rusqlite::Params + Send + 'static,
    {
        self.0
            .write(move |transaction| Ok(transaction.prepare_cached(sql)?.execute(params)?))
            .await
    }

    /// The same; if it changed something, a row of the audit tells of it.
    async fn change_noted<P>(
        &self,
        sql: &'static str,
        params: P,
        note: Record,
    ) -> Result<usize, StoreError>
    where
        P: rusqlite::Params + Send + 'static,
    {
        self.0
            .write(move |transaction| {
                let changed = transaction.prepare_cached(sql)?.execute(params)?;
                if changed > 0 {
                    record(transaction, note)?;
                }
                Ok(changed)
            })
            .await
    }

    fn row<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.0.read(|connection| {
            connection
                .prepare_cached(sql)?
                .query_row(params, read)
                .optional()
        })
    }

    fn rows<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.0.read(|connection| {
            connection
                .prepare_cached(sql)?
                .query_map(params, read)?
                .collect()
        })
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn ping(&self) -> Result<(), StoreError> {
        self.0.ping().await
    }

    fn schema_version(&self) -> usize {
        SCHEMA.latest()
    }

    async fn key_check(&self, sealed: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(sealed) = sealed {
            let sql = "INSERT OR IGNORE INTO key_check (id, sealed) VALUES (1, ?)";
            self.change(sql, [sealed]).await?;
        }
        self.row("SELECT sealed FROM key_check", [], |row| row.get(0))
    }

    async fn change_key(&self, change: KeyChange) -> Result<usize, StoreError> {
        self.0
            .write(move |transaction| {
                let mut changed = 0;
                for (table, key, column, purpose) in SEALED {
                    let all =
                        format!("SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL");
                    let put = format!("UPDATE {table} SET {column} = ?2 WHERE {key} = ?1");
                    let mut put = transaction.prepare(&put)?;
                    let rows: Vec<(Hash, Vec<u8>)> = transaction
                        .prepare(&all)?
                        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                        .collect::<Result<_, _>>()?;
                    for (row, sealed) in rows {
                        if let Some(sealed) = change.reseal(purpose, &row, &sealed) {
                            changed += put.execute(params![row, sealed])?;
                        }
                    }
                }
                transaction.execute("UPDATE key_check SET sealed = ?", [change.mark()?])?;
                let note = Record::new("storage_key.changed", &Actor::Operator, change.at);
                record(transaction, note)?;
                Ok(changed)
            })
            .await
    }

    async fn add_till(&self, till: Till) -> Result<(), StoreError> {
        let note = Record::new("till.added", &Actor::Operator, till.created_at)
            .of(&till.merchant)
            .about(&till.label);
        let sql = "INSERT OR IGNORE INTO till (label, key_hash, merchant, name, created_at) VALUES (?, ?, ?, ?, ?)";
        let row = (
            till.label,
            till.key,
            till.merchant,
            till.name,
            till.created_at,
        );
        match self.change_noted(sql, row, note).await? {
            1 => Ok(()),
            _ => Err(StoreError::Exists),
        }
    }

    async fn till(&self, label: &str) -> Result<Option<Till>, StoreError> {
        self.row(&format!("{TILL} WHERE label = ?"), [label], read_till)
    }

    async fn tills(&self) -> Result<Vec<Till>, StoreError> {
        self.rows(&format!("{TILL} ORDER BY created_at, label"), [], read_till)
    }

    async fn revoke_till(&self, label: &str, now: Timestamp) -> Result<bool, StoreError> {
        let note = Record::new("till.revoked", &Actor::Operator, now).about(label);
        let sql = "UPDATE till SET revoked_at = coalesce(revoked_at, ?2) WHERE label = ?1";
        let row = (label.to_owned(), now);
        Ok(self.change_noted(sql, row, note).await? == 1)
    }

    async fn add_integration(&self, new: Integration, now: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO integration (hash, till, sealed_token, reissues, created_at) VALUES (?, ?, ?, ?, ?)";
        let row = (new.hash, new.till, new.sealed_token, new.reissues, now);
        self.change(sql, row).await?;
        Ok(())
    }

    async fn integration(&self, hash: &Hash) -> Result<Option<Integration>, StoreError> {
        self.row(
            &format!("{INTEGRATION} WHERE hash = ?"),
            [hash],
            read_integration,
        )
    }

    async fn open_pickup(&self, hash: &Hash, sealed: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        let hash = *hash;
        self.0
            .write(move |transaction| {
                let sql = "UPDATE integration SET pickup = 'open', sealed_pickup = coalesce(sealed_pickup, ?2)
                     WHERE hash = ?1 AND pickup IN ('none', 'open') RETURNING sealed_pickup";
                Ok(transaction
                    .prepare_cached(sql)?
                    .query_row(params![hash, sealed], |row| row.get(0))?)
            })
            .await
    }

    async fn close_pickup(
        &self,
        hash: &Hash,
        state: PickupState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE integration SET pickup = ?2 WHERE hash = ?1 AND pickup = 'open'";
        let row = (*hash, state.as_str());
        if state == PickupState::Lost {
            let note = Record::new("token_set.lost", &Actor::Service, now).about(&hash.label());
            self.change_noted(sql, row, note).await?;
        } else {
            self.change(sql, row).await?;
        }
        Ok(())
    }

    async fn open_pickups(&self) -> Result<Vec<Hash>, StoreError> {
        let sql = "SELECT hash FROM integration WHERE pickup = 'open'";
        self.rows(sql, [], |row| row.get(0))
    }

    async fn purge(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sql = "DELETE FROM integration WHERE pickup IN ('none', 'lost') AND created_at < ?";
        self.change(sql, [before]).await
    }

    async fn keep(&self, new: NewTokenSet, _: &Lease) -> Result<bool, StoreError> {
        self.0
            .write(move |transaction| keep(transaction, new))
            .await
    }

    async fn token_set(&self, integration: &Hash) -> Result<Option<TokenSet>, StoreError> {
        let sql = format!("{TOKEN_SET} WHERE integration_hash = ?");
        self.row(&sql, [integration], read_token_set)
    }

    async fn connection(&self, merchant: &str) -> Result<Option<TokenSet>, StoreError> {
        let sql =
            format!("{TOKEN_SET} WHERE merchant = ? AND NOT refused ORDER BY number DESC LIMIT 1");
        self.row(&sql, [merchant], read_token_set)
    }

    async fn acknowledge(&self, integration: &Hash, now: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET acknowledged_at = coalesce(acknowledged_at, ?2), sealed_tokens = NULL
             WHERE integration_hash = ?1 AND handed_out = 1 AND NOT refused AND ended_at IS NULL";
        self.change(sql, (*integration, now)).await?;
        Ok(())
    }

    async fn replace(&self, new: Refreshed, _: &Lease) -> Result<bool, StoreError> {
        let sql = "UPDATE token_set SET version = version + 1, sealed_tokens = ?3, expiration = ?4, expires_at = ?5,
               ereceipt = coalesce(?6, ereceipt)
             WHERE integration_hash = ?1 AND version = ?2 AND sealed_tokens IS NOT NULL";
        let row = (
            new.integration,
            new.version,
            new.sealed_tokens,
            new.expiration,
            new.expires_at,
            new.ereceipt,
        );
        Ok(self.change(sql, row).await? == 1)
    }

    async fn choose(
        &self,
        integration: &Hash,
        version: i64,
        ereceipt: bool,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET ereceipt = ?3 WHERE integration_hash = ?1 AND version = ?2";
        self.change(sql, (*integration, version, ereceipt)).await?;
        Ok(())
    }

    async fn end(
        &self,
        integration: &Hash,
        version: i64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql =
            "UPDATE token_set SET ended_at = ?3, sealed_ended = sealed_tokens, sealed_tokens = NULL
             WHERE integration_hash = ?1 AND version = ?2 AND ended_at IS NULL";
        let note = Record::new("token_set.ended", &Actor::Service, now).about(&integration.label());
        let row = (*integration, version, now);
        self.change_noted(sql, row, note).await?;
        Ok(())
    }

    async fn take_back(&self, merchant: &str, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "UPDATE token_set SET ended_at = NULL, sealed_tokens = sealed_ended, sealed_ended = NULL
             WHERE merchant = ?1 AND sealed_ended IS NOT NULL
               AND number = (SELECT max(number) FROM token_set WHERE merchant = ?1 AND NOT refused)";
        let note = Record::new("merchant.taken_back", &Actor::Operator, now).of(merchant);
        let row = [merchant.to_owned()];
        Ok(self.change_noted(sql, row, note).await? == 1)
    }

    async fn forget_ended(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sql = "UPDATE token_set SET sealed_ended = NULL WHERE sealed_ended IS NOT NULL AND ended_at < ?";
        self.change(sql, [before]).await
    }

    async fn disconnect(
        &self,
        merchant: &str,
        by: Actor,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET ended_at = coalesce(ended_at, ?2), sealed_ended = NULL WHERE merchant = ?1";
        let note = Record::new("merchant.disconnected", &by, now).of(merchant);
        let row = (merchant.to_owned(), now);
        self.change_noted(sql, row, note).await?;
        Ok(())
    }

    async fn allow_change(&self, merchant: &str, now: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO allowed_change (merchant, allowed_at) VALUES (?, ?)";
        let note = Record::new("merchant.change_allowed", &Actor::Operator, now).of(merchant);
        let row = (merchant.to_owned(), now);
        self.change_noted(sql, row, note).await?;
        Ok(())
    }

    async fn unrevoked(&self) -> Result<Vec<Hash>, StoreError> {
        let sql = "SELECT integration_hash FROM token_set WHERE ended_at IS NOT NULL AND sealed_tokens IS NOT NULL";
        self.rows(sql, [], |row| row.get(0))
    }

    async fn revoked(&self, integration: &Hash, version: i64) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET sealed_tokens = NULL
             WHERE integration_hash = ?1 AND version = ?2 AND ended_at IS NOT NULL";
        self.change(sql, (*integration, version)).await?;
        Ok(())
    }

    async fn connections(&self) -> Result<Vec<TokenSet>, StoreError> {
        let sql = format!("{TOKEN_SET} AS newest WHERE {NEWEST} ORDER BY merchant");
        self.rows(&sql, [], read_token_set)
    }

    async fn due(
        &self,
        after: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<(Hash, i64)>, StoreError> {
        let sql = "SELECT integration_hash, version FROM token_set
             WHERE handed_out = 0 AND ended_at IS NULL AND sealed_tokens IS NOT NULL AND expires_at BETWEEN ? AND ?";
        self.rows(sql, [after, before], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, StoreError> {
        let since = query.since.unwrap_or(Timestamp(0));
        let event = query.event.unwrap_or_default();
        let values = params![since, event, query.merchant, query.limit];
        let mut entries = self.rows(audit::NEWEST, values, read_entry)?;
        entries.reverse();
        Ok(entries)
    }

    async fn purge_audit(&self, before: Timestamp) -> Result<bool, StoreError> {
        let row = (before, audit::AT_ONCE);
        let erased = self.change(audit::ERASE, row).await?;
        Ok(erased == audit::AT_ONCE as usize)
    }

    async fn lease(&self, integration: &Hash) -> Result<Lease, StoreError> {
        // A file has one relay, and that one flies each integration once.
        Ok(Lease {
            integration: *integration,
            fence: 0,
            _held: Box::new(()),
        })
    }

    async fn begin_call(&self, _: &Lease, _: Duration) -> Result<bool, StoreError> {
        Ok(true)
    }
}

/// Adds a row to the audit.
fn record(transaction: &Transaction<'_>, note: Record) -> Result<(), StoreError> {
    let mut insert = transaction.prepare_cached(audit::INSERT)?;
    insert.execute(params![
        note.at,
        note.event,
        note.actor,
        note.merchant,
        note.subject
    ])?;
    Ok(())
}

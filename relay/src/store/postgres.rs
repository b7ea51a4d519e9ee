//! PostgreSQL: several relays, one database. Everything is in a schema of its own, so that the database can be shared.

mod keep;
mod lease;
mod rotation;
mod row;

use super::audit::{self, Record};
use super::{
    Actor, AuditEntry, AuditQuery, Integration, KeyChange, Lease, NEWEST, NewTokenSet, PickupState,
    Refreshed, Store, StoreError, Till, TokenSet,
};
use async_trait::async_trait;
use deadpool_postgres::Object;
use keep::keep;
use lease::Leases;
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::postgres::{Postgres, Schema, fault};
use pos_connect_foundation::sqlite::Opening;
use pos_connect_foundation::token::Hash;
use rotation::change_key;
use row::{get, hash, read_entry, read_integration, read_till, read_token_set};
use std::time::Duration;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Transaction};

const SCHEMA: Schema = Schema {
    program: "pos-connect-relay",
    name: "pos_connect_relay",
    // "POSR"
    lock: 0x504F_5352,
    migrations: &[
        include_str!("../../migrations/postgres/0001_relay.sql"),
        include_str!("../../migrations/postgres/0002_other_account.sql"),
        include_str!("../../migrations/postgres/0003_store.sql"),
        include_str!("../../migrations/postgres/0004_fence.sql"),
        include_str!("../../migrations/postgres/0005_sealed_ended.sql"),
        include_str!("../../migrations/postgres/0006_audit.sql"),
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

/// Milliseconds since 1970, by the server's clock, which all relays share.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The database of any number of relays.
pub struct PostgresStore {
    postgres: Postgres,
    leases: Leases,
}

impl PostgresStore {
    /// Opens `postgres://…`.
    pub async fn open(url: &str, opening: Opening) -> Result<Self, StoreError> {
        let postgres = Postgres::open(url, &SCHEMA, opening).await?;
        let leases = Leases::new(postgres.clone());
        Ok(Self { postgres, leases })
    }

    async fn client(&self) -> Result<Object, StoreError> {
        self.postgres.client().await
    }

    /// Runs one changing statement; gives how many rows it changed.
    async fn change(&self, sql: &str, params: Params<'_>) -> Result<u64, StoreError> {
        let client = self.client().await?;
        let statement = client.prepare_cached(sql).await.map_err(fault)?;
        client.execute(&statement, params).await.map_err(fault)
    }

    /// The same; if it changed something, a row of the audit tells of it.
    async fn change_noted(
        &self,
        sql: &str,
        params: Params<'_>,
        note: Record,
    ) -> Result<u64, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await.map_err(fault)?;
        let statement = transaction.prepare_cached(sql).await.map_err(fault)?;
        let changed = transaction.execute(&statement, params).await;
        let changed = changed.map_err(fault)?;
        if changed > 0 {
            record(&transaction, note).await?;
        }
        transaction.commit().await.map_err(fault)?;
        Ok(changed)
    }

    async fn row<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        read: impl FnOnce(&Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let client = self.client().await?;
        let statement = client.prepare_cached(sql).await.map_err(fault)?;
        let row = client.query_opt(&statement, params).await;
        row.map_err(fault)?.as_ref().map(read).transpose()
    }

    async fn rows<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        read: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let client = self.client().await?;
        let statement = client.prepare_cached(sql).await.map_err(fault)?;
        let rows = client.query(&statement, params).await.map_err(fault)?;
        rows.iter().map(read).collect()
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn ping(&self) -> Result<(), StoreError> {
        // A standby answers reads, but nothing could be kept there. The row is the same afterwards.
        let written = self
            .change("UPDATE key_check SET sealed = sealed", &[])
            .await;
        written.map(|_| ())
    }

    fn schema_version(&self) -> usize {
        SCHEMA.latest()
    }

    async fn key_check(&self, sealed: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(sealed) = sealed {
            let sql = "INSERT INTO key_check (id, sealed) VALUES (1, $1) ON CONFLICT DO NOTHING";
            self.change(sql, &[&sealed]).await?;
        }
        let sealed = |row: &Row| get(row, 0);
        self.row("SELECT sealed FROM key_check", &[], sealed).await
    }

    async fn change_key(&self, change: KeyChange) -> Result<usize, StoreError> {
        self.postgres.expect_nobody_else(SCHEMA.program).await?;
        change_key(self.client().await?, &change).await
    }

    async fn add_till(&self, till: Till) -> Result<(), StoreError> {
        let sql = "INSERT INTO till (label, key_hash, merchant, name, created_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT DO NOTHING";
        let (key, created_at) = (&till.key.bytes()[..], till.created_at.0);
        let row: Params<'_> = &[&till.label, &key, &till.merchant, &till.name, &created_at];
        let note = Record::new("till.added", &Actor::Operator, till.created_at)
            .of(&till.merchant)
            .about(&till.label);
        match self.change_noted(sql, row, note).await? {
            1 => Ok(()),
            _ => Err(StoreError::Exists),
        }
    }

    async fn till(&self, label: &str) -> Result<Option<Till>, StoreError> {
        let sql = format!("{TILL} WHERE label = $1");
        self.row(&sql, &[&label], read_till).await
    }

    async fn tills(&self) -> Result<Vec<Till>, StoreError> {
        let sql = format!("{TILL} ORDER BY created_at, label");
        self.rows(&sql, &[], read_till).await
    }

    async fn revoke_till(&self, label: &str, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "UPDATE till SET revoked_at = coalesce(revoked_at, $2) WHERE label = $1";
        let note = Record::new("till.revoked", &Actor::Operator, now).about(label);
        let row: Params<'_> = &[&label, &now.0];
        Ok(self.change_noted(sql, row, note).await? == 1)
    }

    async fn add_integration(&self, new: Integration, now: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO integration (hash, till, sealed_token, reissues, created_at) VALUES ($1, $2, $3, $4, $5)";
        let hash = &new.hash.bytes()[..];
        let row: Params<'_> = &[&hash, &new.till, &new.sealed_token, &new.reissues, &now.0];
        self.change(sql, row).await?;
        Ok(())
    }

    async fn integration(&self, hash: &Hash) -> Result<Option<Integration>, StoreError> {
        let sql = format!("{INTEGRATION} WHERE hash = $1");
        self.row(&sql, &[&&hash.bytes()[..]], read_integration)
            .await
    }

    async fn open_pickup(&self, hash: &Hash, sealed: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        let sql =
            "UPDATE integration SET pickup = 'open', sealed_pickup = coalesce(sealed_pickup, $2)
             WHERE hash = $1 AND pickup IN ('none', 'open') RETURNING sealed_pickup";
        let kept = |row: &Row| get(row, 0);
        let kept = self.row(sql, &[&&hash.bytes()[..], &sealed], kept).await?;
        kept.ok_or_else(|| StoreError::Fault("an integration that is not open".into()))
    }

    async fn close_pickup(
        &self,
        hash: &Hash,
        state: PickupState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE integration SET pickup = $2 WHERE hash = $1 AND pickup = 'open'";
        let row: Params<'_> = &[&&hash.bytes()[..], &state.as_str()];
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
        self.rows(sql, &[], |row| hash(row, 0)).await
    }

    async fn purge(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sql = "DELETE FROM integration WHERE pickup IN ('none', 'lost') AND created_at < $1";
        let count = self.change(sql, &[&before.0]).await?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    async fn keep(&self, new: NewTokenSet, lease: &Lease) -> Result<bool, StoreError> {
        keep(self.client().await?, new, lease).await
    }

    async fn token_set(&self, integration: &Hash) -> Result<Option<TokenSet>, StoreError> {
        let sql = format!("{TOKEN_SET} WHERE integration_hash = $1");
        let row: Params<'_> = &[&&integration.bytes()[..]];
        self.row(&sql, row, read_token_set).await
    }

    async fn connection(&self, merchant: &str) -> Result<Option<TokenSet>, StoreError> {
        let sql =
            format!("{TOKEN_SET} WHERE merchant = $1 AND NOT refused ORDER BY number DESC LIMIT 1");
        self.row(&sql, &[&merchant], read_token_set).await
    }

    async fn acknowledge(&self, integration: &Hash, now: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET acknowledged_at = coalesce(acknowledged_at, $2), sealed_tokens = NULL
             WHERE integration_hash = $1 AND handed_out AND NOT refused AND ended_at IS NULL";
        self.change(sql, &[&&integration.bytes()[..], &now.0])
            .await?;
        Ok(())
    }

    async fn replace(&self, new: Refreshed, lease: &Lease) -> Result<bool, StoreError> {
        let sql = "UPDATE token_set SET version = version + 1, sealed_tokens = $3, expiration = $4, expires_at = $5,
               ereceipt = coalesce($6, ereceipt)
             WHERE integration_hash = $1 AND version = $2 AND sealed_tokens IS NOT NULL
               AND $7 = (SELECT fence FROM integration WHERE hash = $1 FOR UPDATE)";
        let (hash, expires_at) = (&new.integration.bytes()[..], new.expires_at.map(|at| at.0));
        let row: Params<'_> = &[
            &hash,
            &new.version,
            &new.sealed_tokens,
            &new.expiration,
            &expires_at,
            &new.ereceipt,
            &lease.fence,
        ];
        if self.change(sql, row).await? == 1 {
            return Ok(true);
        }
        // Under our own lease nobody else has replaced it: the answer to our own commit was lost.
        let ours = "SELECT version - 1 = $2 AND fence = $3 FROM token_set JOIN integration ON hash = integration_hash
             WHERE integration_hash = $1";
        let row: Params<'_> = &[&hash, &new.version, &lease.fence];
        let is_ours = self.row(ours, row, |row| get(row, 0)).await?;
        Ok(is_ours.unwrap_or(false))
    }

    async fn choose(
        &self,
        integration: &Hash,
        version: i64,
        ereceipt: bool,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET ereceipt = $3 WHERE integration_hash = $1 AND version = $2";
        let row: Params<'_> = &[&&integration.bytes()[..], &version, &ereceipt];
        self.change(sql, row).await?;
        Ok(())
    }

    async fn end(
        &self,
        integration: &Hash,
        version: i64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql =
            "UPDATE token_set SET ended_at = $3, sealed_ended = sealed_tokens, sealed_tokens = NULL
             WHERE integration_hash = $1 AND version = $2 AND ended_at IS NULL";
        let note = Record::new("token_set.ended", &Actor::Service, now).about(&integration.label());
        let row: Params<'_> = &[&&integration.bytes()[..], &version, &now.0];
        self.change_noted(sql, row, note).await?;
        Ok(())
    }

    async fn take_back(&self, merchant: &str, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "UPDATE token_set SET ended_at = NULL, sealed_tokens = sealed_ended, sealed_ended = NULL
             WHERE merchant = $1 AND sealed_ended IS NOT NULL
               AND number = (SELECT max(number) FROM token_set WHERE merchant = $1 AND NOT refused)";
        let note = Record::new("merchant.taken_back", &Actor::Operator, now).of(merchant);
        Ok(self.change_noted(sql, &[&merchant], note).await? == 1)
    }

    async fn forget_ended(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sql = "UPDATE token_set SET sealed_ended = NULL WHERE sealed_ended IS NOT NULL AND ended_at < $1";
        let count = self.change(sql, &[&before.0]).await?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    async fn disconnect(
        &self,
        merchant: &str,
        by: Actor,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET ended_at = coalesce(ended_at, $2), sealed_ended = NULL WHERE merchant = $1";
        let note = Record::new("merchant.disconnected", &by, now).of(merchant);
        let row: Params<'_> = &[&merchant, &now.0];
        self.change_noted(sql, row, note).await?;
        Ok(())
    }

    async fn allow_change(&self, merchant: &str, now: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO allowed_change (merchant, allowed_at) VALUES ($1, $2)
             ON CONFLICT (merchant) DO UPDATE SET allowed_at = excluded.allowed_at";
        let note = Record::new("merchant.change_allowed", &Actor::Operator, now).of(merchant);
        let row: Params<'_> = &[&merchant, &now.0];
        self.change_noted(sql, row, note).await?;
        Ok(())
    }

    async fn unrevoked(&self) -> Result<Vec<Hash>, StoreError> {
        let sql = "SELECT integration_hash FROM token_set WHERE ended_at IS NOT NULL AND sealed_tokens IS NOT NULL";
        self.rows(sql, &[], |row| hash(row, 0)).await
    }

    async fn revoked(&self, integration: &Hash, version: i64) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET sealed_tokens = NULL
             WHERE integration_hash = $1 AND version = $2 AND ended_at IS NOT NULL";
        let row: Params<'_> = &[&&integration.bytes()[..], &version];
        self.change(sql, row).await?;
        Ok(())
    }

    async fn connections(&self) -> Result<Vec<TokenSet>, StoreError> {
        let sql = format!("{TOKEN_SET} AS newest WHERE {NEWEST} ORDER BY merchant");
        self.rows(&sql, &[], read_token_set).await
    }

    async fn due(
        &self,
        after: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<(Hash, i64)>, StoreError> {
        let sql = "SELECT integration_hash, version FROM token_set
             WHERE NOT handed_out AND ended_at IS NULL AND sealed_tokens IS NOT NULL AND expires_at BETWEEN $1 AND $2";
        self.rows(sql, &[&after.0, &before.0], |row| {
            Ok((hash(row, 0)?, get(row, 1)?))
        })
        .await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, StoreError> {
        let since = query.since.map_or(0, |since| since.0);
        let (event, limit) = (query.event.unwrap_or_default(), i64::from(query.limit));
        let values: Params<'_> = &[&since, &event, &query.merchant, &limit];
        let mut entries = self.rows(audit::NEWEST, values, read_entry).await?;
        entries.reverse();
        Ok(entries)
    }

    async fn purge_audit(&self, before: Timestamp) -> Result<bool, StoreError> {
        let row: Params<'_> = &[&before.0, &i64::from(audit::AT_ONCE)];
        let erased = self.change(audit::ERASE, row).await?;
        Ok(erased == u64::from(audit::AT_ONCE))
    }

    async fn lease(&self, integration: &Hash) -> Result<Lease, StoreError> {
        self.leases.take(integration).await
    }

    async fn begin_call(&self, lease: &Lease, limit: Duration) -> Result<bool, StoreError> {
        let sql = format!(
            "UPDATE integration SET calls_until = {NOW} + $3 WHERE hash = $1 AND fence = $2"
        );
        let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
        let row: Params<'_> = &[&&lease.integration.bytes()[..], &lease.fence, &limit];
        Ok(self.change(&sql, row).await? == 1)
    }
}

/// Adds a row to the audit.
async fn record(transaction: &Transaction<'_>, note: Record) -> Result<(), StoreError> {
    let row: Params<'_> = &[
        &note.at.0,
        &note.event,
        &note.actor,
        &note.merchant,
        &note.subject,
    ];
    let inserted = transaction.execute(audit::INSERT, row).await;
    inserted.map(|_| ()).map_err(fault)
}

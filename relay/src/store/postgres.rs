//! PostgreSQL: several relays, one database. Everything is in a schema of its own, so that the database can be shared.

mod lease;

use super::{
    ALLOWED_FOR, Facts, Identity, Integration, KNOWN, KeyChange, Lease, NEWEST, NewTokenSet,
    PickupState, Refreshed, SEALED, Store, StoreError, Till, TokenSet, named,
};
use async_trait::async_trait;
use deadpool_postgres::Object;
use lease::Leases;
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::postgres::{Postgres, Schema, fault};
use pos_connect_foundation::sqlite::Opening;
use pos_connect_foundation::token::Hash;
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
        let mut client = self.client().await?;
        let transaction = client.transaction().await.map_err(fault)?;
        let patient = "SET LOCAL statement_timeout TO 0";
        transaction.batch_execute(patient).await.map_err(fault)?;
        let mut changed = 0;
        for (table, key, column, purpose) in SEALED {
            let all = format!("SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL");
            let put = format!("UPDATE {table} SET {column} = $2 WHERE {key} = $1");
            let put = transaction.prepare(&put).await.map_err(fault)?;
            for row in transaction.query(&all, &[]).await.map_err(fault)? {
                let (row, sealed) = (hash(&row, 0)?, get::<Vec<u8>>(&row, 1)?);
                if let Some(sealed) = change.reseal(purpose, &row, &sealed) {
                    let row: Params<'_> = &[&&row.bytes()[..], &sealed];
                    transaction.execute(&put, row).await.map_err(fault)?;
                    changed += 1;
                }
            }
        }
        let mark = "UPDATE key_check SET sealed = $1";
        let marked = transaction.execute(mark, &[&change.mark()?]).await;
        marked.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        Ok(changed)
    }

    async fn add_till(&self, till: Till) -> Result<(), StoreError> {
        let sql = "INSERT INTO till (label, key_hash, merchant, name, created_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT DO NOTHING";
        let (key, created_at) = (&till.key.bytes()[..], till.created_at.0);
        let row: Params<'_> = &[&till.label, &key, &till.merchant, &till.name, &created_at];
        match self.change(sql, row).await? {
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
        Ok(self.change(sql, &[&label, &now.0]).await? == 1)
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

    async fn close_pickup(&self, hash: &Hash, state: PickupState) -> Result<(), StoreError> {
        let sql = "UPDATE integration SET pickup = $2 WHERE hash = $1 AND pickup = 'open'";
        self.change(sql, &[&&hash.bytes()[..], &state.as_str()])
            .await?;
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
        let identity = Identity::of(&new.facts);
        let account_name = new.facts.account.map(|account| account.name);
        let store_name = new.facts.store.map(|store| store.name);
        let (hash, expires_at) = (
            &new.integration.bytes()[..],
            new.facts.expires_at.map(|at| at.0),
        );
        let mut client = self.client().await?;
        let transaction = client.transaction().await.map_err(fault)?;
        let asked = "SELECT merchant, fence, pickup = 'kept' FROM integration JOIN till ON till.label = till
             WHERE hash = $1 FOR UPDATE OF integration";
        let row = transaction
            .query_one(asked, &[&hash])
            .await
            .map_err(fault)?;
        let (merchant, fence, is_kept) =
            (get::<String>(&row, 0)?, get::<i64>(&row, 1)?, get(&row, 2)?);
        if is_kept || lease.fence != fence {
            // Under our own lease nobody else has kept it: the answer to our own commit was lost.
            return Ok(is_kept && lease.fence == fence);
        }
        // Two first connections of one merchant would not see each other.
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended('keep ' || $1, 0))";
        let locked = transaction.execute(lock, &[&merchant]).await;
        locked.map_err(fault)?;
        let refused = is_refused(&transaction, &merchant, &identity, new.now).await?;
        let ended_at = refused.then_some(new.now.0);
        let insert = "INSERT INTO token_set (integration_hash, merchant, sealed_tokens, handed_out, ereceipt,
               expiration, expires_at, account_id, account_name, kept_at, refused, ended_at, store_id, store_name)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
        let row: Params<'_> = &[
            &hash,
            &merchant,
            &new.sealed_tokens,
            &new.handed_out,
            &new.facts.ereceipt,
            &new.facts.expiration,
            &expires_at,
            &identity.account,
            &account_name,
            &new.now.0,
            &refused,
            &ended_at,
            &identity.store,
            &store_name,
        ];
        transaction.execute(insert, row).await.map_err(fault)?;
        if !refused {
            let replaced =
                "UPDATE token_set SET ended_at = $3 WHERE merchant = $2 AND integration_hash <> $1
                   AND NOT handed_out AND ended_at IS NULL";
            let row: Params<'_> = &[&hash, &merchant, &new.now.0];
            transaction.execute(replaced, row).await.map_err(fault)?;
        }
        let kept = "UPDATE integration SET pickup = 'kept' WHERE hash = $1";
        transaction.execute(kept, &[&hash]).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        tracing::info!(integration = %new.integration.label(), refused, "a token set is kept");
        Ok(true)
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
        let row: Params<'_> = &[&&integration.bytes()[..], &version, &now.0];
        self.change(sql, row).await?;
        Ok(())
    }

    async fn take_back(&self, merchant: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE token_set SET ended_at = NULL, sealed_tokens = sealed_ended, sealed_ended = NULL
             WHERE merchant = $1 AND sealed_ended IS NOT NULL
               AND number = (SELECT max(number) FROM token_set WHERE merchant = $1 AND NOT refused)";
        Ok(self.change(sql, &[&merchant]).await? == 1)
    }

    async fn forget_ended(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sql = "UPDATE token_set SET sealed_ended = NULL WHERE sealed_ended IS NOT NULL AND ended_at < $1";
        let count = self.change(sql, &[&before.0]).await?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    async fn disconnect(&self, merchant: &str, now: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE token_set SET ended_at = coalesce(ended_at, $2), sealed_ended = NULL WHERE merchant = $1";
        self.change(sql, &[&merchant, &now.0]).await?;
        Ok(())
    }

    async fn allow_change(&self, merchant: &str, now: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO allowed_change (merchant, allowed_at) VALUES ($1, $2)
             ON CONFLICT (merchant) DO UPDATE SET allowed_at = excluded.allowed_at";
        self.change(sql, &[&merchant, &now.0]).await?;
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

/// Whether the merchant is known with another account or store, and this change was not allowed. Uses the permission
/// up.
async fn is_refused(
    transaction: &Transaction<'_>,
    merchant: &str,
    new: &Identity,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let known = transaction.query_opt(KNOWN, &[&merchant]).await;
    let read = |row: Row| {
        Ok::<_, StoreError>(Identity {
            account: get(&row, 0)?,
            store: get(&row, 1)?,
        })
    };
    let known = known.map_err(fault)?.map(read).transpose()?;
    // Whichever connection comes next uses it up.
    let used = "DELETE FROM allowed_change WHERE merchant = $1 RETURNING allowed_at";
    let allowed = transaction.query_opt(used, &[&merchant]).await;
    let allowed_at = allowed
        .map_err(fault)?
        .map(|row| get::<i64>(&row, 0))
        .transpose()?;
    let is_allowed = allowed_at.is_some_and(|at| at > now.before(ALLOWED_FOR).0);
    Ok(!is_allowed && known.unwrap_or_default().differs_from(new))
}

fn get<'r, T: tokio_postgres::types::FromSql<'r>>(
    row: &'r Row,
    column: usize,
) -> Result<T, StoreError> {
    row.try_get(column).map_err(fault)
}

fn hash(row: &Row, column: usize) -> Result<Hash, StoreError> {
    let bytes: &[u8] = get(row, column)?;
    let bytes = bytes.try_into();
    bytes
        .map(Hash::from_bytes)
        .map_err(|_| StoreError::Fault("a hash of another length".into()))
}

fn read_till(row: &Row) -> Result<Till, StoreError> {
    Ok(Till {
        label: get(row, 0)?,
        key: hash(row, 1)?,
        merchant: get(row, 2)?,
        name: get(row, 3)?,
        created_at: Timestamp(get(row, 4)?),
        revoked: get(row, 5)?,
    })
}

fn read_integration(row: &Row) -> Result<Integration, StoreError> {
    let pickup = PickupState::parse(get(row, 6)?);
    Ok(Integration {
        hash: hash(row, 0)?,
        till: get(row, 1)?,
        merchant: get(row, 2)?,
        sealed_token: get(row, 3)?,
        reissues: get(row, 4)?,
        sealed_pickup: get(row, 5)?,
        pickup: pickup.ok_or_else(|| StoreError::Fault("an unknown word".into()))?,
    })
}

fn read_token_set(row: &Row) -> Result<TokenSet, StoreError> {
    Ok(TokenSet {
        integration: hash(row, 0)?,
        merchant: get(row, 1)?,
        version: get(row, 2)?,
        sealed_tokens: get(row, 3)?,
        handed_out: get(row, 4)?,
        facts: Facts {
            ereceipt: get(row, 5)?,
            expiration: get(row, 6)?,
            expires_at: get::<Option<i64>>(row, 7)?.map(Timestamp),
            account: named(get(row, 8)?, get(row, 9)?),
            store: named(get(row, 13)?, get(row, 14)?),
        },
        acknowledged: get(row, 10)?,
        ended: get(row, 11)?,
        refused: get(row, 12)?,
        can_be_taken_back: get(row, 15)?,
    })
}

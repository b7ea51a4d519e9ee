//! One relay at a time on each integration. On PostgreSQL: advisory locks of one session, which the server releases
//! when its relay dies.
//!
//! A lock says nothing about its holder's calls: one may be on its way when the session is lost. So a new lease has a
//! higher fence, which the writes of the one before do not pass, and it begins when the calls of the one before are
//! over.

use super::{Store, StoreError};
use pos_connect_foundation::database::{Database, Transaction};
use pos_connect_foundation::postgres::Postgres;
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio_postgres::Client;

const PAUSE: Duration = Duration::from_millis(50);
/// Longer than a whole pick-up: whoever waits that long is answered that the database is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// Milliseconds since 1970, by the server's clock, which all relays share.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// The right to work on one integration, which one relay has at a time.
///
/// It can be lost: a database that fails over forgets its locks. So each call to the service is announced, and each
/// write says under which lease it is made.
pub struct Lease {
    fence: Fence,
    /// Gives it back when dropped.
    _held: Option<Held>,
}

/// What tells the leases of an integration apart.
#[derive(Clone, Copy)]
pub(super) struct Fence {
    integration: Hash,
    /// Newer leases have higher ones. None on SQLite, where a file has one relay, and that one flies each integration
    /// once.
    number: Option<i64>,
}

impl Lease {
    pub(super) const fn fence(&self) -> Fence {
        self.fence
    }
}

impl Fence {
    /// Whether the lease is its relay's still; if so, nobody else gets it before the transaction is over.
    pub(super) fn holds(&self, transaction: &Transaction<'_>) -> Result<bool, StoreError> {
        let Some(number) = self.number else {
            return Ok(true);
        };
        let sql = "SELECT 1 FROM integration WHERE hash = ?1 AND fence = ?2 FOR UPDATE";
        transaction.exists(sql, values![self.integration, number])
    }
}

impl Store {
    /// Waits until no other relay on this database works on the integration, and no call of one that did is on its way.
    pub async fn lease(&self, integration: &Hash) -> Result<Lease, StoreError> {
        match &self.leases {
            Some(leases) => leases.take(integration).await,
            None => Ok(Lease {
                fence: Fence {
                    integration: *integration,
                    number: None,
                },
                _held: None,
            }),
        }
    }

    /// Announces a call to the service that takes `limit` at most. False if the lease is another relay's by now: then
    /// nothing may be sent.
    pub async fn begin_call(&self, lease: &Lease, limit: Duration) -> Result<bool, StoreError> {
        let Fence {
            integration,
            number,
        } = lease.fence;
        let Some(number) = number else {
            return Ok(true);
        };
        let sql = format!(
            "UPDATE integration SET calls_until = {NOW} + ?3 WHERE hash = ?1 AND fence = ?2"
        );
        let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
        let row = values![integration, number, limit];
        let announce = move |transaction: &Transaction<'_>| transaction.execute(&sql, row.clone());
        Ok(self.database.write(announce).await? == 1)
    }
}

/// The leases of a database that several relays share.
pub(super) struct Leases {
    postgres: Postgres,
    /// One for all, as a lock needs a session to belong to, and a flight must not hold a connection of the pool.
    session: Mutex<Option<(Instant, Arc<Client>)>>,
    /// What this relay holds. A session gets a lock that it has already once more, so the server keeps nobody here
    /// apart.
    held: Arc<HeldKeys>,
}

type HeldKeys = std::sync::Mutex<HashSet<i64>>;

struct Held {
    session: Arc<Client>,
    /// The key, until the lease is dropped.
    key: Option<HeldKey>,
    integration: Hash,
    fence: i64,
}

/// A key that this relay holds, until this is dropped.
struct HeldKey {
    number: i64,
    all: Arc<HeldKeys>,
}

impl HeldKey {
    /// `None` while the relay holds it already.
    fn new(all: &Arc<HeldKeys>, number: i64) -> Option<Self> {
        let is_new = locked(all).insert(number);
        is_new.then(|| Self {
            number,
            all: all.clone(),
        })
    }
}

impl Drop for HeldKey {
    fn drop(&mut self) {
        locked(&self.all).remove(&self.number);
    }
}

fn locked(keys: &HeldKeys) -> std::sync::MutexGuard<'_, HashSet<i64>> {
    keys.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Leases {
    pub(super) fn of(database: &Database) -> Option<Self> {
        match database {
            Database::Sqlite(_) => None,
            Database::Postgres(postgres) => Some(Self {
                postgres: postgres.clone(),
                session: Mutex::new(None),
                held: Arc::default(),
            }),
        }
    }

    async fn take(&self, integration: &Hash) -> Result<Lease, StoreError> {
        let (key, begun) = (key(integration), Instant::now());
        // Not cut off in the middle of a statement: nobody would give back the lock that it took.
        while begun.elapsed() < PATIENCE {
            let Some(held) = HeldKey::new(&self.held, key) else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let session = self.session().await?;
            let sql = "SELECT pg_try_advisory_lock($1)";
            let fault = |error| self.postgres.fault(error);
            let row = session.query_one(sql, &[&key]).await.map_err(fault)?;
            if row.get(0) {
                let begun = begin(session, held, integration).await;
                let (lease, rest) = begun.map_err(fault)?;
                tokio::time::sleep(rest).await;
                return Ok(lease);
            }
            drop(held);
            tokio::time::sleep(PAUSE).await;
        }
        let why = "another relay is at work on this integration";
        Err(StoreError::Unavailable(why.into()))
    }

    async fn session(&self) -> Result<Arc<Client>, StoreError> {
        let mut session = self.session.lock().await;
        if let Some((begun, client)) = session.as_ref()
            && !client.is_closed()
            && !self.postgres.is_stale(*begun)
        {
            return Ok(client.clone());
        }
        let begun = Instant::now();
        let client = Arc::new(self.postgres.session().await?);
        *session = Some((begun, client.clone()));
        Ok(client)
    }
}

/// Makes the writes of earlier leases fail; says how long a call of theirs may still be on its way.
async fn begin(
    session: Arc<Client>,
    key: HeldKey,
    integration: &Hash,
) -> Result<(Lease, Duration), tokio_postgres::Error> {
    // From here on it is unlocked when dropped.
    let mut held = Held {
        session,
        key: Some(key),
        integration: *integration,
        fence: 0,
    };
    let sql = format!(
        "UPDATE pos_connect_relay.integration SET fence = fence + 1 WHERE hash = $1
         RETURNING fence, greatest(calls_until - {NOW}, 0)"
    );
    let hash = &integration.bytes()[..];
    let row = held.session.query_opt(&sql, &[&hash]).await?;
    // One that is not known any more needs no fence: there is nothing to write.
    let (fence, rest) = row.map_or((0, 0), |row| (row.get(0), row.get::<_, i64>(1)));
    held.fence = fence;
    let lease = Lease {
        fence: Fence {
            integration: *integration,
            number: Some(fence),
        },
        _held: Some(held),
    };
    Ok((lease, Duration::from_millis(rest.unsigned_abs())))
}

/// Two integrations whose hashes begin alike wait for each other, which is all that happens.
fn key(integration: &Hash) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&integration.bytes()[..8]);
    i64::from_be_bytes(bytes)
}

impl Drop for Held {
    fn drop(&mut self) {
        let (session, key) = (self.session.clone(), self.key.take());
        let (integration, fence) = (self.integration, self.fence);
        if let (Ok(runtime), Some(key)) = (Handle::try_current(), key) {
            runtime.spawn(async move {
                // Whoever held it has had its answers: nobody has to wait for them.
                let over = "UPDATE pos_connect_relay.integration SET calls_until = 0 WHERE hash = $1 AND fence = $2";
                let _ = session
                    .execute(over, &[&&integration.bytes()[..], &fence])
                    .await;
                // If this fails the session is gone, and the lock with it.
                let sql = "SELECT pg_advisory_unlock($1)";
                let _ = session.query_one(sql, &[&key.number]).await;
                // Only now may another flight of this relay have it: it would wait for calls that are over.
                drop(key);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrations_do_not_wait_for_each_other() {
        assert_ne!(key(&Hash::of("one")), key(&Hash::of("two")));
    }
}

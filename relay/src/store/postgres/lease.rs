//! One relay at a time on each integration: advisory locks of one session, which the server releases when its relay
//! dies.
//!
//! A lock says nothing about its holder's calls: one may be on its way when the session is lost. So a new lease has a
//! higher fence, which the writes of the one before do not pass, and it begins when the calls of the one before are over.

use super::NOW;
use crate::store::{Lease, StoreError};
use pos_connect_foundation::postgres::{Postgres, fault};
use pos_connect_foundation::token::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio_postgres::Client;

const PAUSE: Duration = Duration::from_millis(50);
/// Longer than a whole pick-up: whoever waits that long is answered that the database is busy.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Leases {
    postgres: Postgres,
    /// One for all, as a lock needs a session to belong to, and a flight must not hold a connection of the pool.
    session: Mutex<Option<Arc<Client>>>,
}

struct Held {
    session: Arc<Client>,
    key: i64,
    integration: Hash,
    fence: i64,
}

impl Leases {
    pub(super) fn new(postgres: Postgres) -> Self {
        Self {
            postgres,
            session: Mutex::new(None),
        }
    }

    pub(super) async fn take(&self, integration: &Hash) -> Result<Lease, StoreError> {
        let (key, begun) = (key(integration), Instant::now());
        // Not cut off in the middle of a statement: nobody would give back the lock that it took.
        while begun.elapsed() < PATIENCE {
            let session = self.session().await?;
            let sql = "SELECT pg_try_advisory_lock($1)";
            let row = session.query_one(sql, &[&key]).await.map_err(fault)?;
            if row.get(0) {
                let (lease, rest) = begin(session, key, integration).await?;
                tokio::time::sleep(rest).await;
                return Ok(lease);
            }
            tokio::time::sleep(PAUSE).await;
        }
        let why = "another relay is at work on this integration";
        Err(StoreError::Unavailable(why.into()))
    }

    async fn session(&self) -> Result<Arc<Client>, StoreError> {
        let mut session = self.session.lock().await;
        if let Some(live) = session.as_ref().filter(|session| !session.is_closed()) {
            return Ok(live.clone());
        }
        let client = self.postgres.session().await?;
        Ok(session.insert(Arc::new(client)).clone())
    }
}

/// Makes the writes of earlier leases fail; says how long a call of theirs may still be on its way.
async fn begin(
    session: Arc<Client>,
    key: i64,
    integration: &Hash,
) -> Result<(Lease, Duration), StoreError> {
    // From here on it is unlocked when dropped.
    let mut held = Held {
        session,
        key,
        integration: *integration,
        fence: 0,
    };
    let sql = format!(
        "UPDATE pos_connect_relay.integration SET fence = fence + 1 WHERE hash = $1
         RETURNING fence, greatest(calls_until - {NOW}, 0)"
    );
    let hash = &integration.bytes()[..];
    let row = held.session.query_opt(&sql, &[&hash]).await;
    // One that is not known any more needs no fence: there is nothing to write.
    let (fence, rest) = row
        .map_err(fault)?
        .map_or((0, 0), |row| (row.get(0), row.get::<_, i64>(1)));
    held.fence = fence;
    let lease = Lease {
        integration: *integration,
        fence,
        _held: Box::new(held),
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
        let (session, key) = (self.session.clone(), self.key);
        let (integration, fence) = (self.integration, self.fence);
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // Whoever held it has had its answers: nobody has to wait for them.
                let over = "UPDATE pos_connect_relay.integration SET calls_until = 0 WHERE hash = $1 AND fence = $2";
                let _ = session
                    .execute(over, &[&&integration.bytes()[..], &fence])
                    .await;
                // If this fails the session is gone, and the lock with it.
                let sql = "SELECT pg_advisory_unlock($1)";
                let _ = session.query_one(sql, &[&key]).await;
            });
        }
    }
}

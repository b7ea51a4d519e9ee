//! One relay at a time on each integration: advisory locks of one session, which the server releases when its relay
//! dies.

use super::connect::fault;
use crate::store::{Lease, StoreError};
use pos_connect_foundation::token::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

const PAUSE: Duration = Duration::from_millis(50);
/// Longer than a whole pick-up: whoever waits that long is answered that the database is busy.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Leases {
    config: Config,
    tls: MakeRustlsConnect,
    /// One for all, as a lock needs a session to belong to, and a flight must not hold a connection of the pool.
    session: Mutex<Option<Arc<Client>>>,
}

struct Held {
    session: Arc<Client>,
    key: i64,
}

impl Leases {
    pub(super) fn new(config: Config, tls: MakeRustlsConnect) -> Self {
        Self {
            config,
            tls,
            session: Mutex::new(None),
        }
    }

    pub(super) async fn take(&self, integration: &Hash) -> Result<Lease, StoreError> {
        let key = key(integration);
        let taken = async {
            loop {
                let session = self.session().await?;
                let sql = "SELECT pg_try_advisory_lock($1)";
                let row = session.query_one(sql, &[&key]).await.map_err(fault)?;
                if row.get(0) {
                    let lease: Lease = Box::new(Held { session, key });
                    return Ok(lease);
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        let busy =
            || StoreError::Unavailable("another relay is at work on this integration".into());
        let taken = tokio::time::timeout(PATIENCE, taken).await;
        taken.map_err(|_| busy())?
    }

    async fn session(&self) -> Result<Arc<Client>, StoreError> {
        let mut session = self.session.lock().await;
        if let Some(live) = session.as_ref().filter(|session| !session.is_closed()) {
            return Ok(live.clone());
        }
        let (client, connection) = self.config.connect(self.tls.clone()).await.map_err(fault)?;
        tokio::spawn(async move {
            // Its end shows in the client; what failed is answered there.
            let _ = connection.await;
        });
        Ok(session.insert(Arc::new(client)).clone())
    }
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
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // If this fails the session is gone, and the lock with it.
                let sql = "SELECT pg_advisory_unlock($1)";
                let _ = session.query_one(sql, &[&key]).await;
            });
        }
    }
}

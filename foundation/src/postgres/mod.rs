//! PostgreSQL: connections, migrations, errors. What runs on it is said elsewhere.

mod addition;
mod connect;
mod schema;
mod stale;
mod url;

pub(crate) use connect::{fault, is_conflict};
pub use schema::Schema;

use crate::sqlite::{Opening, StoreError};
use crate::token::random_text;
use connect::{Access, unreachable};
use deadpool_postgres::Object;
use std::sync::Arc;
use std::time::Instant;
use tokio_postgres::Client;

/// A database, and a pool of connections to it.
#[derive(Clone)]
pub struct Postgres {
    access: Arc<Access>,
    version: usize,
}

impl Postgres {
    /// Opens `postgres://…`, with the tables of one program.
    pub async fn open(url: &str, schema: &Schema, opening: Opening) -> Result<Self, StoreError> {
        let access = Arc::new(Access::new(url, schema, opening)?);
        let mut postgres = Self { access, version: 0 };
        postgres.expect_sessions().await?;
        postgres.version = match opening {
            Opening::Prepare => schema.migrate(&postgres).await?,
            Opening::Existing | Opening::Contain => schema.expect(&postgres).await?,
        };
        Ok(postgres)
    }

    /// The schema version that the database had when it was opened: the program's, or a newer one.
    pub const fn schema_version(&self) -> usize {
        self.version
    }

    /// A connection of the pool.
    pub async fn client(&self) -> Result<Object, StoreError> {
        self.access.pool.get().await.map_err(unreachable)
    }

    /// What went wrong, and whether the session is of any use after it.
    pub fn fault(&self, error: tokio_postgres::Error) -> StoreError {
        self.access.stale.note(&error);
        fault(error)
    }

    /// Whether a session that began then is of no use any more, as after a failover.
    pub fn is_stale(&self, begun: Instant) -> bool {
        self.access.stale.includes(begun)
    }

    /// A connection beside the pool, for what must last longer than a statement; as one of the pool, only while this
    /// program works with the tables.
    pub async fn session(&self) -> Result<Client, StoreError> {
        let client = self.connect().await?;
        self.access.schema.version(&client).await?;
        Ok(client)
    }

    async fn connect(&self) -> Result<Client, StoreError> {
        let config = &self.access.config;
        let (client, connection) = config
            .connect(self.access.tls.clone())
            .await
            .map_err(fault)?;
        tokio::spawn(async move {
            // Its end shows in the client; what failed is answered there.
            let _ = connection.await;
        });
        Ok(client)
    }

    /// The names of the connections that other programs of this kind have.
    async fn others(&self, client: &Client, program: &str) -> Result<Vec<String>, StoreError> {
        let others =
            "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()
             AND starts_with(application_name, $1) AND application_name <> $2";
        let prefix = format!("{program} ");
        let rows = client.query(others, &[&prefix, &self.access.name]).await;
        Ok(rows.map_err(fault)?.iter().map(|row| row.get(0)).collect())
    }

    /// A pooler that gives each transaction another session would lose settings, prepared statements and locks.
    ///
    /// Two clients at once: what the first one has set must not show with the second, and must still be there after it.
    async fn expect_sessions(&self) -> Result<(), StoreError> {
        let (first, second) = (self.connect().await?, self.connect().await?);
        let word = random_text(12);
        let set = format!("SET pos_connect.session TO '{word}'");
        first.batch_execute(&set).await.map_err(fault)?;
        second.batch_execute("BEGIN").await.map_err(fault)?;
        let asked = "SELECT coalesce(current_setting('pos_connect.session', true), '')";
        let seen = |rows: Vec<tokio_postgres::SimpleQueryMessage>| {
            rows.into_iter().find_map(|row| match row {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
        };
        let other = seen(second.simple_query(asked).await.map_err(fault)?);
        let own = seen(first.simple_query(asked).await.map_err(fault)?);
        second.batch_execute("ROLLBACK").await.map_err(fault)?;
        match own.as_deref() == Some(&word) && other.as_deref() != Some(&word) {
            true => Ok(()),
            false => Err(StoreError::Unsupported(
                "between this program and PostgreSQL is a pooler whose clients share sessions; it must give each \
                 client one of its own (in PgBouncer: pool_mode = session)"
                    .into(),
            )),
        }
    }
}

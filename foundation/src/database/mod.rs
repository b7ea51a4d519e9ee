//! One database for one program or several: a SQLite file, or PostgreSQL. One text of each statement runs on both.

mod attempt;
mod backup;
mod named;
mod readiness;
mod sql;
mod transaction;
mod transfer;
mod url;
mod value;

pub use backup::Copied;
pub use named::{Named, Naming};
pub use readiness::Readiness;
pub use transaction::Transaction;
pub use transfer::{Count, counts};
pub use url::{holds_password, is_postgres, shown};
pub use value::{Bind, Row};

use crate::postgres::{self, Postgres};
use crate::sqlite::{self, Opening, StoreError};
use rusqlite::types::Value;
use sql::for_postgres;
use std::time::Duration;
use tracing::Span;
use transaction::{Engine, missing, places, sqlite_row, sqlite_rows};
use value::Sent;

/// A pause between two steps of long work, such as an operator's command: the writer is for those who wait.
pub const STEP_PAUSE: Duration = Duration::from_millis(50);

/// The tables of one program, on each engine.
pub struct Schema {
    /// On SQLite.
    pub sqlite: sqlite::Schema,
    /// On PostgreSQL.
    pub postgres: postgres::Schema,
}

/// An open database.
pub enum Database {
    /// A file, which one program serves.
    Sqlite(sqlite::Database),
    /// A server, for any number of programs.
    Postgres(Postgres),
}

impl Database {
    /// Opens `sqlite://FILE` or `postgres://USER@HOST/NAME`.
    pub async fn open(url: &str, schema: &Schema, opening: Opening) -> Result<Self, StoreError> {
        if is_postgres(url) {
            let postgres = Postgres::open(url, &schema.postgres, opening).await?;
            return Ok(Self::Postgres(postgres));
        }
        let file = sqlite::Database::open(url, &schema.sqlite, opening)?;
        Ok(Self::Sqlite(file))
    }

    /// The first row of an answer, if there is one. On SQLite a point read takes microseconds, and is made where it is
    /// asked for.
    pub async fn row<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match self {
            Self::Sqlite(file) => file.read(|connection| sqlite_row(connection, sql, values, read)),
            Self::Postgres(postgres) => {
                let rows = query(postgres, sql, values).await?;
                rows.first()
                    .map(|row| read(&Row::Postgres(row)))
                    .transpose()
            }
        }
    }

    /// A row that must be there.
    pub async fn one<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.row(sql, values, read).await?.ok_or_else(missing)
    }

    /// All rows of an answer.
    pub async fn rows<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        match self {
            Self::Sqlite(file) => {
                file.read(|connection| sqlite_rows(connection, sql, values, read))
            }
            Self::Postgres(postgres) => {
                let rows = query(postgres, sql, values).await?;
                rows.iter().map(|row| read(&Row::Postgres(row))).collect()
            }
        }
    }

    /// Whether there is a row.
    pub async fn exists(&self, sql: &str, values: Vec<Value>) -> Result<bool, StoreError> {
        Ok(self.row(sql, values, |_| Ok(())).await?.is_some())
    }

    /// Does `work` in a transaction; resolves when its changes are kept, or with the reason why there are none. Once
    /// asked for it is done, even if the caller goes away.
    ///
    /// No other transaction comes in between. Where one did, the work is done again: it must change nothing but the
    /// database.
    pub async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        match self {
            Self::Sqlite(file) => file.write_with_notes(on_sqlite(traced(work)), true).await,
            Self::Postgres(postgres) => attempt::write(postgres, traced(work), true).await,
        }
    }

    /// Runs `work` as [`Self::write`] does, unless the caller went away before its turn came.
    pub async fn write_if_awaited<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        match self {
            Self::Sqlite(file) => file.write_with_notes(on_sqlite(traced(work)), false).await,
            Self::Postgres(postgres) => attempt::write(postgres, traced(work), false).await,
        }
    }

    /// The version of the schema that the database has: the program's, or on PostgreSQL a newer one that it works with.
    pub const fn schema_version(&self, schema: &Schema) -> usize {
        match self {
            Self::Sqlite(_) => schema.sqlite.latest(),
            Self::Postgres(postgres) => postgres.schema_version(),
        }
    }

    /// Whether a row can be written: on a full disk, or on a standby, it cannot.
    pub async fn ping(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(file) => file.ping().await,
            Self::Postgres(postgres) => {
                let client = postgres.client().await?;
                // The row is the same afterwards.
                let write = "UPDATE schema_version SET version = version
                     WHERE version = (SELECT max(version) FROM schema_version)";
                let written = client.batch_execute(write).await;
                written.map_err(|error| postgres.fault(error))
            }
        }
    }
}

/// Work that knows on its other thread in which trace it was asked for.
fn traced<T>(
    work: impl Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
) -> impl Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static {
    let span = Span::current();
    move |transaction| span.in_scope(|| work(transaction))
}

fn on_sqlite<T>(
    work: impl Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
) -> impl FnOnce(&rusqlite::Transaction<'_>) -> Result<(T, sqlite::Notes), StoreError> + Send + 'static
{
    move |transaction| {
        let transaction = Transaction::new(Engine::Sqlite(transaction));
        let done = work(&transaction)?;
        Ok((done, transaction.into_notes()))
    }
}

async fn query(
    postgres: &Postgres,
    sql: &str,
    values: Vec<Value>,
) -> Result<Vec<tokio_postgres::Row>, StoreError> {
    let values: Vec<Sent> = values.into_iter().map(Sent).collect();
    let client = postgres.client().await?;
    let rows = async {
        let statement = client.prepare_cached(&for_postgres(sql)).await?;
        client.query(&statement, &places(&values)).await
    };
    rows.await.map_err(|error| postgres.fault(error))
}

//! What the work of a transaction is done with.

use super::sql::for_postgres;
use super::value::{Row, Sent};
use crate::postgres::{Postgres, is_conflict};
use crate::sqlite::{Notes, StoreError};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::cell::{Cell, RefCell};
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;

/// One transaction. Its statements are SQLite's, with places `?1`, `?2` and so on, and in words that PostgreSQL knows,
/// too.
pub struct Transaction<'t> {
    engine: Engine<'t>,
    notes: RefCell<Notes>,
}

pub(super) enum Engine<'t> {
    Sqlite(&'t Connection),
    Postgres(Remote<'t>),
}

/// A transaction on PostgreSQL. Its work runs on a thread of its own, which waits for each answer.
pub(super) struct Remote<'t> {
    pub(super) transaction: &'t deadpool_postgres::Transaction<'t>,
    pub(super) runtime: &'t Handle,
    pub(super) postgres: &'t Postgres,
    /// Whether another transaction came in between.
    pub(super) has_conflict: Cell<bool>,
}

impl<'t> Transaction<'t> {
    pub(super) fn new(engine: Engine<'t>) -> Self {
        Self {
            engine,
            notes: RefCell::default(),
        }
    }

    /// Runs a changing statement; gives how many rows it changed.
    pub fn execute(&self, sql: &str, values: Vec<Value>) -> Result<usize, StoreError> {
        match &self.engine {
            Engine::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(sql)?;
                Ok(statement.execute(params_from_iter(values))?)
            }
            Engine::Postgres(remote) => remote.execute(sql, values),
        }
    }

    /// The first row, if there is one.
    pub fn row<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match &self.engine {
            Engine::Sqlite(connection) => sqlite_row(connection, sql, values, read),
            Engine::Postgres(remote) => {
                let rows = remote.query(sql, values)?;
                rows.first()
                    .map(|row| read(&Row::Postgres(row)))
                    .transpose()
            }
        }
    }

    /// A row that must be there.
    pub fn one<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.row(sql, values, read)?.ok_or_else(missing)
    }

    /// All rows.
    pub fn rows<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        match &self.engine {
            Engine::Sqlite(connection) => sqlite_rows(connection, sql, values, read),
            Engine::Postgres(remote) => {
                let rows = remote.query(sql, values)?;
                rows.iter().map(|row| read(&Row::Postgres(row))).collect()
            }
        }
    }

    /// Whether there is a row.
    pub fn exists(&self, sql: &str, values: Vec<Value>) -> Result<bool, StoreError> {
        Ok(self.row(sql, values, |_| Ok(()))?.is_some())
    }

    /// Something to say once the changes are kept. What is undone, or done again, is not said.
    pub fn on_commit(&self, note: impl FnOnce() + Send + 'static) {
        self.notes.borrow_mut().push(Box::new(note));
    }

    pub(super) fn into_notes(self) -> Notes {
        self.notes.into_inner()
    }

    pub(super) fn has_conflict(&self) -> bool {
        match &self.engine {
            Engine::Sqlite(_) => false,
            Engine::Postgres(remote) => remote.has_conflict.get(),
        }
    }
}

impl Remote<'_> {
    fn execute(&self, sql: &str, values: Vec<Value>) -> Result<usize, StoreError> {
        let values: Vec<Sent> = values.into_iter().map(Sent).collect();
        let changed = self.runtime.block_on(async {
            let statement = self.transaction.prepare_cached(&for_postgres(sql)).await?;
            self.transaction.execute(&statement, &places(&values)).await
        });
        let changed = changed.map_err(|error| self.noticed(error))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn query(&self, sql: &str, values: Vec<Value>) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        let values: Vec<Sent> = values.into_iter().map(Sent).collect();
        let rows = self.runtime.block_on(async {
            let statement = self.transaction.prepare_cached(&for_postgres(sql)).await?;
            self.transaction.query(&statement, &places(&values)).await
        });
        rows.map_err(|error| self.noticed(error))
    }

    fn noticed(&self, error: tokio_postgres::Error) -> StoreError {
        if is_conflict(&error) {
            self.has_conflict.set(true);
        }
        self.postgres.fault(error)
    }
}

pub(super) fn missing() -> StoreError {
    StoreError::Fault("a row is missing".into())
}

pub(super) fn places(values: &[Sent]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as _).collect()
}

pub(super) fn sqlite_row<T>(
    connection: &Connection,
    sql: &str,
    values: Vec<Value>,
    read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    rows.next()?.map(|row| read(&Row::Sqlite(row))).transpose()
}

pub(super) fn sqlite_rows<T>(
    connection: &Connection,
    sql: &str,
    values: Vec<Value>,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(read(&Row::Sqlite(row))?);
    }
    Ok(all)
}

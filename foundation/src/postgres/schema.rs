//! The schema that one program's tables are in, and its migrations: numbered SQL files, forward only, all in one
//! transaction together with their number.

use super::{Postgres, fault};
use crate::sqlite::StoreError;
use std::cmp::Ordering;
use tokio_postgres::Client;

/// The tables of one program, in a schema of their own, so that the database can be shared.
pub struct Schema {
    /// The program's name, for messages.
    pub program: &'static str,
    /// The schema's.
    pub name: &'static str,
    /// An advisory lock: programs that start at the same moment migrate one after the other.
    pub lock: i64,
    /// In order; the position is the schema version that a file leads to, so a released file never changes.
    pub migrations: &'static [&'static str],
}

impl Schema {
    /// The schema version that this program writes.
    pub const fn latest(&self) -> usize {
        self.migrations.len()
    }

    /// The schema version of the database; 0 without our tables.
    async fn version(&self, client: &Client) -> Result<usize, StoreError> {
        let there = "SELECT to_regclass($1) IS NOT NULL";
        let table = format!("{}.schema_version", self.name);
        let is_there = client.query_one(there, &[&table]).await.map_err(fault)?;
        let mut version = 0_i64;
        if is_there.get(0) {
            let asked = "SELECT coalesce(max(version), 0) FROM schema_version";
            version = client.query_one(asked, &[]).await.map_err(fault)?.get(0);
        }
        Ok(usize::try_from(version).unwrap_or(usize::MAX))
    }

    /// For a program that only looks.
    pub(super) async fn expect(&self, postgres: &Postgres) -> Result<(), StoreError> {
        let client = postgres.client().await?;
        let version = self.version(&client).await?;
        match version.cmp(&self.latest()) {
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(self.is_newer(version)),
            Ordering::Less => Err(StoreError::Unsupported(
                "the database has no tables of this version; `migrate` and `serve` prepare it"
                    .into(),
            )),
        }
    }

    pub(super) async fn migrate(&self, postgres: &Postgres) -> Result<(), StoreError> {
        let mut client = postgres.client().await?;
        // A role that owns nothing may serve what another one has prepared.
        if self.version(&client).await? == self.latest() {
            return Ok(());
        }
        let transaction = client.transaction().await.map_err(fault)?;
        // A till waits for seconds, but a migration of a large table may take minutes, and so may the one before it.
        let patient = "SET LOCAL statement_timeout TO 0; SET LOCAL lock_timeout TO 0";
        transaction.batch_execute(patient).await.map_err(fault)?;
        let lock = "SELECT pg_advisory_xact_lock($1)";
        let locked = transaction.execute(lock, &[&self.lock]).await;
        locked.map_err(fault)?;
        let setup = format!(
            "CREATE SCHEMA IF NOT EXISTS {};
             CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)",
            self.name
        );
        transaction.batch_execute(&setup).await.map_err(fault)?;
        let asked = "SELECT coalesce(max(version), 0) FROM schema_version";
        let row = transaction.query_one(asked, &[]).await.map_err(fault)?;
        let done = usize::try_from(row.get::<_, i64>(0)).unwrap_or(usize::MAX);
        if done > self.latest() {
            return Err(self.is_newer(done));
        }
        for migration in &self.migrations[done..] {
            transaction.batch_execute(migration).await.map_err(fault)?;
        }
        if done < self.latest() {
            let note = "INSERT INTO schema_version VALUES ($1)";
            let noted = transaction.execute(note, &[&(self.latest() as i64)]).await;
            noted.map_err(fault)?;
        }
        transaction.commit().await.map_err(fault)
    }

    fn is_newer(&self, version: usize) -> StoreError {
        let (known, program) = (self.latest(), self.program);
        StoreError::Unsupported(format!(
            "the database has schema version {version}, but this program knows only {known}: it was used by a newer \
             {program}; run that one, or restore a backup from before the upgrade"
        ))
    }
}

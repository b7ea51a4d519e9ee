//! The schema that one program's tables are in, and its migrations: numbered SQL files, forward only, all in one
//! transaction together with their number.
//!
//! One release follows another while calls come in. So `schema_version` has each version whose programs work with the
//! tables: the highest is that of the tables.

use super::{Postgres, fault};
use crate::server::LONGEST_STOP;
use crate::sqlite::StoreError;
use deadpool_postgres::Object;
use std::time::{Duration, Instant};
use tokio::time::sleep;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// How long a migration waits for a table that a transaction holds, such as that of `pg_dump`, in milliseconds. All
/// calls that need the table wait behind it, so it gives way then, and tries again.
const TABLE_WAIT: u32 = 500;
/// The time between two tries, so that calls go on.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a program may take to be gone that is being stopped: its stop, and a second for its sessions.
const FAREWELL: Duration = Duration::from_secs(LONGEST_STOP.as_secs() + 1);

/// The tables of one program, in a schema of their own, so that the database can be shared.
#[derive(Clone, Copy)]
pub struct Schema {
    /// The program's name, for messages.
    pub program: &'static str,
    /// The schema's.
    pub name: &'static str,
    /// An advisory lock: programs that start at the same moment migrate one after the other.
    pub lock: i64,
    /// In order; the position is the schema version that a file leads to, so a released file never changes.
    pub migrations: &'static [&'static str],
    /// The oldest schema version whose programs work with these tables, too; 1 to the latest. A migration that only
    /// adds keeps it, as [`Schema::first_breaking`] has it. One that changes or removes anything, or what a row means
    /// to those programs, raises it. It belongs in the release after the one that needs it no more.
    pub oldest: usize,
}

impl Schema {
    /// The schema version that this program writes.
    pub const fn latest(&self) -> usize {
        self.migrations.len()
    }

    /// The schema version of the database, 0 without our tables; fails if this program does not work with it.
    pub(super) async fn version(&self, client: &Client) -> Result<usize, StoreError> {
        match self.found(client).await.map_err(fault)? {
            (version, true) => Ok(version),
            (version, false) => Err(StoreError::Unsupported(self.mismatch(version))),
        }
    }

    /// The schema version of the database, and whether this program works with it.
    pub(super) async fn found(
        &self,
        client: &Client,
    ) -> Result<(usize, bool), tokio_postgres::Error> {
        let there = "SELECT to_regclass($1) IS NOT NULL";
        let table = format!("{}.schema_version", self.name);
        let is_there = client.query_one(there, &[&table]).await?;
        if !is_there.get::<_, bool>(0) {
            return Ok((0, true));
        }
        let asked = format!(
            "SELECT coalesce(max(version), 0), coalesce(bool_or(version = $1), false) FROM {table}"
        );
        let row = client.query_one(&asked, &[&(self.latest() as i64)]).await?;
        let version = usize::try_from(row.get::<_, i64>(0)).unwrap_or(usize::MAX);
        Ok((version, version <= self.latest() || row.get(1)))
    }

    /// The schema version, for a program that only looks.
    pub(super) async fn expect(&self, postgres: &Postgres) -> Result<usize, StoreError> {
        let version = self.version(&*postgres.client().await?).await?;
        match version < self.latest() {
            false => Ok(version),
            true => Err(StoreError::Unsupported(
                "the database has no tables of this version; `migrate` and `serve` prepare it"
                    .into(),
            )),
        }
    }

    /// The schema version, which is this program's afterwards, or a newer one.
    pub(super) async fn migrate(&self, postgres: &Postgres) -> Result<usize, StoreError> {
        let client = postgres.client().await?;
        // A role that owns nothing may serve what another one has prepared.
        let version = self.version(&client).await?;
        if version >= self.latest() {
            return Ok(version);
        }
        // Beside the pool: the session ends here, and with it what it has set and locked.
        let mut client = Object::take(client);
        // A till waits for seconds, but a migration of a large table may take minutes, and so may the one before it.
        let patient = "SET statement_timeout TO 0; SET lock_timeout TO 0";
        client.batch_execute(patient).await.map_err(fault)?;
        let lock = "SELECT pg_advisory_lock($1)";
        let locked = client.execute(lock, &[&self.lock]).await;
        locked.map_err(fault)?;
        let version = self.version(&client).await?;
        if version >= self.latest() {
            return Ok(version);
        }
        // A session that has begun: a new one would wait for the lock that the transaction has.
        let session = postgres.client().await?;
        let others: Others<'_> = (postgres, &session);
        let mut waits = false;
        loop {
            // Each time: one may have come while a table was waited for.
            self.expect_nobody_older(others).await?;
            match self.apply(&mut client, version, others).await {
                Ok(()) => return Ok(self.latest()),
                Err(Failed::OlderCame) => {}
                Err(Failed::Statement(error)) if gives_way(&error) => {
                    if !std::mem::replace(&mut waits, true) {
                        tracing::warn!(
                            "a transaction, such as that of pg_dump, holds a table that the migration needs: it is \
                             tried again until that is over"
                        );
                    }
                    sleep(PAUSE).await;
                }
                Err(Failed::Statement(error)) => return Err(fault(error)),
                Err(Failed::Look(error)) => return Err(error),
            }
        }
    }

    /// Fails while a program is connected that would not work with the new tables.
    async fn expect_nobody_older(&self, others: Others<'_>) -> Result<(), StoreError> {
        let begun = Instant::now();
        while self.is_older_there(others).await? {
            if begun.elapsed() > FAREWELL {
                let (program, latest) = (self.program, self.latest());
                return Err(StoreError::Unsupported(format!(
                    "a {program} is connected to this database that does not work with schema version {latest}: stop \
                     all of them first, or upgrade by the releases in between"
                )));
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    async fn is_older_there(&self, (postgres, session): Others<'_>) -> Result<bool, StoreError> {
        let is_older = |name: &String| {
            let version = name.split(' ').nth(1).and_then(|word| word.parse().ok());
            version.is_none_or(|version: usize| version < self.oldest)
        };
        let others = postgres.others(session, self.program).await?;
        Ok(others.iter().any(is_older))
    }

    async fn apply(
        &self,
        client: &mut Client,
        done: usize,
        others: Others<'_>,
    ) -> Result<(), Failed> {
        let transaction = client.transaction().await?;
        let setup = format!(
            "SET LOCAL lock_timeout TO {TABLE_WAIT};
             CREATE SCHEMA IF NOT EXISTS {};
             CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)",
            self.name
        );
        transaction.batch_execute(&setup).await?;
        for migration in &self.migrations[done..] {
            transaction.batch_execute(migration).await?;
        }
        // Last: the programs that serve write here, too, to see whether they can.
        let lock = "LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE";
        transaction.batch_execute(lock).await?;
        // From here on none reads the version of before: an older program that has read it is connected.
        if self.is_older_there(others).await.map_err(Failed::Look)? {
            return Err(Failed::OlderCame);
        }
        let note = format!(
            "DELETE FROM schema_version; INSERT INTO schema_version SELECT generate_series({}, {})",
            self.oldest,
            self.latest()
        );
        transaction.batch_execute(&note).await?;
        Ok(transaction.commit().await?)
    }

    /// Why this program does not work with a schema version.
    pub(super) fn mismatch(&self, version: usize) -> String {
        let (known, program) = (self.latest(), self.program);
        format!(
            "the database has schema version {version}, which does not work with this program's, {known}: it was used \
             by a newer {program}; run that one, or restore a backup from before the upgrade"
        )
    }
}

/// The database, and a session that sees who else is connected.
type Others<'a> = (&'a Postgres, &'a Client);

/// Why a migration was undone.
enum Failed {
    /// A program that would not work with the new tables.
    OlderCame,
    Statement(tokio_postgres::Error),
    /// Who else is connected could not be seen.
    Look(StoreError),
}

impl From<tokio_postgres::Error> for Failed {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Statement(error)
    }
}

/// Whether calls go before the migration, which may go through later.
fn gives_way(error: &tokio_postgres::Error) -> bool {
    [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ]
    .iter()
    .any(|state| error.code() == Some(state))
}

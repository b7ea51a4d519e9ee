//! Reading a program's audit, and erasing what is old. Each program has a table `audit`, with `id`, `at` and `event`,
//! and columns of its own.

use crate::clock::Timestamp;
use crate::command::{self, Failure};
use crate::database::{Database, Row};
use crate::sqlite::StoreError;
use crate::values;
use serde::Serialize;
use std::time::Duration;

/// Rows that are erased in one transaction.
const BATCH: u32 = 1000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A row, as the operator sees it.
pub trait Entry: Sized {
    /// Its columns, in the order in which it is read.
    const COLUMNS: &str;
    /// The column with what it is about.
    const ABOUT: &str;
    /// Reads one.
    fn read(row: &Row<'_>) -> Result<Self, StoreError>;
}

/// Which rows are asked for.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    /// Not before this moment.
    pub since: Option<Timestamp>,
    /// Only events that begin so.
    pub event: Option<String>,
    /// Only what is about this.
    pub about: Option<String>,
    /// The newest so many.
    pub limit: u32,
}

/// Options of the command that shows it.
#[derive(clap::Args)]
pub struct Options {
    /// Only of the last so many days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3650))]
    days: Option<u64>,
    /// Only events whose name begins so, such as token_set
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
    /// The newest so many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
}

impl Options {
    /// What they ask for, now.
    pub fn query(self, about: Option<String>, now: Timestamp) -> AuditQuery {
        let span = |days| DAY * u32::try_from(days).unwrap_or(u32::MAX);
        AuditQuery {
            since: self.days.map(|days| now.before(span(days))),
            event: self.event,
            about,
            limit: self.limit,
        }
    }
}

/// What a query found.
pub struct Found<E> {
    /// The newest rows, oldest first.
    pub entries: Vec<E>,
    /// Whether there are older ones, beyond the limit.
    pub has_older: bool,
}

impl<E: Serialize> Found<E> {
    /// Prints the rows; on stderr, that there are older ones.
    pub fn print(&self, json: bool, line: fn(&E) -> String) -> Result<(), Failure> {
        let lines = || self.entries.iter().map(line).collect::<Vec<_>>().join("\n");
        command::print(json, &self.entries, lines)?;
        if self.has_older {
            eprintln!("there are older rows: --limit shows more");
        }
        Ok(())
    }
}

impl Database {
    /// The newest rows of the audit that a query asks for.
    pub async fn audit<E: Entry>(&self, query: AuditQuery) -> Result<Found<E>, StoreError> {
        let (columns, about) = (E::COLUMNS, E::ABOUT);
        let sql = format!(
            "SELECT {columns} FROM audit
             WHERE at >= ?1 AND substr(event, 1, length(CAST(?2 AS text))) = CAST(?2 AS text)
               AND (CAST(?3 AS text) IS NULL OR {about} = CAST(?3 AS text))
             ORDER BY id DESC LIMIT ?4"
        );
        let since = query.since.unwrap_or(Timestamp(0));
        let event = query.event.unwrap_or_default();
        let limit = query.limit as usize;
        let values = values![since, event, query.about, i64::from(query.limit) + 1];
        let mut entries = self.rows(&sql, values, E::read).await?;
        let has_older = entries.len() > limit;
        entries.truncate(limit);
        entries.reverse();
        Ok(Found { entries, has_older })
    }

    /// Erases rows of the audit from before a moment, but for the last 30 days of it, which a trigger keeps; says
    /// whether there may be more.
    pub async fn purge_audit(&self, before: Timestamp) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = "DELETE FROM audit WHERE id IN (
                   SELECT id FROM audit WHERE at < ?1 AND at <= (SELECT max(at) FROM audit) - 2592000000
                   ORDER BY at LIMIT ?2)";
            Ok(transaction.execute(sql, values![before, BATCH])? == BATCH as usize)
        })
        .await
    }
}

//! The audit: who did what, when and from where. Rows are added, and erased when they are old; none is changed.
//!
//! A row is written in the transaction of what it tells of, so neither is there without the other. It holds no secret,
//! no token and no shopper's data.

use super::mode::read_any_mode;
use super::walk::Walk;
use super::{Listing, Store, StoreError};
use crate::clock::Timestamp;
use pos_connect_foundation::audit::Entry;
use pos_connect_foundation::command::operator;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::metrics;
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use rusqlite::types::Value;
use schemars::JsonSchema;
use serde::Serialize;
use std::net::IpAddr;
use std::time::Duration;

/// Who acts.
#[derive(Clone, Copy, Debug)]
pub enum Actor {
    /// A vendor's tills or back end; its row number.
    Vendor(i64),
    /// A merchant; the account's row number.
    Account(i64),
    /// Somebody who has not signed in, and the mode of the page; `None` where the subject has it.
    Visitor(Option<Mode>),
    /// Whoever runs the service's commands.
    Operator,
    /// A back office of the operator's; the row number of its admin key.
    AdminKey(i64),
}

/// Which rows are asked for.
#[derive(Debug)]
pub struct AuditPage {
    /// Not before this moment.
    pub since: Option<Timestamp>,
    /// Only events that begin so.
    pub event: Option<String>,
    /// Only what is about this.
    pub subject: Option<String>,
    /// Which part.
    pub rows: Listing,
}

/// Who acts, from where, and when.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    /// Who.
    pub actor: Actor,
    /// From where, if that is known.
    pub address: Option<IpAddr>,
    /// When.
    pub now: Timestamp,
}

impl Act {
    /// A command of the operator's.
    pub const fn operator(now: Timestamp) -> Self {
        Self {
            actor: Actor::Operator,
            address: None,
            now,
        }
    }
}

/// A row, as the operator sees it.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// Row number.
    #[serde(skip)]
    pub row: i64,
    /// RFC 3339, UTC.
    pub at: String,
    /// What happened.
    pub event: String,
    /// `vendor CLIENT-ID`, `account ID`, `visitor`, `operator NAME` or `admin key ID`.
    pub actor: String,
    /// From where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What it is about: an ID, or the first digits of an integration's hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The mode of the vendor or the account; none where it is about neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

impl Entry for AuditEntry {
    const COLUMNS: &str = "at, event, actor, address, subject, id, mode";
    const ABOUT: &str = "subject";

    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            at: row.get::<Timestamp>(0)?.to_string(),
            event: row.get(1)?,
            actor: row.get(2)?,
            address: row.get(3)?,
            subject: row.get(4)?,
            row: row.get(5)?,
            mode: read_any_mode(row, 6)?,
        })
    }
}

/// Tells of what the operator did, if it found its subject. Says whether it did.
pub(super) fn record_command(
    transaction: &Transaction<'_>,
    event: &'static str,
    subject: Option<String>,
    act: &Act,
) -> Result<bool, StoreError> {
    if let Some(subject) = &subject {
        record(transaction, event, Some(subject), act)?;
    }
    Ok(subject.is_some())
}

/// The label of an admin key, which may have been revoked while the call was on its way.
fn live_key(transaction: &Transaction<'_>, id: i64) -> Result<String, StoreError> {
    let sql = "SELECT label FROM admin_key WHERE id = ?1 AND revoked_at IS NULL";
    let label = transaction.row(sql, values![id], |row| row.get(0))?;
    label.ok_or(StoreError::Revoked)
}

impl Act {
    /// Fails if whoever acts may not any more: for the steps of long work, of which only the first has a row.
    pub(super) fn goes_on(&self, transaction: &Transaction<'_>) -> Result<(), StoreError> {
        match self.actor {
            Actor::AdminKey(id) => live_key(transaction, id).map(|_| ()),
            _ => Ok(()),
        }
    }
}

/// Adds a row.
pub(super) fn record(
    transaction: &Transaction<'_>,
    event: &'static str,
    subject: Option<&str>,
    act: &Act,
) -> Result<(), StoreError> {
    let (actor, mode) = actor_and_mode(transaction, act.actor)?;
    let mode = mode.map_or_else(|| mode_of(transaction, subject), |mode| Ok(Some(mode)))?;
    let (mode, address) = (
        mode.map(Mode::as_str),
        act.address.map(|address| address.to_string()),
    );
    let sql = "INSERT INTO audit (at, event, actor, address, subject, mode) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    transaction.execute(sql, values![act.now, event, actor, address, subject, mode])?;
    transaction.on_commit(move || metrics::happened(event));
    Ok(())
}

/// Who acts, in words, and the mode, if that tells it.
fn actor_and_mode(
    transaction: &Transaction<'_>,
    actor: Actor,
) -> Result<(String, Option<Mode>), StoreError> {
    let named = |sql: &str, id: i64| {
        let read = |row: &Row<'_>| Ok((row.get(0)?, read_any_mode(row, 1)?));
        Ok(transaction.row(sql, values![id], read)?.unwrap_or_default())
    };
    match actor {
        Actor::Vendor(id) => named(
            "SELECT 'vendor ' || client_id, mode FROM vendor WHERE id = ?1",
            id,
        ),
        Actor::Account(id) => named(
            "SELECT 'account ' || public_id, mode FROM account WHERE id = ?1",
            id,
        ),
        Actor::Visitor(mode) => Ok(("visitor".to_owned(), mode)),
        Actor::Operator => Ok((operator(), None)),
        Actor::AdminKey(id) => Ok((format!("admin key {}", live_key(transaction, id)?), None)),
    }
}

/// The mode of what a row is about: of several, of the first.
fn mode_of(
    transaction: &Transaction<'_>,
    subject: Option<&str>,
) -> Result<Option<Mode>, StoreError> {
    let sql = "SELECT mode FROM vendor WHERE client_id = ?1
         UNION ALL SELECT mode FROM account WHERE public_id = ?1 OR email = ?1
         UNION ALL SELECT a.mode FROM store s JOIN account a ON a.id = s.account_id WHERE s.public_id = ?1
         UNION ALL SELECT v.mode FROM event e JOIN vendor v ON v.id = e.vendor_id WHERE e.public_id = ?1
         UNION ALL SELECT v.mode FROM message m JOIN store_order o ON o.id = m.order_id
           JOIN vendor v ON v.id = o.vendor_id WHERE m.public_id = ?1";
    let Some(first) = subject.and_then(|subject| subject.split(' ').next()) else {
        return Ok(None);
    };
    let found = transaction.row(sql, values![first], |row| read_any_mode(row, 0))?;
    Ok(found.flatten())
}

impl Store {
    /// Runs the statement of a change of the operator's, which returns its subject. False if it found none.
    pub(super) async fn command(
        &self,
        sql: String,
        values: Vec<Value>,
        event: &'static str,
        act: Act,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let subject = transaction.row(&sql, values.clone(), |row| row.get(0))?;
            record_command(transaction, event, subject, &act)
        })
        .await
    }

    /// Rows after one, oldest first, and where it goes on that it has not looked at in this time.
    pub async fn audit_page(
        &self,
        page: AuditPage,
        longest: Duration,
    ) -> Result<(Vec<AuditEntry>, Option<i64>), StoreError> {
        let list = format!(
            "SELECT {} FROM audit
             WHERE id > ?1 AND id <= ?2 AND at >= ?4
               AND substr(event, 1, length(CAST(?5 AS text))) = CAST(?5 AS text)
               AND (CAST(?6 AS text) IS NULL OR subject = CAST(?6 AS text)) ORDER BY id LIMIT ?3",
            AuditEntry::COLUMNS
        );
        let since = page.since.unwrap_or(Timestamp(0));
        let walk = Walk {
            table: "audit",
            key: "id",
            list,
            values: values![since, page.event.unwrap_or_default(), page.subject],
            after: page.rows.after,
            last: i64::MAX,
            limit: page.rows.limit,
            longest,
        };
        self.walk(walk, AuditEntry::read).await
    }

    /// Adds a row that goes with no other change.
    pub async fn record(
        &self,
        event: &'static str,
        subject: Option<String>,
        act: Act,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| record(transaction, event, subject.as_deref(), &act))
            .await
    }
}

//! The audit: who did what, when and from where. Rows are added, and erased when they are old; none is changed.
//!
//! A row is written in the transaction of what it tells of, so neither is there without the other. It holds no secret,
//! no token and no shopper's data.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use pos_connect_foundation::audit::Entry;
use pos_connect_foundation::command::operator;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::metrics;
use pos_connect_foundation::values;
use rusqlite::types::Value;
use serde::Serialize;
use std::net::IpAddr;

/// Who acts.
#[derive(Clone, Copy, Debug)]
pub enum Actor {
    /// A vendor's tills or back end; its row number.
    Vendor(i64),
    /// A merchant; the account's row number.
    Account(i64),
    /// Somebody who has not signed in.
    Visitor,
    /// Whoever runs the service's commands.
    Operator,
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
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// RFC 3339, UTC.
    pub at: String,
    /// What happened.
    pub event: String,
    /// `vendor CLIENT-ID`, `account ID`, `visitor` or `operator NAME`.
    pub actor: String,
    /// From where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What it is about: an ID, or the first digits of an integration's hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

impl Entry for AuditEntry {
    const COLUMNS: &str = "at, event, actor, address, subject";
    const ABOUT: &str = "subject";

    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            at: row.get::<Timestamp>(0)?.to_string(),
            event: row.get(1)?,
            actor: row.get(2)?,
            address: row.get(3)?,
            subject: row.get(4)?,
        })
    }
}

/// Tells of a command of the operator's, if it found its subject. Says whether it did.
pub(super) fn record_command(
    transaction: &Transaction<'_>,
    event: &'static str,
    subject: Option<String>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if let Some(subject) = &subject {
        record(transaction, event, Some(subject), &Act::operator(now))?;
    }
    Ok(subject.is_some())
}

/// Adds a row.
pub(super) fn record(
    transaction: &Transaction<'_>,
    event: &'static str,
    subject: Option<&str>,
    act: &Act,
) -> Result<(), StoreError> {
    let name = |sql: &str, id: i64| transaction.row(sql, values![id], |row| row.get::<String>(0));
    let actor = match act.actor {
        Actor::Vendor(id) => {
            let client_id = name("SELECT client_id FROM vendor WHERE id = ?1", id)?;
            format!("vendor {}", client_id.unwrap_or_default())
        }
        Actor::Account(id) => {
            let public_id = name("SELECT public_id FROM account WHERE id = ?1", id)?;
            format!("account {}", public_id.unwrap_or_default())
        }
        Actor::Visitor => "visitor".to_owned(),
        Actor::Operator => operator(),
    };
    let address = act.address.map(|address| address.to_string());
    let sql = "INSERT INTO audit (at, event, actor, address, subject) VALUES (?1, ?2, ?3, ?4, ?5)";
    transaction.execute(sql, values![act.now, event, actor, address, subject])?;
    transaction.on_commit(move || metrics::happened(event));
    Ok(())
}

impl Store {
    /// Runs the statement of a command of the operator's, which returns its subject. False if it found none.
    pub(super) async fn command(
        &self,
        sql: String,
        values: Vec<Value>,
        event: &'static str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let subject = transaction.row(&sql, values.clone(), |row| row.get(0))?;
            record_command(transaction, event, subject, now)
        })
        .await
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

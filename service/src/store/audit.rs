//! The audit: who did what, when and from where. Rows are added, and erased when they are old; none is changed.
//!
//! A row is written in the transaction of what it tells of, so neither is there without the other. It holds no secret, no
//! token and no shopper's data.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use pos_connect_foundation::command::operator;
use pos_connect_foundation::database::{Row, Session};
use pos_connect_foundation::metrics;
use pos_connect_foundation::values;
use serde::Serialize;
use std::net::IpAddr;
use std::time::Duration;

/// Rows that are erased in one transaction.
const AT_ONCE: u32 = 1000;

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

/// Which rows are asked for.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    /// Not before this moment.
    pub since: Option<Timestamp>,
    /// Only events that begin so.
    pub event: Option<String>,
    /// Only what is about this.
    pub subject: Option<String>,
    /// The newest so many.
    pub limit: u32,
}

/// Adds a row.
pub(super) fn record(
    session: &Session<'_>,
    event: &'static str,
    subject: Option<&str>,
    act: &Act,
) -> Result<(), StoreError> {
    let name = |sql: &str, id: i64| session.row(sql, values![id], |row| row.get::<String>(0));
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
        Actor::Operator => format!("operator {}", operator()).trim_end().to_owned(),
    };
    let address = act.address.map(|address| address.to_string());
    let sql = "INSERT INTO audit (at, event, actor, address, subject) VALUES (?1, ?2, ?3, ?4, ?5)";
    session.execute(sql, values![act.now, event, actor, address, subject])?;
    session.on_commit(move || metrics::happened(event));
    Ok(())
}

impl Store {
    /// Adds a row that goes with no other change.
    pub async fn record(
        &self,
        event: &'static str,
        subject: Option<String>,
        act: Act,
    ) -> Result<(), StoreError> {
        self.write(move |session| record(session, event, subject.as_deref(), &act))
            .await
    }

    /// The newest rows that a query asks for, oldest first.
    pub async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, StoreError> {
        let sql = "SELECT at, event, actor, address, subject FROM audit
                   WHERE at >= ?1 AND substr(event, 1, length(CAST(?2 AS text))) = CAST(?2 AS text)
                     AND (CAST(?3 AS text) IS NULL OR subject = CAST(?3 AS text))
                   ORDER BY id DESC LIMIT ?4";
        let since = query.since.unwrap_or(Timestamp(0));
        let event = query.event.unwrap_or_default();
        let values = values![since, event, query.subject, query.limit];
        let read = |row: &Row<'_>| {
            Ok(AuditEntry {
                at: row.get::<Timestamp>(0)?.to_string(),
                event: row.get(1)?,
                actor: row.get(2)?,
                address: row.get(3)?,
                subject: row.get(4)?,
            })
        };
        let mut entries = self.rows(sql, values, read).await?;
        entries.reverse();
        Ok(entries)
    }

    /// Erases rows that are older; says whether there may be more.
    pub async fn purge_audit(&self, now: Timestamp, kept: Duration) -> Result<bool, StoreError> {
        let before = now.before(kept);
        self.write(move |session| {
            let sql = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ?1 ORDER BY at LIMIT ?2)";
            Ok(session.execute(sql, values![before, AT_ONCE])? == AT_ONCE as usize)
        })
        .await
    }
}

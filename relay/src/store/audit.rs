//! The audit: who did what, and when. Rows are added, and erased when they are old; none is changed.
//!
//! A row is written in the transaction of what it tells of, so neither is there without the other. It holds no secret
//! and no token.

use super::{Store, StoreError};
use pos_connect_foundation::audit::{AuditQuery, Entry, Found};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::command::operator;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use serde::Serialize;

/// Who acts.
#[derive(Clone, Debug)]
pub enum Actor {
    /// Whoever runs the relay's commands.
    Operator,
    /// A till; its label.
    Till(String),
    /// The vendor's server; the label of its fleet key.
    FleetKey(String),
    /// The authorization service.
    Service,
}

impl Actor {
    fn shown(&self) -> String {
        match self {
            Self::Operator => operator(),
            Self::Till(label) => format!("till {label}"),
            Self::FleetKey(label) => format!("fleet key {label}"),
            Self::Service => "service".to_owned(),
        }
    }
}

/// A row about to be written.
#[derive(Clone, Debug)]
pub(super) struct Record {
    at: Timestamp,
    event: &'static str,
    actor: String,
    merchant: Option<String>,
    subject: Option<String>,
}

impl Record {
    pub(super) fn new(event: &'static str, actor: &Actor, at: Timestamp) -> Self {
        Self {
            at,
            event,
            actor: actor.shown(),
            merchant: None,
            subject: None,
        }
    }

    /// Whose connection it is about.
    pub(super) fn of(self, merchant: &str) -> Self {
        Self {
            merchant: Some(merchant.to_owned()),
            ..self
        }
    }

    /// The till, the fleet key or the integration that it is about.
    pub(super) fn about(self, subject: &str) -> Self {
        Self {
            subject: Some(subject.to_owned()),
            ..self
        }
    }

    pub(super) fn write(&self, transaction: &Transaction<'_>) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO audit (at, event, actor, merchant, subject) VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = values![self.at, self.event, self.actor, self.merchant, self.subject];
        transaction.execute(sql, row)?;
        Ok(())
    }
}

/// Tells of a token set that was kept.
pub(super) fn picked_up(
    integration: &Hash,
    merchant: &str,
    till: String,
    refused: bool,
    now: Timestamp,
) -> Record {
    let event = match refused {
        true => "token_set.other_account",
        false => "token_set.picked_up",
    };
    Record::new(event, &Actor::Till(till), now)
        .of(merchant)
        .about(&integration.label())
}

/// A row, as the operator sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// RFC 3339, UTC.
    pub at: String,
    /// What happened.
    pub event: String,
    /// `operator NAME`, `till ID`, `fleet key ID` or `service`.
    pub actor: String,
    /// Whose connection it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merchant: Option<String>,
    /// The ID of a till or of a fleet key, or the first digits of an integration's hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

impl Entry for AuditEntry {
    const COLUMNS: &str = "at, event, actor, merchant, subject";
    const ABOUT: &str = "merchant";

    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            at: row.get::<Timestamp>(0)?.to_string(),
            event: row.get(1)?,
            actor: row.get(2)?,
            merchant: row.get(3)?,
            subject: row.get(4)?,
        })
    }
}

impl Store {
    /// The newest rows of the audit that a query asks for.
    pub async fn audit(&self, query: AuditQuery) -> Result<Found<AuditEntry>, StoreError> {
        self.database.audit(query).await
    }

    /// Erases rows of the audit from before a moment; says whether there may be more.
    pub async fn purge_audit(&self, before: Timestamp) -> Result<bool, StoreError> {
        self.database.purge_audit(before).await
    }
}

//! What happened to the integrations of a vendor that has a webhook, until the vendor was told.
//!
//! An event is written in the transaction of what it tells of. Each kind happens once for an integration.

use super::audit::{Act, record};
use super::message::Delivery;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::token::{Hash, random_text};
use pos_connect_foundation::database::{Row, Session};
use pos_connect_foundation::values;
use pos_connect_protocol::StatusReason;
use serde::Serialize;

/// What happened.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Happening {
    /// The merchant consented.
    Finished,
    /// The merchant or the till cancelled, or the time ran out.
    Cancelled(StatusReason),
    /// The token set was picked up.
    TokensRetrieved,
    /// Somebody asked for the token set again who had not picked it up, or does not prove it.
    Replayed,
    /// The tokens work no more: by whom, `vendor`, `merchant`, `operator`, or `reuse` of a spent refresh token.
    Revoked(&'static str),
    /// Nothing; the operator tries whether the vendor hears.
    Test,
}

impl Happening {
    const fn kind(self) -> &'static str {
        match self {
            Self::Finished => "integration.finished",
            Self::Cancelled(_) => "integration.cancelled",
            Self::TokensRetrieved => "integration.tokens_retrieved",
            Self::Replayed => "integration.replayed",
            Self::Revoked(_) => "connection.revoked",
            Self::Test => "webhook.test",
        }
    }

    const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Cancelled(reason) => Some(reason.as_str()),
            Self::Revoked(by) => Some(by),
            Self::Finished | Self::TokensRetrieved | Self::Replayed | Self::Test => None,
        }
    }
}

/// What the vendor reads.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    /// Hex SHA-256 of the integration token, which the vendor has.
    #[serde(skip_serializing_if = "Option::is_none")]
    integration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// An event that is due.
pub struct DueEvent {
    /// The same at every attempt.
    pub id: String,
    /// As `integration.finished`.
    pub kind: String,
    /// When it happened.
    pub at: Timestamp,
    /// JSON.
    pub data: String,
    /// How often it was tried.
    pub attempts: u32,
}

/// An event that the vendor does not know yet, as the operator sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventSummary {
    /// Names the event; the vendor gets the same.
    pub id: String,
    /// The vendor.
    pub client_id: String,
    /// As `integration.finished`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `queued` or `failed`.
    pub state: String,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    /// Why the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Store {
    /// Notes that somebody asked again for a token set that was picked up, the first time.
    pub(crate) async fn replayed(
        &self,
        integration: Hash,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        // Most calls that come again come often: they cost a look, and no write.
        let sql = "SELECT 1 FROM integration i JOIN webhook w ON w.vendor_id = i.vendor_id
                   WHERE i.hash = ?1 AND NOT EXISTS (
                     SELECT 1 FROM event e WHERE e.integration_hash = i.hash AND e.kind = ?2)";
        let news = values![integration, Happening::Replayed.kind()];
        if self.exists(sql, news).await? {
            let told =
                self.write(move |session| tell(session, &integration, Happening::Replayed, now));
            told.await?;
        }
        Ok(())
    }

    /// The vendors that have something to be told now.
    pub(crate) async fn vendors_to_tell(&self, now: Timestamp) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT DISTINCT e.vendor_id FROM event e JOIN vendor v ON v.id = e.vendor_id
                   WHERE e.state = 'queued' AND e.due_at <= ?1 AND v.disabled_at IS NULL";
        self.rows(sql, values![now], |row| row.get(0)).await
    }

    /// What a vendor is to be told now, what waits longest first.
    pub(crate) async fn due_events(
        &self,
        vendor: i64,
        now: Timestamp,
        count: u32,
    ) -> Result<Vec<DueEvent>, StoreError> {
        // What waits for another vendor is not looked through: SQLite takes an index that leaves rows out only for words
        // that say the same.
        let sql = "SELECT public_id, kind, at, data, attempts FROM event
                   WHERE vendor_id = ?1 AND state = 'queued' AND state <> 'sent' AND due_at <= ?2
                   ORDER BY due_at, id LIMIT ?3";
        self.rows(sql, values![vendor, now, count], |row| {
            Ok(DueEvent {
                id: row.get(0)?,
                kind: row.get(1)?,
                at: row.get(2)?,
                data: row.get(3)?,
                attempts: row.get(4)?,
            })
        })
        .await
    }

    /// Counts an attempt that is about to be made, and says when the next one is due, should this one fail. False if
    /// the event does not wait any more, or another service makes this attempt.
    pub(crate) async fn begin_telling(
        &self,
        id: String,
        attempts: u32,
        due_at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |session| {
            let sql = "UPDATE event SET attempts = attempts + 1, due_at = ?3
                       WHERE public_id = ?1 AND state = 'queued' AND attempts = ?2";
            Ok(session.execute(sql, values![id, attempts, due_at])? == 1)
        })
        .await
    }

    /// Remembers what became of an attempt. What was told about an integration stays as long as that, so that it is not
    /// told again.
    pub(crate) async fn told(&self, id: String, delivery: Delivery) -> Result<(), StoreError> {
        self.write(move |session| {
            let (state, failure) = match &delivery {
                Delivery::Sent => ("sent", None),
                Delivery::Later(failure) => ("queued", Some(failure)),
                Delivery::Dead(failure) => ("failed", Some(failure)),
            };
            let sql = "UPDATE event SET state = ?2, failure = coalesce(?3, failure)
                       WHERE public_id = ?1 AND state = 'queued'";
            session.execute(sql, values![id, state, failure])?;
            forget_test(session, &id)
        })
        .await
    }

    /// The events that were not told, those that are due first at the top.
    pub async fn untold(&self, now: Timestamp) -> Result<Vec<EventSummary>, StoreError> {
        let sql =
            "SELECT e.public_id, v.client_id, e.kind, e.state, e.attempts, e.due_at, e.failure
                   FROM event e JOIN vendor v ON v.id = e.vendor_id
                   WHERE e.state <> 'sent' AND e.at <= ?1 ORDER BY e.state DESC, e.due_at, e.id";
        let read = |row: &Row<'_>| {
            let state: String = row.get(3)?;
            let due_at: Timestamp = row.get(5)?;
            Ok(EventSummary {
                id: row.get(0)?,
                client_id: row.get(1)?,
                kind: row.get(2)?,
                due_at: (state == "queued").then(|| due_at.to_string()),
                state,
                attempts: row.get(4)?,
                failure: row.get(6)?,
            })
        };
        self.rows(sql, values![now], read).await
    }

    /// How many events wait, and how many have failed.
    pub async fn event_counts(&self, now: Timestamp) -> Result<(i64, i64), StoreError> {
        let sql = "SELECT count(*) FROM event WHERE state = ?1 AND state <> 'sent' AND at <= ?2";
        let count = async |state: &str| self.one(sql, values![state, now], |row| row.get(0)).await;
        Ok((count("queued").await?, count("failed").await?))
    }

    /// Has an event tried again, from the first attempt on; false if there is none that waits or has failed.
    pub async fn retry_event(&self, id: String, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "UPDATE event SET state = 'queued', attempts = 0, due_at = ?2
                   WHERE public_id = ?1 AND state <> 'sent' AND at <= ?2";
        self.change_event(id, sql, "webhook.retried", now).await
    }

    /// Gives an event up; false if there is none that waits or has failed.
    pub async fn drop_event(&self, id: String, now: Timestamp) -> Result<bool, StoreError> {
        // It stays, as one that was told: or it might happen again.
        let sql =
            "UPDATE event SET state = 'sent' WHERE public_id = ?1 AND state <> 'sent' AND at <= ?2";
        self.change_event(id, sql, "webhook.dropped", now).await
    }

    async fn change_event(
        &self,
        id: String,
        sql: &'static str,
        event: &'static str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |session| {
            let is_there = session.execute(sql, values![id, now])? == 1;
            if is_there {
                forget_test(session, &id)?;
                record(session, event, Some(&id), &Act::operator(now))?;
            }
            Ok(is_there)
        })
        .await
    }
}

/// Leaves an event about an integration, if its vendor has a webhook.
pub(super) fn tell(
    session: &Session<'_>,
    integration: &Hash,
    happening: Happening,
    at: Timestamp,
) -> Result<(), StoreError> {
    let sql = "SELECT w.vendor_id, a.public_id, s.public_id
         FROM integration i JOIN webhook w ON w.vendor_id = i.vendor_id
           LEFT JOIN store s ON s.id = i.store_id LEFT JOIN account a ON a.id = s.account_id
         WHERE i.hash = ?1";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let Some((vendor, account_id, store_id)) = session.row(sql, values![integration], read)? else {
        return Ok(());
    };
    let data = Data {
        integration: Some(integration.to_hex()),
        account_id,
        store_id,
        reason: happening.reason(),
    };
    add(session, vendor, Some(integration), happening, &data, at)?;
    Ok(())
}

/// Leaves what happens to a pending integration when its time runs out, unless it is decided before.
pub(super) fn tell_of_expiry(
    session: &Session<'_>,
    integration: &Hash,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    let expired = Happening::Cancelled(StatusReason::Expired);
    tell(session, integration, expired, expires_at)
}

/// It is decided: its time does not run out any more.
pub(super) fn forget_expiry(session: &Session<'_>, integration: &Hash) -> Result<(), StoreError> {
    let kind = Happening::Cancelled(StatusReason::Expired).kind();
    let sql = "DELETE FROM event WHERE integration_hash = ?1 AND kind = ?2";
    session.execute(sql, values![integration, kind])?;
    Ok(())
}

/// One that is done and about no integration happens again as often as it is asked for, and nothing else erases it.
fn forget_test(session: &Session<'_>, id: &str) -> Result<(), StoreError> {
    let sql =
        "DELETE FROM event WHERE public_id = ?1 AND state = 'sent' AND integration_hash IS NULL";
    session.execute(sql, values![id])?;
    Ok(())
}

/// Leaves an event about no integration; gives its id.
pub(super) fn test_event(
    session: &Session<'_>,
    vendor: i64,
    happening: Happening,
    now: Timestamp,
) -> Result<String, StoreError> {
    add(session, vendor, None, happening, &Data::default(), now)
}

fn add(
    session: &Session<'_>,
    vendor: i64,
    integration: Option<&Hash>,
    happening: Happening,
    data: &Data,
    at: Timestamp,
) -> Result<String, StoreError> {
    let fault = |error: serde_json::Error| StoreError::Fault(error.to_string());
    let data = serde_json::to_string(data).map_err(fault)?;
    let id = format!("evt_{}", random_text(20));
    let sql = "INSERT INTO event (public_id, vendor_id, kind, integration_hash, at, data, due_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?5) ON CONFLICT DO NOTHING";
    session.execute(
        sql,
        values![id, vendor, happening.kind(), integration, at, data],
    )?;
    Ok(id)
}

//! What happened to the integrations of a vendor that has a webhook, until the vendor was told.
//!
//! An event is written in the transaction of what it tells of. Each kind happens once for an integration.

use super::audit::{Act, record};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::token::{Hash, random_text};
use pos_connect_foundation::database::{Bind, Row, Transaction};
use pos_connect_foundation::{trace, values};
use pos_connect_protocol::StatusReason;
use serde::Serialize;

/// What happened.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EventKind {
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

impl EventKind {
    const fn name(self) -> &'static str {
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

/// Events that are written in one statement.
const BATCH: usize = 500;

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

/// What lies ahead is not walked through: there is one for each pending integration. SQLite keeps the order of tables
/// that a `CROSS JOIN` says.
const UNDELIVERED: &str =
    "SELECT e.public_id, v.client_id, e.kind, e.state, e.attempts, e.due_at, e.failure
     FROM webhook w JOIN vendor v ON v.id = w.vendor_id CROSS JOIN event e
     WHERE e.vendor_id = w.vendor_id AND e.state IN ('queued', 'failed') AND e.state <> 'sent' AND e.at <= ?1
     ORDER BY e.state DESC, e.due_at, e.id LIMIT 1000";

/// Whoever waits for a count waits for no more than this.
const COUNT: &str =
    "SELECT count(*) FROM (SELECT 1 FROM webhook w CROSS JOIN event e
     WHERE e.vendor_id = w.vendor_id AND e.state = ?1 AND e.state <> 'sent' AND e.at <= ?2 LIMIT 100000) AS counted";

/// Whether the vendor of an integration that a statement changes has a webhook. For its `RETURNING`.
pub(super) const HAS_WEBHOOK: &str =
    "EXISTS (SELECT 1 FROM webhook w WHERE w.vendor_id = integration.vendor_id)";

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
        let news = values![integration, EventKind::Replayed.name()];
        if self.exists(sql, news).await? {
            let told = self.write(move |transaction| {
                add_event(transaction, &integration, EventKind::Replayed, now)
            });
            told.await?;
        }
        Ok(())
    }

    /// The events that were not told, those that are due first at the top; not more than a thousand.
    pub async fn undelivered_events(
        &self,
        now: Timestamp,
    ) -> Result<Vec<EventSummary>, StoreError> {
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
        self.rows(UNDELIVERED, values![now], read).await
    }

    /// How many events wait, and how many have failed; of each, a hundred thousand at most.
    pub async fn event_counts(&self, now: Timestamp) -> Result<(i64, i64), StoreError> {
        let count =
            async |state: &str| self.one(COUNT, values![state, now], |row| row.get(0)).await;
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
        self.write(move |transaction| {
            let is_there = transaction.execute(sql, values![id, now])? == 1;
            if is_there {
                // Whoever asks for it does not want to wait until the vendor is tried again.
                let sql = "UPDATE webhook SET quiet_until = 0
                           WHERE vendor_id = (SELECT vendor_id FROM event WHERE public_id = ?1)";
                transaction.execute(sql, values![id])?;
                forget_test(transaction, &id)?;
                record(transaction, event, Some(&id), &Act::operator(now))?;
            }
            Ok(is_there)
        })
        .await
    }
}

/// Leaves an event about an integration, if its vendor has a webhook.
pub(super) fn add_event(
    transaction: &Transaction<'_>,
    integration: &Hash,
    kind: EventKind,
    at: Timestamp,
) -> Result<(), StoreError> {
    add_events(transaction, std::slice::from_ref(integration), kind, at)
}

/// Leaves an event about each of many integrations: two statements for some hundreds of them.
pub(super) fn add_events(
    transaction: &Transaction<'_>,
    integrations: &[Hash],
    kind: EventKind,
    at: Timestamp,
) -> Result<(), StoreError> {
    for integrations in integrations.chunks(BATCH) {
        let sql = format!(
            "SELECT i.hash, w.vendor_id, a.public_id, s.public_id
             FROM integration i JOIN webhook w ON w.vendor_id = i.vendor_id
               LEFT JOIN store s ON s.id = i.store_id LEFT JOIN account a ON a.id = s.account_id
             WHERE i.hash IN ({})",
            places(1, integrations.len())
        );
        let read = |row: &Row<'_>| {
            let integration: Hash = row.get(0)?;
            let data = Data {
                integration: Some(integration.to_hex()),
                account_id: row.get(2)?,
                store_id: row.get(3)?,
                reason: kind.reason(),
            };
            NewEvent::new(row.get(1)?, Some(integration), &data)
        };
        let hashes = integrations.iter().map(Bind::bind).collect();
        let events = transaction.rows(&sql, hashes, read)?;
        add(transaction, &events, kind, at)?;
    }
    Ok(())
}

/// Leaves what happens to a pending integration when its time runs out, unless it is decided before.
pub(super) fn add_expiry(
    transaction: &Transaction<'_>,
    integration: &Hash,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    let expired = EventKind::Cancelled(StatusReason::Expired);
    add_event(transaction, integration, expired, expires_at)
}

/// Leaves what was decided about an integration; its time does not run out any more.
pub(super) fn add_decision(
    transaction: &Transaction<'_>,
    integration: &Hash,
    kind: EventKind,
    at: Timestamp,
) -> Result<(), StoreError> {
    let expired = EventKind::Cancelled(StatusReason::Expired).name();
    let sql = "DELETE FROM event WHERE integration_hash = ?1 AND kind = ?2";
    transaction.execute(sql, values![integration, expired])?;
    add_event(transaction, integration, kind, at)
}

/// One that is done and about no integration happens again as often as it is asked for, and nothing else erases it.
pub(super) fn forget_test(transaction: &Transaction<'_>, id: &str) -> Result<(), StoreError> {
    let sql =
        "DELETE FROM event WHERE public_id = ?1 AND state = 'sent' AND integration_hash IS NULL";
    transaction.execute(sql, values![id])?;
    Ok(())
}

/// Leaves an event about no integration; gives its id.
pub(super) fn test_event(
    transaction: &Transaction<'_>,
    vendor: i64,
    kind: EventKind,
    now: Timestamp,
) -> Result<String, StoreError> {
    let event = NewEvent::new(vendor, None, &Data::default())?;
    let id = event.id.clone();
    add(transaction, &[event], kind, now)?;
    Ok(id)
}

/// A row that is about to be written.
struct NewEvent {
    id: String,
    vendor: i64,
    integration: Option<Hash>,
    /// JSON.
    data: String,
}

impl NewEvent {
    fn new(vendor: i64, integration: Option<Hash>, data: &Data) -> Result<Self, StoreError> {
        let fault = |error: serde_json::Error| StoreError::Fault(error.to_string());
        Ok(Self {
            id: format!("evt_{}", random_text(20)),
            vendor,
            integration,
            data: serde_json::to_string(data).map_err(fault)?,
        })
    }
}

/// Adds events; those that were told once stay as they are.
fn add(
    transaction: &Transaction<'_>,
    events: &[NewEvent],
    kind: EventKind,
    at: Timestamp,
) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    let row = |index: usize| format!("({}, ?1, ?2, ?2, ?3)", places(4 + 4 * index, 4));
    let rows: Vec<String> = (0..events.len()).map(row).collect();
    let sql = format!(
        "INSERT INTO event (public_id, vendor_id, integration_hash, data, kind, at, due_at, traceparent) VALUES {}
         ON CONFLICT DO NOTHING",
        rows.join(", ")
    );
    let mut values = values![kind.name(), at, trace::current()];
    for NewEvent {
        id,
        vendor,
        integration,
        data,
    } in events
    {
        values.extend(values![id, vendor, integration, data]);
    }
    transaction.execute(&sql, values)?;
    Ok(())
}

/// `?3, ?4, ?5`
pub(super) fn places(first: usize, count: usize) -> String {
    let places: Vec<String> = (first..first + count)
        .map(|place| format!("?{place}"))
        .collect();
    places.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::event_queue::{EVENTS, VENDORS};
    use super::super::migration::SCHEMA;
    use super::super::webhook::WEBHOOKS;
    use super::{COUNT, UNDELIVERED};
    use rusqlite::Connection;

    /// Each pending integration has an event that lies ahead, and a disabled vendor's pile up.
    #[test]
    fn no_look_walks_through_what_does_not_wait() {
        let connection = Connection::open_in_memory().unwrap();
        for migration in SCHEMA.sqlite.migrations {
            connection.execute_batch(migration).unwrap();
        }
        for (sql, bounded) in [
            (
                COUNT,
                "event_undelivered (vendor_id=? AND state=? AND at<?)",
            ),
            (
                UNDELIVERED,
                "event_undelivered (vendor_id=? AND state=? AND at<?)",
            ),
            (
                WEBHOOKS,
                "event_undelivered (vendor_id=? AND state=? AND at<?)",
            ),
            (VENDORS, "event_due (vendor_id=? AND state=?)"),
            (EVENTS, "event_due (vendor_id=? AND state=? AND due_at<?)"),
        ] {
            let explain = format!("EXPLAIN QUERY PLAN {sql}");
            let mut statement = connection.prepare(&explain).unwrap();
            let plan = statement.raw_query().mapped(|row| row.get::<_, String>(3));
            let plan: Vec<String> = plan.map(Result::unwrap).collect();
            let on_events = plan.iter().filter(|step| step.contains("event"));
            let on_events: Vec<&String> = on_events.collect();
            assert!(!on_events.is_empty(), "{plan:?}");
            assert!(
                on_events.iter().all(|step| step.contains(bounded)),
                "{plan:?}"
            );
        }
    }
}

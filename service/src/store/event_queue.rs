//! The way of events to the vendors: who has something due, what was tried, who is left alone because it is not there.

use super::audit::{Act, Actor, record};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use pos_connect_foundation::values;

/// A vendor that has something to be told now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DueVendor {
    /// Row number.
    pub(crate) id: i64,
    /// How often in a row it did not answer.
    pub(crate) silences: u32,
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
    /// The trace of the call that it tells of.
    pub traceparent: Option<String>,
}

/// Finds the vendors with an event that is due: one look for each webhook, however much waits, also for those that are
/// disabled.
pub(super) const VENDORS: &str =
    "SELECT w.vendor_id, w.silences FROM webhook w JOIN vendor v ON v.id = w.vendor_id
     WHERE v.disabled_at IS NULL AND w.disabled_at IS NULL AND w.quiet_until <= ?1
       AND (SELECT min(e.due_at) FROM event e
            WHERE e.vendor_id = w.vendor_id AND e.state = 'queued' AND e.state <> 'sent') <= ?1
     ORDER BY w.vendor_id";

/// SQLite takes an index that leaves rows out only for words that say the same.
pub(super) const EVENTS: &str = "SELECT public_id, kind, at, data, attempts, traceparent FROM event
     WHERE vendor_id = ?1 AND state = 'queued' AND state <> 'sent' AND due_at <= ?2
     ORDER BY due_at, id LIMIT ?3";

impl Store {
    /// The vendors that have something to be told now, by their numbers.
    pub(crate) async fn vendors_with_events(
        &self,
        now: Timestamp,
    ) -> Result<Vec<DueVendor>, StoreError> {
        let read = |row: &pos_connect_foundation::database::Row<'_>| {
            Ok(DueVendor {
                id: row.get(0)?,
                silences: row.get(1)?,
            })
        };
        self.rows(VENDORS, values![now], read).await
    }

    /// What a vendor is to be told now, what waits longest first.
    pub(crate) async fn due_events(
        &self,
        vendor: i64,
        now: Timestamp,
        count: u32,
    ) -> Result<Vec<DueEvent>, StoreError> {
        self.rows(EVENTS, values![vendor, now, count], |row| {
            Ok(DueEvent {
                id: row.get(0)?,
                kind: row.get(1)?,
                at: row.get(2)?,
                data: row.get(3)?,
                attempts: row.get(4)?,
                traceparent: row.get(5)?,
            })
        })
        .await
    }

    /// Leaves a vendor alone until then, with all that waits for it; `silences` says how often in a row it has not
    /// answered now. Two services that try it count once.
    pub(crate) async fn pause_webhook(
        &self,
        vendor: DueVendor,
        silences: u32,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE webhook SET silences = ?3, quiet_until = ?4
                       WHERE vendor_id = ?1 AND silences = ?2";
            transaction.execute(sql, values![vendor.id, vendor.silences, silences, until])
        })
        .await?;
        Ok(())
    }

    /// Tells a vendor nothing more at this address, because its receiver wants it so; what happens waits.
    pub(crate) async fn disable_webhook(
        &self,
        vendor: i64,
        url: String,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE webhook SET disabled_at = ?3
                       WHERE vendor_id = ?1 AND url = ?2 AND disabled_at IS NULL";
            if transaction.execute(sql, values![vendor, url, now])? == 0 {
                return Ok(());
            }
            let sql = "SELECT client_id FROM vendor WHERE id = ?1";
            let client_id: String = transaction.one(sql, values![vendor], |row| row.get(0))?;
            let act = Act {
                actor: Actor::Vendor(vendor),
                address: None,
                now,
            };
            record(transaction, "webhook.disabled", Some(&client_id), &act)?;
            transaction.on_commit(move || {
                tracing::error!(
                    client_id,
                    "a vendor's receiver answered 410: it is told nothing more until webhook enable"
                );
            });
            Ok(())
        })
        .await
    }
}

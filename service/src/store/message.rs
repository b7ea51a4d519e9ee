//! Messages that wait to be sent, one for each e-receipt. Number and link go with the delivery.

use super::audit::Act;
use super::delivery::{Delivery, Parcel};
use super::mode::read_mode;
use super::repeatable::Scope;
use super::{Listing, Store, StoreError};
use crate::clock::Timestamp;
use crate::retry::LONGEST_WAIT;
use crate::seal::Purpose;
use crate::token::{Hash, random_text};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::seal::Unreadable;
use pos_connect_foundation::{trace, values};
use pos_connect_protocol::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to be sent. No `Debug`: it holds a shopper's number, and a link that opens the receipt.
#[derive(Clone, Deserialize, Serialize)]
pub struct MessageContent {
    /// E.164.
    pub phone: String,
    /// The last part of the receipt's address.
    pub link: String,
    /// A BCP 47 tag.
    pub locale: String,
    /// Whose receipt it is: the account's name, as the operator has it.
    #[serde(alias = "store")]
    pub account: String,
}

/// A message that is due.
pub struct DueMessage {
    /// The same at every attempt.
    pub id: String,
    /// How often it was tried.
    pub attempts: u32,
    /// What is to be sent.
    pub content: MessageContent,
    /// The trace of the order that asked for it.
    pub traceparent: Option<String>,
    /// The vendor's.
    pub mode: Mode,
}

/// A message that was not delivered yet, as the operator sees it: nothing of the shopper's.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageSummary {
    /// Row number.
    #[serde(skip)]
    pub row: i64,
    /// Names the message; a receiver got the same.
    pub id: String,
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

/// From store to store, however much waits for one: those after ?1, up to ?2, with a message that is due. None is ever
/// due later than ?4, unless the clock was set back.
const STORES: &str = "WITH RECURSIVE waiting (store) AS (
       SELECT min(store_id) FROM message WHERE state = 'queued' AND store_id > ?1
       UNION ALL
       SELECT (SELECT min(m.store_id) FROM message m WHERE m.state = 'queued' AND m.store_id > waiting.store)
       FROM waiting WHERE waiting.store IS NOT NULL)
     SELECT store FROM waiting WHERE store <= ?2 AND
       ((SELECT min(m.due_at) FROM message m WHERE m.state = 'queued' AND m.store_id = store) <= ?3
        OR (SELECT max(m.due_at) FROM message m WHERE m.state = 'queued' AND m.store_id = store) > ?4)
     LIMIT ?5";

/// Each by an index: most messages are delivered.
const COUNTS: &str = "SELECT (SELECT count(*) FROM message WHERE state = 'queued'),
     (SELECT count(*) FROM message WHERE state = 'failed' AND sealed IS NOT NULL)";

const UNDELIVERED: &str = "SELECT public_id, state, attempts, due_at, failure, id FROM message
     WHERE state = 'queued' OR (state = 'failed' AND sealed IS NOT NULL)";

fn read_summary(row: &Row<'_>) -> Result<MessageSummary, StoreError> {
    let state: String = row.get(1)?;
    let due_at: Timestamp = row.get(3)?;
    Ok(MessageSummary {
        row: row.get(5)?,
        id: row.get(0)?,
        due_at: (state == "queued").then(|| due_at.to_string()),
        state,
        attempts: row.get(2)?,
        failure: row.get(4)?,
    })
}

impl Store {
    /// Stores that have a message due, by their numbers: those after `last` first, and then the others.
    pub async fn stores_with_messages(
        &self,
        last: i64,
        now: Timestamp,
        count: u32,
    ) -> Result<Vec<i64>, StoreError> {
        let latest = now.after(LONGEST_WAIT);
        let read = |row: &Row<'_>| row.get(0);
        let values = values![last, i64::MAX, now, latest, count];
        let mut stores: Vec<i64> = self.rows(STORES, values, read).await?;
        let room = count.saturating_sub(u32::try_from(stores.len()).unwrap_or(count));
        if room > 0 {
            let values = values![i64::MIN, last, now, latest, room];
            stores.extend(self.rows(STORES, values, read).await?);
        }
        Ok(stores)
    }

    /// The messages of a store that are due, those that wait longest first. One that cannot be read holds up no other:
    /// it has failed.
    pub async fn due_messages(
        &self,
        store: i64,
        now: Timestamp,
        count: u32,
    ) -> Result<Vec<DueMessage>, StoreError> {
        // None is ever due later than that, unless the clock was set back.
        let sql = "SELECT m.public_id, m.attempts, o.hash, m.sealed, m.traceparent, v.mode
                   FROM message m JOIN store_order o ON o.id = m.order_id JOIN vendor v ON v.id = o.vendor_id
                   WHERE m.store_id = ?4 AND m.state = 'queued' AND (m.due_at <= ?1 OR m.due_at > ?3)
                   ORDER BY m.due_at LIMIT ?2";
        let latest = now.after(LONGEST_WAIT);
        let read = |row: &Row<'_>| {
            let (order, sealed): (Hash, Vec<u8>) = (row.get(2)?, row.get(3)?);
            let opened = self.sealer.open(Purpose::Message, &order, &sealed);
            Ok((
                row.get(0)?,
                row.get(1)?,
                opened,
                row.get(4)?,
                read_mode(row, 5)?,
            ))
        };
        let rows: Vec<(String, u32, _, Option<String>, Mode)> = self
            .rows(sql, values![now, count, latest, store], read)
            .await?;
        let mut due = Vec::new();
        for (id, attempts, opened, traceparent, mode) in rows {
            let content = match opened {
                Ok(content) => serde_json::from_slice(&content).ok(),
                // Another service may have that key.
                Err(error @ Unreadable::OtherKey { .. }) => {
                    tracing::error!(message = id, %error, "a message waits");
                    continue;
                }
                Err(Unreadable::Damaged) => None,
            };
            match content {
                Some(content) => due.push(DueMessage {
                    id,
                    attempts,
                    content,
                    traceparent,
                    mode,
                }),
                None => {
                    tracing::error!(
                        message = id,
                        "a stored message cannot be read; it is a dead letter"
                    );
                    let dead = Delivery::Dead("it cannot be read".into());
                    self.finish_attempt(Parcel::Message, id, dead).await?;
                }
            }
        }
        Ok(due)
    }

    /// The messages that were not delivered, those that are due first at the top.
    pub async fn undelivered(&self) -> Result<Vec<MessageSummary>, StoreError> {
        let sql = format!("{UNDELIVERED} ORDER BY state DESC, due_at");
        self.rows(&sql, values![], read_summary).await
    }

    /// A part of the messages that were not delivered, in the order in which they were written.
    pub async fn undelivered_page(&self, part: Listing) -> Result<Vec<MessageSummary>, StoreError> {
        // Without the plus, SQLite would go through all that were delivered.
        let sql =
            format!("SELECT * FROM ({UNDELIVERED}) AS m WHERE +id > ?1 ORDER BY +id LIMIT ?2");
        let values = values![part.after, part.limit];
        self.rows(&sql, values, read_summary).await
    }

    /// How many messages wait, and how many have failed.
    pub async fn message_counts(&self) -> Result<(i64, i64), StoreError> {
        self.one(COUNTS, values![], |row| Ok((row.get(0)?, row.get(1)?)))
            .await
    }

    /// Has a message tried again, from the first attempt on; false if there is none that waits or has failed.
    pub async fn retry_message(&self, id: String, act: Act) -> Result<bool, StoreError> {
        let sql = "UPDATE message SET state = 'queued', attempts = 0, due_at = ?2
                   WHERE public_id = ?1 AND sealed IS NOT NULL RETURNING public_id";
        self.command(sql.into(), values![id, act.now], "message.retried", act)
            .await
    }

    /// Gives a message up, and erases what is the shopper's; false if there is none that waits or has failed.
    pub async fn drop_message(&self, id: String, act: Act) -> Result<bool, StoreError> {
        let sql = "UPDATE message SET state = 'failed', sealed = NULL
                   WHERE public_id = ?1 AND sealed IS NOT NULL RETURNING public_id";
        self.command(sql.into(), values![id], "message.dropped", act)
            .await
    }
}

/// Adds a message, sealed.
pub(super) fn add_message(
    transaction: &Transaction<'_>,
    order: i64,
    sealed: &[u8],
    scope: Scope,
) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO message (public_id, order_id, store_id, sealed, state, due_at, traceparent)
               VALUES (?1, ?2, ?3, ?4, 'queued', ?5, ?6)";
    let id = format!("msg_{}", random_text(20));
    let trace = trace::current();
    transaction.execute(
        sql,
        values![id, order, scope.store, sealed, scope.now, trace],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::migration::plan;
    use super::COUNTS;

    #[test]
    fn messages_are_counted_without_those_that_were_delivered() {
        let plan = plan(COUNTS);
        for index in ["message_of_store", "dead_letter_by_time"] {
            assert!(plan.iter().any(|step| step.contains(index)), "{plan:?}");
        }
    }
}

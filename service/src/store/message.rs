//! Messages that wait to be sent, one for each order with an e-receipt. Number and link go with the delivery.

use super::order::json;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::token::{Hash, random_text};
use pos_connect_foundation::seal::Sealer;
use rusqlite::{Row, Transaction, params};
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
    /// What the shopper calls the store.
    pub store: String,
}

/// A message that is due.
pub struct DueMessage {
    /// The same at every attempt.
    pub id: String,
    /// How often it was tried.
    pub attempts: u32,
    /// What is to be sent.
    pub content: MessageContent,
}

/// What became of an attempt.
pub enum Delivery {
    /// It was handed over; number and link are erased.
    Sent,
    /// It is tried again then.
    Later(Timestamp),
}

impl Store {
    /// The messages that are due, those that wait longest first.
    pub fn due_messages(&self, now: Timestamp, count: u32) -> Result<Vec<DueMessage>, StoreError> {
        let sql = "SELECT m.public_id, m.attempts, o.hash, m.sealed FROM message m JOIN store_order o ON o.id = m.order_id
                   WHERE m.state = 'queued' AND m.due_at <= ?1 ORDER BY m.due_at LIMIT ?2";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let rows: Vec<(String, u32, Hash, Vec<u8>)> = self.read(|connection| {
            connection
                .prepare_cached(sql)?
                .query_map(params![now, count], read)?
                .collect()
        })?;
        let due = |(id, attempts, row, sealed): (String, u32, Hash, Vec<u8>)| {
            let content = self.sealer.open(Purpose::Message, &row, &sealed)?;
            let content = serde_json::from_slice(&content);
            let content =
                content.map_err(|_| StoreError::Fault("a stored message cannot be read".into()))?;
            Ok(DueMessage {
                id,
                attempts,
                content,
            })
        };
        rows.into_iter().map(due).collect()
    }

    /// Remembers what became of a message.
    pub async fn delivered(&self, id: String, delivery: Delivery) -> Result<(), StoreError> {
        self.write(move |transaction| {
            match delivery {
                Delivery::Sent => {
                    let sql =
                        "UPDATE message SET state = 'sent', sealed = NULL, attempts = attempts + 1
                               WHERE public_id = ?1 AND state = 'queued'";
                    transaction.prepare_cached(sql)?.execute([id])?;
                }
                Delivery::Later(due_at) => {
                    let sql = "UPDATE message SET due_at = ?2, attempts = attempts + 1
                               WHERE public_id = ?1 AND state = 'queued'";
                    transaction
                        .prepare_cached(sql)?
                        .execute(params![id, due_at])?;
                }
            }
            Ok(())
        })
        .await
    }
}

pub(super) fn add_message(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    order: i64,
    row: &Hash,
    content: &MessageContent,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sealed = sealer.seal(Purpose::Message, row, &json(content)?)?;
    let sql = "INSERT INTO message (public_id, order_id, sealed, state, due_at) VALUES (?, ?, ?, 'queued', ?)";
    let id = format!("msg_{}", random_text(20));
    transaction
        .prepare_cached(sql)?
        .execute(params![id, order, sealed, now])?;
    Ok(())
}

//! Attempts to hand over a message or an event. Each is counted before it is made.

use super::event::forget_test;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use pos_connect_foundation::values;

/// What is handed over, at least once each.
#[derive(Clone, Copy, Debug)]
pub enum Parcel {
    /// A text message to a shopper.
    Message,
    /// An event to a vendor.
    Event,
}

/// What became of an attempt.
pub enum Delivery {
    /// It was handed over.
    Sent,
    /// It failed for this reason, and is tried again when it is due, but not before the receiver wants it.
    Later(String, Option<Timestamp>),
    /// It failed for this reason, and is not tried any more.
    Dead(String),
    /// It failed for this reason, and can never be handed over: number and link go, too.
    Undeliverable(String),
}

impl Parcel {
    /// The name of its table, and of itself in the log.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Event => "event",
        }
    }
}

impl Delivery {
    /// The state, the reason of a failure, and the time before which there is no other attempt.
    const fn parts(&self) -> (&'static str, Option<&String>, Option<Timestamp>) {
        match self {
            Self::Sent => ("sent", None, None),
            Self::Later(failure, not_before) => ("queued", Some(failure), *not_before),
            Self::Dead(failure) | Self::Undeliverable(failure) => ("failed", Some(failure), None),
        }
    }
}

impl Store {
    /// Counts an attempt that is about to be made, and says when the next one is due, should this one fail. False if
    /// the parcel does not wait any more, or another service makes this attempt.
    pub(crate) async fn begin_attempt(
        &self,
        parcel: Parcel,
        id: String,
        attempts: u32,
        due_at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = format!(
                "UPDATE {} SET attempts = attempts + 1, due_at = ?3
                 WHERE public_id = ?1 AND state = 'queued' AND attempts = ?2",
                parcel.name()
            );
            Ok(transaction.execute(&sql, values![id, attempts, due_at])? == 1)
        })
        .await
    }

    /// Remembers what became of an attempt. A message that was handed over, or never can be, loses number
    /// and link.
    pub async fn finish_attempt(
        &self,
        parcel: Parcel,
        id: String,
        delivery: Delivery,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let (state, failure, not_before) = delivery.parts();
            let erased = match (parcel, &delivery) {
                (Parcel::Message, Delivery::Sent | Delivery::Undeliverable(_)) => ", sealed = NULL",
                _ => "",
            };
            let sql = format!(
                "UPDATE {} SET state = ?2, failure = coalesce(?3, failure),
                   due_at = CASE WHEN due_at < ?4 THEN ?4 ELSE due_at END {erased}
                 WHERE public_id = ?1 AND state = 'queued'",
                parcel.name()
            );
            transaction.execute(&sql, values![id, state, failure, not_before])?;
            match parcel {
                Parcel::Message => Ok(()),
                Parcel::Event => forget_test(transaction, &id),
            }
        })
        .await
    }
}

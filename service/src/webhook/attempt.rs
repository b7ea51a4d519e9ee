//! One attempt to hand over a message or an event: counted, made, and remembered.

use super::Undelivered;
use crate::retry::{MOST_ATTEMPTS, pause};
use crate::service::Service;
use crate::store::{Delivery, Parcel, StoreError};
use tokio::task::JoinError;

impl Service {
    /// Makes one attempt, after `attempts` others. `None`: another service makes it, or it is not wanted any more.
    pub(crate) async fn attempt(
        &self,
        parcel: Parcel,
        id: &str,
        attempts: u32,
        hand_over: impl Future<Output = Result<(), Undelivered>>,
    ) -> Result<Option<Result<(), Undelivered>>, StoreError> {
        let begun = self.clock.now();
        // First: where nothing can be written, as on a full disk, the receiver would get it again and again.
        let due_at = begun.after(pause(attempts));
        let counted = self
            .store
            .begin_attempt(parcel, id.to_owned(), attempts, due_at);
        if !counted.await? {
            return Ok(None);
        }
        let handed_over = hand_over.await;
        let kind = parcel.name();
        let delivery = match &handed_over {
            Ok(()) => {
                tracing::info!(kind, id, attempts = attempts + 1, "handed over");
                Delivery::Sent
            }
            Err(cause) if attempts + 1 >= MOST_ATTEMPTS => {
                tracing::error!(kind, id, %cause, "not handed over, and not tried again");
                Delivery::Dead(cause.to_string())
            }
            Err(cause) => {
                tracing::warn!(kind, id, %cause, "not handed over; it is tried again");
                Delivery::Later(cause.to_string(), cause.not_before(begun))
            }
        };
        let finished = self.store.finish_attempt(parcel, id.to_owned(), delivery);
        finished.await?;
        Ok(Some(handed_over))
    }
}

/// What became of the task of an attempt.
pub(crate) fn joined<T>(
    attempt: Result<Result<T, StoreError>, JoinError>,
) -> Result<T, StoreError> {
    attempt.map_err(|error| StoreError::Fault(error.to_string()))?
}

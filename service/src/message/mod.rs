//! Text messages: takes what waits in the database to an outlet, at least once each.
//!
//! The gateway that sends text messages is the operator's. An outlet hands over what it needs: number and text.

mod outlet;
mod webhook;

pub use outlet::{Destination, Outlet};

use crate::language::Language;
use crate::receipt::words;
use crate::service::Service;
use crate::store::{Delivery, DueMessage, StoreError};
use pos_connect_protocol::path;
use std::time::Duration;
use tokio::sync::watch;

/// Messages that are read at once.
const BATCH: u32 = 50;
/// Looks for messages even if nobody says that one waits: an earlier attempt may be due.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The pause after the first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// About three days: ten attempts in the first hour and a half, then one an hour.
const MOST_ATTEMPTS: u32 = 80;

/// A message as an outlet hands it over. No `Debug`: it holds a shopper's number and the link to a receipt.
pub struct Message {
    /// The same at every attempt, so that a receiver can tell a repeated one.
    pub id: String,
    /// E.164.
    pub phone: String,
    /// What the shopper reads, with the link.
    pub text: String,
    /// The language of the text: a BCP 47 tag.
    pub locale: &'static str,
}

impl Service {
    /// Delivers messages until `stop` turns true. `base_url` is where shoppers reach this service.
    pub async fn deliver(self, outlet: Outlet, base_url: String, mut stop: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.deliver_due(&outlet, &base_url).await {
                tracing::error!(cause = %error, "messages cannot be delivered");
            }
            tokio::select! {
                () = self.message_waits.notified() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    /// Delivers all that are due now.
    pub async fn deliver_due(&self, outlet: &Outlet, base_url: &str) -> Result<(), StoreError> {
        loop {
            let due = self.store.due_messages(self.clock.now(), BATCH)?;
            if due.is_empty() {
                return Ok(());
            }
            for message in due {
                self.attempt(outlet, base_url, message).await?;
            }
        }
    }

    async fn attempt(
        &self,
        outlet: &Outlet,
        base_url: &str,
        due: DueMessage,
    ) -> Result<(), StoreError> {
        let attempts = due.attempts;
        let message = written(due, base_url);
        let id = message.id.clone();
        let delivery = match outlet.hand_over(message, self.clock.now()).await {
            Ok(()) => {
                tracing::info!(
                    message = id,
                    attempts = attempts + 1,
                    "a message is handed over"
                );
                Delivery::Sent
            }
            Err(cause) if attempts + 1 >= MOST_ATTEMPTS => {
                tracing::error!(
                    message = id,
                    cause,
                    "a message cannot be delivered; it is a dead letter"
                );
                Delivery::Dead(cause)
            }
            Err(cause) => {
                let due_at = self.clock.now().after(pause(attempts));
                tracing::warn!(
                    message = id,
                    cause,
                    "a message is not delivered; it is tried again"
                );
                Delivery::Later(due_at, cause)
            }
        };
        self.store.delivered(id, delivery).await
    }
}

fn written(due: DueMessage, base_url: &str) -> Message {
    let language = Language::from_tag(&due.content.locale).unwrap_or(Language::English);
    let greeting = words(language).message.replace("{}", &due.content.store);
    let link = format!("{base_url}{}/{}", path::RECEIPT, due.content.link);
    Message {
        id: due.id,
        phone: due.content.phone,
        text: format!("{greeting} {link}"),
        locale: language.tag(),
    }
}

fn pause(attempts: u32) -> Duration {
    FIRST_PAUSE
        .saturating_mul(2_u32.saturating_pow(attempts))
        .min(LONGEST_PAUSE)
}

/// For the service's own log: enough to recognize, nothing to call.
pub fn masked(phone: &str) -> String {
    let last = phone.len().saturating_sub(4);
    format!("•••• {}", phone.get(last..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour() {
        let seconds: Vec<u64> = [0, 1, 2, 9, 10, 63, 4_000_000]
            .map(|n| pause(n).as_secs())
            .into();
        assert_eq!(seconds, [5, 10, 20, 2560, 3600, 3600, 3600]);
    }

    #[test]
    fn a_masked_number_has_four_digits() {
        assert_eq!(masked("+972502345678"), "•••• 5678");
        assert_eq!(masked("123"), "•••• 123");
    }
}

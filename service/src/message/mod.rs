//! Text messages: takes what waits in the database to an outlet, at least once each.
//!
//! The gateway that sends text messages is the operator's. An outlet hands over what it needs: number and text.

mod outlet;

pub use outlet::{Destination, Outlet};

use crate::clock::Timestamp;
use crate::service::Service;
use crate::store::{Delivery, DueMessage, Parcel, StoreError};
use crate::webhook::joined;
use pos_connect_foundation::trace;
use pos_connect_protocol::{Mode, path};
use pos_connect_texts::{Language, Receipt};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::Instrument;

/// Messages that are read at once: the stores that have some share them.
const BATCH: u32 = 16;
/// Messages that are handed over at once: a receiver that takes its time must not hold up all others.
const MAX_CONCURRENT: usize = 8;
/// Looks for messages even if nobody says that one waits: an earlier attempt may be due.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How the numbers end that no message reaches in test mode.
const UNREACHED: &str = "0000";
/// Letters of an account's name in a message.
const LONGEST_NAME: usize = 40;

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
        let delivering = async {
            loop {
                if let Err(error) = self.deliver_due(&outlet, &base_url).await {
                    tracing::error!(cause = %error, "messages cannot be delivered");
                }
                tokio::select! {
                    () = self.message_waits.notified() => {}
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
            }
        };
        // In the middle of an attempt, too: the message is handed over again by the next service.
        tokio::select! {
            () = delivering => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }

    /// Delivers all that are due now, some at a time, of each store in turn.
    pub async fn deliver_due(&self, outlet: &Outlet, base_url: &str) -> Result<(), StoreError> {
        let mut last = 0;
        loop {
            let now = self.clock.now();
            let due = self.due_in_turns(&mut last, now).await?;
            if due.is_empty() || outlet.is_quiet(now) {
                return Ok(());
            }
            // Whoever drops it ends the attempts.
            let mut attempts = JoinSet::new();
            for message in due {
                if attempts.len() >= MAX_CONCURRENT
                    && let Some(attempt) = attempts.join_next().await
                {
                    joined(attempt)?;
                }
                if outlet.is_quiet(self.clock.now()) {
                    break;
                }
                let (service, outlet, base_url) =
                    (self.clone(), outlet.clone(), base_url.to_owned());
                attempts.spawn(async move {
                    service.attempt_message(&outlet, &base_url, message).await
                });
            }
            while let Some(attempt) = attempts.join_next().await {
                joined(attempt)?;
            }
        }
    }

    /// The next messages, from the store after `last` on: one of each store, then a second one, and so on.
    async fn due_in_turns(
        &self,
        last: &mut i64,
        now: Timestamp,
    ) -> Result<Vec<DueMessage>, StoreError> {
        let stores = self.store.stores_with_messages(*last, now, BATCH).await?;
        let share = BATCH / u32::try_from(stores.len()).map_or(BATCH, |count| count.max(1));
        let mut due = Vec::new();
        for store in stores {
            let of_store = self.store.due_messages(store, now, share).await?;
            due.extend(of_store.into_iter().enumerate());
            *last = store;
        }
        due.sort_by_key(|(place, _)| *place);
        Ok(due.into_iter().map(|(_, message)| message).collect())
    }

    async fn attempt_message(
        &self,
        outlet: &Outlet,
        base_url: &str,
        due: DueMessage,
    ) -> Result<(), StoreError> {
        if due.mode == Mode::Test {
            return self.simulate(due).await;
        }
        let attempts = due.attempts;
        let span = trace::delivery("message", &due.id, due.traceparent.as_deref());
        let message = written(due, base_url);
        let id = message.id.clone();
        let handed_over = outlet.hand_over(message, self.clock.now()).instrument(span);
        let attempt = self.attempt(Parcel::Message, &id, attempts, handed_over);
        attempt.await.map(drop)
    }

    /// Hands over nothing: a message of test mode ends as its number says.
    async fn simulate(&self, due: DueMessage) -> Result<(), StoreError> {
        let (id, phone) = (due.id, due.content.phone);
        tracing::info!(
            message = id,
            phone = masked(&phone),
            "a message of test mode; it goes to nobody"
        );
        let delivery = match phone.ends_with(UNREACHED) {
            true => Delivery::Undeliverable("a number of test mode that no message reaches".into()),
            false => Delivery::Sent,
        };
        self.store
            .finish_attempt(Parcel::Message, id, delivery)
            .await
    }
}

fn written(due: DueMessage, base_url: &str) -> Message {
    let language = Language::from_tag(&due.content.locale).unwrap_or(Language::English);
    let greeting = Receipt::of(language)
        .message
        .replace("{}", shortened(&due.content.account));
    let link = format!("{base_url}{}/{}", path::RECEIPT, due.content.link);
    Message {
        id: due.id,
        phone: due.content.phone,
        text: format!("{greeting} {link}"),
        locale: language.tag(),
    }
}

/// As much of a name as leaves a message one part, or two in letters that are not Latin. An ellipsis would count as one
/// of those.
fn shortened(name: &str) -> &str {
    let mut units = 0;
    let mut rest = name.char_indices().skip_while(|(_, letter)| {
        // As a message counts them.
        units += letter.len_utf16();
        units <= LONGEST_NAME
    });
    let Some((end, next)) = rest.next() else {
        return name;
    };
    let begun = &name[..end];
    let whole_words = begun.rfind(' ').filter(|at| next != ' ' && *at >= end / 2);
    let shown = whole_words.map_or(begun, |at| &begun[..at]);
    // What joins emoji joins it with nothing now.
    shown.trim_end_matches([' ', '\u{200D}'])
}

/// A number for the service's own log: enough to recognize, nothing to call.
pub fn masked(phone: &str) -> String {
    let last = phone.len().saturating_sub(4);
    format!("•••• {}", phone.get(last..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_after_a_word_if_it_can_be() {
        let words = "The Corner Bakery of Market Street and Mill Road";
        assert_eq!(shortened(words), "The Corner Bakery of Market Street and");
        assert_eq!(shortened("The Corner Bakery"), "The Corner Bakery");
        assert_eq!(shortened(&"x".repeat(200)), "x".repeat(40));
        assert_eq!(shortened(&"ש".repeat(200)), "ש".repeat(40));
        assert_eq!(shortened(&"☕".repeat(41)), "☕".repeat(40));
        // A family is joined of three, and cut within the fifth.
        let cut = shortened(&"👩‍👩‍👧 ".repeat(9)).to_owned();
        assert_eq!(cut, "👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧 👩‍👩‍👧");
        let joined = "👩‍".repeat(99);
        assert!(shortened(&joined).ends_with('👩'), "{}", shortened(&joined));
        assert_eq!(shortened(&format!("{} x", "y".repeat(40))), "y".repeat(40));
    }

    #[test]
    fn a_masked_number_has_four_digits() {
        assert_eq!(masked("+972502345678"), "•••• 5678");
        assert_eq!(masked("123"), "•••• 123");
    }
}

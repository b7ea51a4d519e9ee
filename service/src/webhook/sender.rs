//! Sends vendors what happened to their integrations: takes what waits in the database to their webhooks, at least once
//! each. An event may come before one that is older.

use super::attempt::joined;
use super::{Event, Undelivered, Webhook};
use crate::clock::Timestamp;
use crate::retry::pause;
use crate::service::Service;
use crate::store::{DueEvent, DueVendor, Parcel, StoreError};
use pos_connect_foundation::client::Client;
use pos_connect_foundation::trace;
use pos_connect_protocol::Mode;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tracing::Instrument;

/// Time from one look to the next: any replica may have left an event.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Events of one vendor that are read at once.
const BATCH: u32 = 20;
/// Events of one vendor that are sent at once, if a whole batch waits; fewer go one after the other.
const SEVERAL: usize = 4;
/// Vendors that are sent to at once.
const MAX_CONCURRENT: usize = 24;
/// Places beside them, for vendors that did not answer the last time, or late: however many, the others have theirs.
const MAX_CONCURRENT_SILENT: usize = 8;
/// No attempt of a round begins later; a round that takes twice as long has met a receiver that answers late.
const ROUND: Duration = Duration::from_secs(2);
/// The longest pause until a vendor is tried again that does not answer.
const LONGEST_QUIET: Duration = Duration::from_secs(10 * 60);
/// How long a database that failed is left alone.
const AFTER_FAULT: Duration = Duration::from_secs(10);

/// Sends the events that wait to the vendors' webhooks.
#[derive(Clone)]
pub struct WebhookSender {
    service: Service,
    client: Arc<Client>,
    /// Vendors whose receivers answered late the last time.
    slow: Arc<Mutex<HashSet<i64>>>,
    round: Duration,
}

/// Places for vendors of one kind.
struct VendorSlots {
    count: usize,
    taken: HashMap<i64, AbortHandle>,
    /// Who had a place last: the next one's turn is now.
    last: i64,
}

/// What became of an attempt. Of two, the greater one says more about the vendor.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Attempt {
    /// Another service makes it, or it is not wanted any more.
    NotMade,
    /// Somebody answered, whatever it was.
    Answered,
    /// Nobody did.
    Silent,
    /// The receiver wants to be left alone until then.
    Later(Timestamp),
    /// The receiver wants to hear nothing any more.
    Gone,
}

impl VendorSlots {
    fn new(count: usize) -> Self {
        Self {
            count,
            taken: HashMap::new(),
            last: 0,
        }
    }

    /// Gives free slots to those of the vendors, sorted by number, whose turn it is.
    fn give(&mut self, vendors: &[DueVendor], mut start: impl FnMut(DueVendor) -> AbortHandle) {
        self.taken.retain(|_, round| !round.is_finished());
        let turn = vendors.partition_point(|vendor| vendor.id <= self.last);
        let (later, first) = vendors.split_at(turn);
        for vendor in first.iter().chain(later) {
            if self.taken.len() < self.count && !self.taken.contains_key(&vendor.id) {
                self.taken.insert(vendor.id, start(*vendor));
                self.last = vendor.id;
            }
        }
    }
}

impl WebhookSender {
    /// Prepares calls; sends nothing.
    pub fn new(service: Service) -> Self {
        let client = super::client();
        Self {
            service,
            client,
            slow: Arc::default(),
            round: ROUND,
        }
    }

    /// This sender with rounds of another length.
    #[must_use]
    pub fn with_rounds_of(self, round: Duration) -> Self {
        Self { round, ..self }
    }

    /// Sends until `stop` turns true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let sending = async {
            loop {
                if let Err(error) = self.send_due().await {
                    tracing::error!(cause = %error, "events cannot be sent");
                    tokio::time::sleep(AFTER_FAULT).await;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        // In the middle of an attempt, too: the event is sent again by the next service.
        tokio::select! {
            () = sending => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }

    /// Sends all that is due, and what comes due meanwhile; leaves out those that do not answer.
    pub async fn send_due(&self) -> Result<(), StoreError> {
        let (store, clock) = (&self.service.store, &self.service.clock);
        let (mut slots, mut silent_slots) = (
            VendorSlots::new(MAX_CONCURRENT),
            VendorSlots::new(MAX_CONCURRENT_SILENT),
        );
        // Whoever drops it ends the attempts.
        let mut rounds = JoinSet::new();
        loop {
            let vendors = store.vendors_with_events(clock.now()).await?;
            let is_silent =
                |vendor: &DueVendor| vendor.silences > 0 || self.slow().contains(&vendor.id);
            let (silent, others): (Vec<_>, Vec<_>) = vendors.into_iter().partition(is_silent);
            let mut start = |vendor| rounds.spawn(self.clone().round(vendor));
            slots.give(&others, &mut start);
            silent_slots.give(&silent, start);
            if rounds.is_empty() {
                return Ok(());
            }
            tokio::select! {
                _ = rounds.join_next() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }

    fn slow(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn round(self, vendor: DueVendor) {
        let (store, clock) = (&self.service.store, &self.service.clock);
        let begun = Instant::now();
        let sent = self.send_to(vendor).await;
        if begun.elapsed() >= self.round * 2 {
            self.slow().insert(vendor.id);
        } else {
            self.slow().remove(&vendor.id);
        }
        let (silences, until) = match sent {
            Ok(Attempt::Answered) if vendor.silences == 0 => return,
            Ok(Attempt::NotMade | Attempt::Gone) => return,
            Ok(Attempt::Answered) => (0, Timestamp(0)),
            Ok(Attempt::Later(until)) => (0, until),
            silent => {
                if let Err(error) = silent {
                    tracing::error!(cause = %error, "a vendor cannot be sent to");
                }
                let quiet = pause(vendor.silences).min(LONGEST_QUIET);
                (vendor.silences.saturating_add(1), clock.now().after(quiet))
            }
        };
        let noted = store.pause_webhook(vendor, silences, until).await;
        if let Err(error) = noted {
            tracing::error!(cause = %error, "a vendor cannot be left alone");
            tokio::time::sleep(AFTER_FAULT).await;
        }
    }

    /// Sends one vendor what is due, until it does not answer or asks to wait: the rest waits. One that did not answer
    /// the last time is tried with one event.
    async fn send_to(&self, vendor: DueVendor) -> Result<Attempt, StoreError> {
        let (store, now) = (&self.service.store, self.service.clock.now());
        let Some(endpoint) = store.webhook(vendor.id, now).await? else {
            return Ok(Attempt::NotMade);
        };
        let secrets: Vec<&str> = endpoint.secrets.iter().map(String::as_str).collect();
        let webhook = Webhook::new(endpoint.url, &secrets, self.client.clone());
        let webhook = Arc::new(webhook.map_err(StoreError::Fault)?);
        let count = if vendor.silences == 0 { BATCH } else { 1 };
        let due = store.due_events(vendor.id, now, count).await?;
        let at_once = if due.len() < BATCH as usize {
            1
        } else {
            SEVERAL
        };
        let (mut attempts, begun) = (JoinSet::new(), Instant::now());
        let mut outcome = Attempt::NotMade;
        for event in due {
            if attempts.len() >= at_once
                && let Some(attempt) = attempts.join_next().await
            {
                outcome = outcome.max(joined(attempt)?);
            }
            let is_over = outcome == Attempt::Answered && begun.elapsed() >= self.round;
            if outcome > Attempt::Answered || is_over {
                break;
            }
            let (sender, webhook) = (self.clone(), webhook.clone());
            let vendor = (vendor.id, endpoint.mode);
            attempts.spawn(async move { sender.attempt(vendor, &webhook, event).await });
        }
        while let Some(attempt) = attempts.join_next().await {
            outcome = outcome.max(joined(attempt)?);
        }
        Ok(outcome)
    }

    async fn attempt(
        &self,
        (vendor, mode): (i64, Mode),
        webhook: &Webhook,
        due: DueEvent,
    ) -> Result<Attempt, StoreError> {
        let mut data: Map<String, Value> = serde_json::from_str(&due.data)
            .map_err(|error| StoreError::Fault(error.to_string()))?;
        if mode == Mode::Test {
            data.insert("mode".into(), mode.as_str().into());
        }
        let now = self.service.clock.now();
        let event = Event {
            id: &due.id,
            kind: &due.kind,
            at: due.at,
            data,
        };
        let span = trace::delivery(&due.kind, &due.id, due.traceparent.as_deref());
        let posted = webhook.post(&event, now).instrument(span);
        let attempt = self
            .service
            .attempt(Parcel::Event, &due.id, due.attempts, posted);
        Ok(match attempt.await? {
            None => Attempt::NotMade,
            Some(Err(why)) if why.is_for_good() => {
                let url = webhook.url().to_owned();
                self.service.store.disable_webhook(vendor, url, now).await?;
                Attempt::Gone
            }
            Some(Err(Undelivered::Silent(_))) => Attempt::Silent,
            Some(answer) => answer
                .err()
                .and_then(|why| why.not_before(now))
                .map_or(Attempt::Answered, Attempt::Later),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_has_a_turn() {
        let (mut slots, mut rounds) = (VendorSlots::new(3), JoinSet::new());
        let due: Vec<_> = (1..=8).map(|id| DueVendor { id, silences: 0 }).collect();
        let mut start = |slots: &mut VendorSlots| {
            let mut started = Vec::new();
            slots.give(&due, |vendor| {
                started.push(vendor.id);
                rounds.spawn(std::future::pending::<()>())
            });
            started
        };
        assert_eq!(start(&mut slots), [1, 2, 3]);
        assert!(start(&mut slots).is_empty());
        slots.taken.remove(&2);
        assert_eq!(start(&mut slots), [4]);
        slots.taken.clear();
        assert_eq!(start(&mut slots), [5, 6, 7]);
        slots.taken.clear();
        assert_eq!(start(&mut slots), [8, 1, 2]);
    }
}

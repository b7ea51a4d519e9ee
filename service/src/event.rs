//! Tells vendors what happened to their integrations: takes what waits in the database to their webhooks, at least once
//! each. An event may come before one that is older.

use crate::message::{MOST_ATTEMPTS, pause};
use crate::service::Service;
use crate::store::{Delivery, DueEvent, StoreError};
use crate::webhook::{self, Event, Undelivered, Webhook};
use pos_connect_foundation::client::Client;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// From one look to the next. Any replica may have left an event.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Events of one vendor that are read at once.
const BATCH: u32 = 20;
/// Vendors that are told at once; of each, one event after the other.
const AT_ONCE: usize = 32;
/// How long a vendor is left alone that did not answer at all, or a database that failed.
const QUIET: Duration = Duration::from_secs(10);

/// Tells vendors.
#[derive(Clone)]
pub struct Teller {
    service: Service,
    client: Arc<Client>,
}

impl Teller {
    /// Fails if the system has no certificates to know receivers by.
    pub fn new(service: Service) -> Result<Self, String> {
        let client = webhook::client()?;
        Ok(Self { service, client })
    }

    /// Tells until `stop` turns true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let telling = async {
            let mut rounds = JoinSet::new();
            let mut busy: HashMap<i64, AbortHandle> = HashMap::new();
            loop {
                busy.retain(|_, round| !round.is_finished());
                match self.vendors().await {
                    Ok(vendors) => {
                        for vendor in vendors {
                            if busy.len() < AT_ONCE && !busy.contains_key(&vendor) {
                                busy.insert(vendor, rounds.spawn(self.clone().round(vendor)));
                            }
                        }
                    }
                    Err(error) => {
                        tracing::error!(cause = %error, "vendors cannot be told");
                        tokio::time::sleep(QUIET).await;
                    }
                }
                tokio::time::sleep(LOOK_EVERY).await;
                while rounds.try_join_next().is_some() {}
            }
        };
        // In the middle of an attempt, too: the event is told again by the next service.
        tokio::select! {
            () = telling => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }

    /// Tells what is due now, one vendor after the other, and leaves out those that do not answer.
    pub async fn tell_due(&self) -> Result<(), StoreError> {
        for vendor in self.vendors().await? {
            self.tell(vendor).await?;
        }
        Ok(())
    }

    async fn vendors(&self) -> Result<Vec<i64>, StoreError> {
        let service = &self.service;
        service.store.vendors_to_tell(service.clock.now()).await
    }

    async fn round(self, vendor: i64) {
        match self.tell(vendor).await {
            Ok(true) => {}
            Ok(false) => tokio::time::sleep(QUIET).await,
            Err(error) => {
                tracing::error!(cause = %error, "a vendor cannot be told");
                tokio::time::sleep(QUIET).await;
            }
        }
    }

    /// Tells one vendor what is due. False if it did not answer: the rest waits.
    async fn tell(&self, vendor: i64) -> Result<bool, StoreError> {
        let (store, now) = (&self.service.store, self.service.clock.now());
        let Some(endpoint) = store.webhook(vendor, now).await? else {
            return Ok(true);
        };
        let secrets: Vec<&str> = endpoint.secrets.iter().map(String::as_str).collect();
        let webhook = Webhook::new(endpoint.url, &secrets, self.client.clone());
        let webhook = webhook.map_err(StoreError::Fault)?;
        for event in store.due_events(vendor, now, BATCH).await? {
            if !self.attempt(&webhook, event).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// False if nobody answered.
    async fn attempt(&self, webhook: &Webhook, event: DueEvent) -> Result<bool, StoreError> {
        let (store, now) = (&self.service.store, self.service.clock.now());
        let DueEvent { id, attempts, .. } = &event;
        // First: where nothing can be written, as on a full disk, the vendor would be told again and again.
        let due_at = now.after(pause(*attempts));
        if !store.begin_telling(id.clone(), *attempts, due_at).await? {
            return Ok(true);
        }
        let data: Value = serde_json::from_str(&event.data)
            .map_err(|error| StoreError::Fault(error.to_string()))?;
        let told = Event {
            id,
            kind: &event.kind,
            at: event.at,
            data,
        };
        let answer = webhook.post(&told, now).await;
        let is_there = !matches!(answer, Err(Undelivered::Silent(_)));
        store
            .told(id.clone(), outcome(answer, id, *attempts))
            .await?;
        Ok(is_there)
    }
}

fn outcome(answer: Result<(), Undelivered>, id: &str, attempts: u32) -> Delivery {
    let Err(undelivered) = answer else {
        tracing::info!(event = id, attempts = attempts + 1, "a vendor is told");
        return Delivery::Sent;
    };
    let cause = undelivered.to_string();
    if attempts + 1 >= MOST_ATTEMPTS {
        tracing::error!(
            event = id,
            cause,
            "a vendor cannot be told; it is tried no more"
        );
        return Delivery::Dead(cause);
    }
    tracing::warn!(event = id, cause, "a vendor is not told; it is tried again");
    Delivery::Later(cause)
}

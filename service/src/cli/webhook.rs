//! `webhook set|remove|enable|list|test|events|retry|drop`.

use super::{Common, Failure, output, unknown};
use crate::store::{EventSummary, WebhookSummary};
use crate::webhook::{check_url, new_secret};
use clap::{Args, Subcommand};
use serde_json::json;

#[derive(Subcommand)]
pub(super) enum WebhookCommand {
    /// Tell a vendor at this address what happens to its integrations; prints the secret that calls are signed with,
    /// once
    Set(Set),
    /// Tell a vendor nothing any more; what waits is dropped
    Remove(Vendor),
    /// Send to a receiver again that answered 410, with all that waits
    Enable(Vendor),
    /// List webhooks, how many events wait or have failed, and which are disabled
    List(Common),
    /// Send a vendor an event that says nothing
    Test(Vendor),
    /// List the events that vendors were not told; failed ones are tried no more
    Events(Common),
    /// Try an event again, from the first attempt on
    Retry(One),
    /// Give an event up
    Drop(One),
}

#[derive(Args)]
pub(super) struct Set {
    /// The vendor
    #[arg(value_name = "CLIENT-ID")]
    client_id: String,
    /// Where the vendor listens: https, or http on this machine
    #[arg(value_parser = checked)]
    url: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct Vendor {
    /// The vendor
    #[arg(value_name = "CLIENT-ID")]
    client_id: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct One {
    /// The event's id, as `webhook events` shows it
    id: String,
    #[command(flatten)]
    common: Common,
}

fn checked(url: &str) -> Result<String, String> {
    check_url(url).map(|()| url.to_owned())
}

impl WebhookCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Set(set) => set.run().await,
            Self::Remove(vendor) => vendor.remove().await,
            Self::Enable(vendor) => vendor.enable().await,
            Self::List(common) => list(&common).await,
            Self::Test(vendor) => vendor.test().await,
            Self::Events(common) => events(&common).await,
            Self::Retry(one) => {
                let service = one.common.open().await?;
                let now = service.clock.now();
                let is_there = service.store.retry_event(one.id.clone(), now).await?;
                one.report(is_there, "queued")
            }
            Self::Drop(one) => {
                let service = one.common.open().await?;
                let now = service.clock.now();
                let is_there = service.store.drop_event(one.id.clone(), now).await?;
                one.report(is_there, "dropped")
            }
        }
    }
}

impl Set {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let (secret, now) = (new_secret(), service.clock.now());
        let (id, url) = (self.client_id.clone(), self.url.clone());
        if !service
            .store
            .set_webhook(id, url, secret.clone(), now)
            .await?
        {
            return Err(unknown("vendor", &self.client_id));
        }
        let value = json!({ "clientId": self.client_id, "url": self.url, "secret": secret });
        output::print(self.common.json, &value, || {
            format!(
                "clientId  {}\nsecret    {secret}\nThe secret is shown only now. One before it signs, too, for a day.",
                self.client_id
            )
        })
    }
}

impl Vendor {
    async fn remove(&self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let (id, now) = (self.client_id.clone(), service.clock.now());
        if !service.store.remove_webhook(id, now).await? {
            return Err(self.without());
        }
        let value = json!({ "clientId": self.client_id, "removed": true });
        output::print(self.common.json, &value, || {
            format!("{} is told nothing any more", self.client_id)
        })
    }

    async fn enable(&self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let (id, now) = (self.client_id.clone(), service.clock.now());
        if !service.store.enable_webhook(id, now).await? {
            return Err(self.without());
        }
        let value = json!({ "clientId": self.client_id, "enabled": true });
        output::print(self.common.json, &value, || {
            format!("{} is told again, with all that waits", self.client_id)
        })
    }

    async fn test(&self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let (id, now) = (self.client_id.clone(), service.clock.now());
        let webhooks = service.store.webhooks(now).await?;
        let is_this = |webhook: &&WebhookSummary| webhook.client_id == self.client_id;
        if webhooks
            .iter()
            .find(is_this)
            .is_some_and(|webhook| webhook.disabled_at.is_some())
        {
            let why = "its receiver answered 410, so it is told nothing; first run webhook enable";
            return Err(why.into());
        }
        let event = service.store.test_webhook(id, now).await?;
        let event = event.ok_or_else(|| self.without())?;
        let value = json!({ "clientId": self.client_id, "id": event });
        output::print(self.common.json, &value, || {
            format!(
                "{event} waits; a service that runs sends it. If it fails, webhook events says why"
            )
        })
    }

    fn without(&self) -> Failure {
        format!("{} has no webhook; see webhook list", self.client_id).into()
    }
}

impl One {
    fn report(&self, is_there: bool, state: &str) -> Result<(), Failure> {
        if !is_there {
            return Err("no event that waits or has failed has this id; see webhook events".into());
        }
        let value = json!({ "id": self.id, "state": state });
        output::print(self.common.json, &value, || format!("{}  {state}", self.id))
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let service = common.open().await?;
    let webhooks = service.store.webhooks(service.clock.now()).await?;
    output::print(common.json, &webhooks, || {
        let line = |webhook: &WebhookSummary| {
            let WebhookSummary {
                client_id,
                url,
                queued,
                failed,
                disabled_at,
            } = webhook;
            let since = disabled_at.as_ref();
            let since = since.map(|at| format!("  disabled since {at}: the receiver answered 410"));
            let since = since.unwrap_or_default();
            format!("{client_id}  {queued} queued, {failed} failed  {url}{since}")
        };
        webhooks.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

async fn events(common: &Common) -> Result<(), Failure> {
    let service = common.open().await?;
    let events = service
        .store
        .undelivered_events(service.clock.now())
        .await?;
    output::print(common.json, &events, || {
        let line = |event: &EventSummary| {
            let EventSummary {
                id,
                client_id,
                kind,
                state,
                attempts,
                ..
            } = event;
            let failure = event.failure.as_deref().unwrap_or_default();
            format!("{id}  {client_id}  {kind}  {state}  {attempts}  {failure}")
        };
        events.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

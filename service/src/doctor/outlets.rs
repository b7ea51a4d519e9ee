//! Whom the service calls: receivers of messages and events, the provider. No message is sent.

use super::{Doctor, Report, unconnected};
use crate::message::Destination;
use crate::oidc::Provider;
use crate::origin::Origin;
use crate::store::{Listing, Store, WebhookSummary};
use pos_connect_foundation::private::is_shared;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::Path;
use tokio::task::JoinSet;

/// Vendors' webhooks that are looked at; each has its own lines in `webhook list`.
const MOST: usize = 100;

impl Doctor<'_> {
    /// Where text messages go, and whether they get there.
    pub(super) async fn messages(&self, store: Option<&Store>) -> Report {
        let (check, mut report) = ("messages", Report::default());
        match &self.installation.destination {
            Destination::Log => report.warn(
                check,
                "nobody gets a receipt by text message, and the connect page offers none",
                "set `--messages` to a file or a webhook",
            ),
            Destination::File(path) => file(path, &mut report),
            Destination::Webhook(url) => _ = self.server(check, url, &mut report).await,
        }
        if let Some(store) = store
            && let Ok((_, failed)) = store.message_counts().await
            && failed > 0
        {
            let advice = "`message list` says why; `message retry` sends them again";
            report.warn(check, format!("{failed} were given up"), advice);
        }
        report
    }

    /// Whether merchants could sign in with their own accounts now.
    pub(super) async fn providers(&self) -> Report {
        let mut report = Report::default();
        for settings in &self.installation.settings.providers {
            let check = &*format!("provider {}", settings.id);
            if !self.server(check, &settings.issuer, &mut report).await {
                continue;
            }
            let provider = Provider::new(settings.clone(), self.client.clone());
            match provider.examine().await {
                Ok(keys) => report.ok(check, format!("its configuration names this issuer, and {keys} keys")),
                Err(why) => report.fault(
                    check,
                    format!("its configuration cannot be used: {why}"),
                    "`issuer` in its file must be, to the letter, that of its /.well-known/openid-configuration",
                ),
            }
        }
        report
    }

    /// Whether there are vendors, and whether they can be told what happens.
    pub(super) async fn vendors(&self, store: Option<&Store>) -> Report {
        let mut report = Report::default();
        let Some(store) = store else { return report };
        match store.vendors(self.clock.now(), Listing::ALL).await {
            Err(error) => report.fault("vendors", error.to_string(), "look at the database"),
            Ok(vendors) if vendors.is_empty() => {
                report.warn(
                    "vendors",
                    "there is none, so no till can connect",
                    "run `vendor add`",
                );
            }
            Ok(vendors) => {
                let origins = vendors.iter().flat_map(|vendor| &vendor.origins);
                let is_open = |origin: &&String| {
                    Origin::parse(origin).is_ok_and(|origin| origin.is_in_the_open())
                };
                match origins.clone().find(is_open) {
                    Some(origin) => report.warn(
                        "vendors",
                        format!("pages of {origin} come without TLS, so a stranger can put a script into them"),
                        "run `vendor set-origins` with https://",
                    ),
                    None => report.ok("vendors", format!("there are {}", vendors.len())),
                }
            }
        }
        if let Ok(webhooks) = store.webhooks(self.clock.now()).await {
            self.webhooks(webhooks, &mut report).await;
        }
        report
    }

    async fn webhooks(&self, webhooks: Vec<WebhookSummary>, report: &mut Report) {
        let mut calls = JoinSet::new();
        for webhook in webhooks.into_iter().take(MOST) {
            let client = self.client.clone();
            calls.spawn(async move { (client.connect(&webhook.url).await.err(), webhook) });
        }
        let check = "webhooks";
        let mut reached = 0;
        while let Some(Ok((error, webhook))) = calls.join_next().await {
            let id = webhook.client_id;
            if webhook.disabled_at.is_some() {
                let advice = format!("when it works again, run `webhook enable {id}`");
                report.warn(
                    check,
                    format!("that of {id} has answered 410, and is told nothing"),
                    advice,
                );
            } else if let Some(error) = error {
                report.warn(
                    check,
                    format!("that of {id}: {}", unconnected(&error).0),
                    "tell the vendor",
                );
            } else if webhook.failed > 0 {
                let found = format!("{} events of {id} were given up", webhook.failed);
                report.warn(check, found, "`webhook events` says why");
            } else {
                reached += 1;
            }
        }
        if reached > 0 {
            report.ok(check, format!("{reached} are reached"));
        }
    }
}

/// Whether the file takes a line. One that is not there is not made: it would belong to whoever runs this.
fn file(path: &Path, report: &mut Report) {
    let check = "messages";
    let opened = OpenOptions::new().append(true).open(path);
    match opened.map_err(|error| error.kind()) {
        Ok(_) if is_shared(path) => report.warn(
            check,
            format!(
                "others on this machine can read {}, which has numbers",
                path.display()
            ),
            "`chmod 600` it",
        ),
        Ok(_) => report.ok(check, format!("{} takes them", path.display())),
        Err(ErrorKind::NotFound)
            if path
                .parent()
                .is_some_and(|folder| folder == Path::new("") || folder.is_dir()) =>
        {
            report.ok(check, "`serve` makes their file");
        }
        Err(kind) => report.fault(
            check,
            format!("{} cannot be written: {kind}", path.display()),
            "run this as the service's user; correct the file's owner, or `--messages`",
        ),
    }
}

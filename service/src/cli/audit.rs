//! `audit`.

use super::{Common, Failure, output};
use crate::store::{AuditEntry, AuditQuery};
use clap::Args;
use std::time::Duration;

#[derive(Args)]
pub(super) struct Audit {
    /// Only of the last so many days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3650))]
    days: Option<u64>,
    /// Only events whose name begins so, such as sign_in
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
    /// Only what is about this: an ID, or the digits of an integration in the log
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// The newest so many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    #[command(flatten)]
    common: Common,
}

impl Audit {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let day = Duration::from_secs(24 * 60 * 60);
        let span = self
            .days
            .map(|days| day * u32::try_from(days).unwrap_or(u32::MAX));
        let query = AuditQuery {
            since: span.map(|span| service.clock.now().before(span)),
            event: self.event,
            subject: self.subject,
            limit: self.limit,
        };
        let entries = service.store.audit(query).await?;
        output::print(self.common.json, &entries, || {
            entries.iter().map(line).collect::<Vec<_>>().join("\n")
        })
    }
}

fn line(entry: &AuditEntry) -> String {
    let AuditEntry {
        at,
        event,
        actor,
        address,
        subject,
    } = entry;
    let address = address.as_deref().unwrap_or("-");
    let subject = subject.as_deref().unwrap_or("-");
    format!("{at}  {event}  {actor}  {address}  {subject}")
}

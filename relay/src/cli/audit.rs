//! `audit`.

use super::{Common, Failure, output};
use crate::store::{AuditEntry, AuditQuery};
use clap::Args;
use pos_connect_foundation::clock::Clock;
use pos_connect_foundation::sqlite::Opening;
use std::time::Duration;

#[derive(Args)]
pub(super) struct Audit {
    /// Only of the last so many days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3650))]
    days: Option<u64>,
    /// Only events whose name begins so, such as token_set
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
    /// Only what is about this merchant
    #[arg(long, value_name = "MERCHANT")]
    merchant: Option<String>,
    /// The newest so many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    #[command(flatten)]
    common: Common,
}

impl Audit {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let since = self.days.map(|days| {
            let span = Duration::from_secs(days * 24 * 60 * 60);
            Clock::system().now().before(span)
        });
        let query = AuditQuery {
            since,
            event: self.event,
            merchant: self.merchant,
            limit: self.limit,
        };
        let entries = store.audit(query).await?;
        output::print(self.common.json, &entries, || {
            entries.iter().map(line).collect::<Vec<_>>().join("\n")
        })
    }
}

fn line(entry: &AuditEntry) -> String {
    let AuditEntry {
        at, event, actor, ..
    } = entry;
    let merchant = entry.merchant.as_deref().unwrap_or("-");
    let subject = entry.subject.as_deref().unwrap_or("-");
    format!("{at}  {event}  {actor}  {merchant}  {subject}")
}

//! `audit`.

use super::{Common, Failure};
use crate::store::AuditEntry;
use clap::Args;
use pos_connect_foundation::audit::Options;
use pos_connect_foundation::clock::Clock;
use pos_connect_foundation::sqlite::Opening;

#[derive(Args)]
pub(super) struct Audit {
    #[command(flatten)]
    options: Options,
    /// Only what is about this merchant
    #[arg(long, value_name = "MERCHANT")]
    merchant: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Audit {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let query = self.options.query(self.merchant, Clock::system().now());
        store.audit(query).await?.print(self.common.json, line)
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

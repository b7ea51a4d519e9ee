//! `audit`.

use super::{Common, Failure};
use crate::store::AuditEntry;
use clap::Args;
use pos_connect_foundation::audit::Options;
use pos_connect_protocol::Mode;

#[derive(Args)]
pub(super) struct Audit {
    #[command(flatten)]
    options: Options,
    /// Only what is about this: an ID, or the digits of an integration in the log
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Audit {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let query = self.options.query(self.subject, service.clock.now());
        let found = service.store.audit(query).await?;
        found.print(self.common.json, line)
    }
}

fn line(entry: &AuditEntry) -> String {
    let AuditEntry {
        at,
        event,
        actor,
        address,
        subject,
        mode,
        ..
    } = entry;
    let address = address.as_deref().unwrap_or("-");
    let subject = subject.as_deref().unwrap_or("-");
    let mode = match mode {
        Some(Mode::Test) => "  test",
        _ => "",
    };
    format!("{at}  {event}  {actor}  {address}  {subject}{mode}")
}

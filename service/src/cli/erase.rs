//! `customer erase`, and the same for orders.

use super::{Common, Failure, output};
use crate::clock::{Timestamp, moment};
use crate::store::{Act, Erasure, Kept};
use clap::{Args, Subcommand};
use serde_json::json;

#[derive(Subcommand)]
pub(super) enum CustomerCommand {
    /// Erase those of a vendor, of a store, or of both given together
    Erase(Erase),
}

#[derive(Args)]
#[group(required = true, multiple = true, args = ["vendor", "store"])]
pub(super) struct Erase {
    /// The vendor whose tills sent them
    #[arg(long, value_name = "CLIENT-ID")]
    vendor: Option<String>,
    /// The store, as `account list` shows it
    #[arg(long, value_name = "STORE-ID")]
    store: Option<String>,
    /// Only what came at this time or later, such as 2026-11-24T09:00:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Timestamp>,
    /// Only what came before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Timestamp>,
    #[command(flatten)]
    common: Common,
}

impl CustomerCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let Self::Erase(erase) = self;
        erase.run(Kept::Customers).await
    }
}

impl Erase {
    pub(super) async fn run(self, kept: Kept) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let erasure = Erasure {
            vendor: self.vendor,
            store: self.store,
            since: self.since,
            until: self.until,
        };
        let act = Act::operator(service.clock.now());
        let erased = service.store.erase(kept, erasure, None, act).await?;
        let erased =
            erased.map_err(|noun| format!("there is no such {noun}; nothing was erased"))?;
        let erased = erased.count;
        let noun = match kept {
            Kept::Orders => "orders",
            Kept::Customers => "customers",
        };
        output::print(self.common.json, &json!({ "erased": erased }), || {
            format!("{erased} {noun} erased")
        })
    }
}

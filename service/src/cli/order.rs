//! `order erase`, `order free`.

use super::erase::Erase;
use super::{Common, Failure, output};
use crate::store::{Act, Kept, TakenNumber};
use clap::{Args, Subcommand};
use serde_json::json;

#[derive(Subcommand)]
pub(super) enum OrderCommand {
    /// Erase those of a vendor, of a store, or of both given together, with their messages and receipts
    Erase(Erase),
    /// Erase an order with its message and receipt, so that another one can have its number
    Free(Free),
}

#[derive(Args)]
pub(super) struct Free {
    /// The till's own id of the order
    #[arg(value_name = "EXTERNAL-ID")]
    external_id: String,
    /// The vendor
    #[arg(long, value_name = "CLIENT-ID")]
    vendor: String,
    /// The store, by its id: `account list` shows it
    #[arg(long, value_name = "STORE-ID")]
    store: String,
    /// The till, by the id that the relay's `till list` shows
    #[arg(long, value_name = "TILL-ID")]
    till: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl OrderCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Erase(erase) => erase.run(Kept::Orders).await,
            Self::Free(free) => free.run().await,
        }
    }
}

impl Free {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let order = TakenNumber {
            client_id: self.vendor,
            store_id: self.store,
            till: self.till,
            external_id: self.external_id,
        };
        let act = Act::operator(service.clock.now());
        if !service.store.free_order(order, act).await? {
            let why = "there is no such order; behind a relay, --till says whose it is";
            return Err(why.into());
        }
        output::print(self.common.json, &json!({ "erased": true }), || {
            "the order is erased, and its number is free".to_owned()
        })
    }
}

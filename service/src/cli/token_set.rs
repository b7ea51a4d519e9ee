//! `token-set revoke`.

use super::{Common, Failure, output};
use crate::store::{Act, RevocationScope};
use clap::{Args, Subcommand};
use serde_json::json;

#[derive(Subcommand)]
pub(super) enum TokenSetCommand {
    /// End every token set of a vendor, an account or a store; given together, those of all that are named
    Revoke(Revoke),
}

#[derive(Args)]
#[group(required = true, multiple = true, args = ["vendor", "account", "store"])]
pub(super) struct Revoke {
    /// The vendor that holds them
    #[arg(long, value_name = "CLIENT-ID")]
    vendor: Option<String>,
    /// The merchant's account: its email address, or its id
    #[arg(long, value_name = "ACCOUNT")]
    account: Option<String>,
    /// The store, as `account list` shows it
    #[arg(long, value_name = "STORE-ID")]
    store: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl TokenSetCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let Self::Revoke(revoke) = self;
        revoke.run().await
    }
}

impl Revoke {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let scope = RevocationScope {
            vendor: self.vendor,
            account: self.account,
            store: self.store,
        };
        let revoked = service
            .store
            .revoke_all(scope, None, Act::operator(service.clock.now()))
            .await?;
        let revoked =
            revoked.map_err(|noun| format!("there is no such {noun}; nothing was revoked"))?;
        let revoked = revoked.count;
        output::print(self.common.json, &json!({ "revoked": revoked }), || {
            format!("{revoked} revoked; those merchants have to connect again")
        })
    }
}

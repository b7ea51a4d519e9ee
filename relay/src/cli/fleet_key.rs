//! `fleet-key add|list|revoke`.

use super::{Common, Failure, key, output};
use crate::fleet_key;
use crate::store::FleetKey;
use crate::till;
use clap::{Args, Subcommand};
use pos_connect_foundation::clock::Clock;
use pos_connect_foundation::sqlite::Opening;
use serde_json::{Value, json};

#[derive(Subcommand)]
pub(super) enum FleetKeyCommand {
    /// Add a fleet key, with which your server adds and revokes tills; prints it, once
    Add(Add),
    /// List fleet keys
    List(Common),
    /// Refuse every further call with a fleet key; the tills that it added stay
    Revoke(Revoke),
}

#[derive(Args)]
pub(super) struct Add {
    /// Name of the server that gets it, for `fleet-key list`
    #[arg(long, default_value = "", value_parser = till::name)]
    name: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// The fleet key's id, as `fleet-key list` shows it
    id: String,
    /// Refuse every further call of the tills that it added, too
    #[arg(long)]
    with_tills: bool,
    #[command(flatten)]
    common: Common,
}

impl FleetKeyCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Add(add) => add.run().await,
            Self::List(common) => list(&common).await,
            Self::Revoke(revoke) => revoke.run().await,
        }
    }
}

impl Add {
    async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let now = Clock::system().now();
        let (added, secret) = fleet_key::add(&store, &self.name, now).await?;
        key::added(&self.common, described(&added), &secret)
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let keys = common.open(Opening::Existing).await?.fleet_keys().await?;
    key::listed(common, &keys.iter().map(described).collect::<Vec<_>>())
}

fn described(key: &FleetKey) -> Value {
    json!({
        "id": key.label, "name": key.name,
        "createdAt": key.created_at.to_string(), "revoked": key.revoked
    })
}

impl Revoke {
    async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Contain).await?;
        let now = Clock::system().now();
        let revoked = store.revoke_fleet_key(&self.id, self.with_tills, now);
        // Not the text itself: it could be a key, pasted by mistake.
        let unknown = "there is no fleet key with this id; `fleet-key list` shows them";
        let tills = revoked.await?.ok_or(unknown)?;
        let value = json!({ "id": self.id, "revoked": true, "tills": tills });
        output::print(self.common.json, &value, || {
            format!("fleet key {} is revoked, and {tills} of its tills", self.id)
        })
    }
}

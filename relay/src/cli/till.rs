//! `till add|list|revoke`.

use super::{Common, Failure, key};
use crate::store::{Actor, Revocation, Till, TillQuery};
use crate::till;
use clap::{Args, Subcommand};
use pos_connect_foundation::clock::Clock;
use pos_connect_foundation::sqlite::Opening;
use serde_json::{Value, json};

#[derive(Subcommand)]
pub(super) enum TillCommand {
    /// Add a till; prints its key, once
    Add(Add),
    /// List tills
    List(Common),
    /// Refuse every further call of a till
    Revoke(Revoke),
}

#[derive(Args)]
pub(super) struct Add {
    /// Your own name for the merchant whose till it is; tills of one merchant share its connection
    #[arg(long, value_parser = till::merchant_name)]
    merchant: String,
    /// Name of the till, for `till list`
    #[arg(long, default_value = "", value_parser = till::name)]
    name: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// The till's id, as `till list` shows it
    id: String,
    #[command(flatten)]
    common: Common,
}

impl TillCommand {
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
        let (till, secret) = till::add(&store, &self.merchant, &self.name, now).await?;
        key::added(&self.common, described(&till), &secret)
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let store = common.open(Opening::Existing).await?;
    let tills = store.tills(TillQuery::default()).await?;
    key::listed(common, &tills.iter().map(described).collect::<Vec<_>>())
}

fn described(till: &Till) -> Value {
    json!({
        "id": till.label, "merchant": till.merchant, "name": till.name,
        "createdAt": till.created_at.to_string(), "revoked": till.revoked
    })
}

impl Revoke {
    async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Contain).await?;
        let now = Clock::system().now();
        let revoked = store.revoke_till(&self.id, &Actor::Operator, now);
        if revoked.await? != Revocation::Done {
            // Not the text itself: it could be a key, pasted by mistake.
            return Err("there is no till with this id; `till list` shows them".into());
        }
        key::revoked(&self.common, "till", &self.id)
    }
}

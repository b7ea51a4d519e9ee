//! `merchant list|allow-change|disconnect`.

use super::{Common, Failure, output};
use crate::store::TokenSet;
use clap::{Args, Subcommand};
use pos_connect_foundation::clock::Clock;
use pos_connect_foundation::sqlite::Opening;
use serde_json::{Value, json};

#[derive(Subcommand)]
pub(super) enum MerchantCommand {
    /// List the merchants that have connected, and to which account
    List(Common),
    /// Let a merchant's next connection be to another account or store: the one before stays until then
    AllowChange(AllowChange),
    /// End a merchant's connection: no till uses it any more, and the running relay has the service revoke it
    Disconnect(Disconnect),
}

#[derive(Args)]
pub(super) struct Disconnect {
    /// Your own name for the merchant, as `till add` was given it
    merchant: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct AllowChange {
    /// Your own name for the merchant, as `till add` was given it
    merchant: String,
    #[command(flatten)]
    common: Common,
}

impl MerchantCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::List(common) => list(&common).await,
            Self::AllowChange(change) => change.run().await,
            Self::Disconnect(disconnect) => disconnect.run().await,
        }
    }
}

impl AllowChange {
    async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let Some(set) = store.connection(&self.merchant).await? else {
            return Err("this merchant has never connected".into());
        };
        let now = Clock::system().now();
        store.allow_change(&self.merchant, now).await?;
        let value = json!({ "merchant": self.merchant, "from": set.facts.account });
        output::print(self.common.json, &value, || {
            "the next connection of this merchant may be to another account or store, once"
                .to_owned()
        })
    }
}

impl Disconnect {
    async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let Some(_) = store.connection(&self.merchant).await? else {
            return Err("this merchant has never connected".into());
        };
        let now = Clock::system().now();
        store.disconnect(&self.merchant, now).await?;
        let value = json!({ "merchant": self.merchant, "state": "ended" });
        output::print(self.common.json, &value, || {
            "disconnected; the running relay has the service revoke the tokens".to_owned()
        })
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let sets = common.open(Opening::Existing).await?.connections().await?;
    let values: Vec<Value> = sets.iter().map(described).collect();
    output::print(common.json, &values, || {
        let line = |set: &TokenSet| {
            let account = set.facts.account.as_ref();
            let account = account.map_or("an account", |account| &account.name);
            let store = set.facts.store.as_ref();
            let store = store.map_or("a store", |store| &store.name);
            format!("{}  {}  {account}, {store}", set.merchant, state(set))
        };
        sets.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn described(set: &TokenSet) -> Value {
    json!({
        "merchant": set.merchant,
        "state": state(set),
        "account": set.facts.account,
        "store": set.facts.store,
        "ereceipt": set.facts.ereceipt,
    })
}

const fn state(set: &TokenSet) -> &'static str {
    match set {
        TokenSet {
            ended: true,
            sealed_tokens: Some(_),
            ..
        } => "ending",
        TokenSet { ended: true, .. } => "ended",
        TokenSet {
            handed_out: true, ..
        } => "handed out",
        _ => "connected",
    }
}

//! `merchant list|allow-change|disconnect|take-back`.

use super::{Common, Failure, output};
use crate::store::{Actor, TokenSet};
use clap::{Args, Subcommand};
use pos_connect_foundation::clock::Clock;
use pos_connect_foundation::sqlite::Opening;
use serde_json::{Value, json};

#[derive(Subcommand)]
pub(super) enum MerchantCommand {
    /// List the merchants that have connected, and to which account
    List(List),
    /// Let a merchant's next connection be to another account or store: the one before stays until then
    AllowChange(Merchant),
    /// End a merchant's connection: no till uses it any more, and the running relay has the service revoke it
    Disconnect(Merchant),
    /// Use a merchant's tokens again that the service has refused for a while: after it was restored
    TakeBack(Merchant),
}

#[derive(Args)]
pub(super) struct List {
    /// Only those that have to connect again
    #[arg(long)]
    ended: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct Merchant {
    /// Your own name for the merchant, as `till add` was given it
    merchant: String,
    #[command(flatten)]
    common: Common,
}

impl MerchantCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::List(list) => list.run().await,
            Self::TakeBack(merchant) => merchant.take_back().await,
            Self::AllowChange(merchant) => merchant.allow_change().await,
            Self::Disconnect(merchant) => merchant.disconnect().await,
        }
    }
}

impl Merchant {
    async fn allow_change(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let Some(set) = store.connection(&self.merchant).await? else {
            return Err("this merchant has never connected".into());
        };
        let now = Clock::system().now();
        store.allow_change(&self.merchant, now).await?;
        let value = json!({ "merchant": self.merchant, "from": set.info.account });
        output::print(self.common.json, &value, || {
            "the next connection of this merchant may be to another account or store, once"
                .to_owned()
        })
    }

    async fn disconnect(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Contain).await?;
        let Some(_) = store.connection(&self.merchant).await? else {
            return Err("this merchant has never connected".into());
        };
        let now = Clock::system().now();
        store
            .disconnect(&self.merchant, Actor::Operator, now)
            .await?;
        let value = json!({ "merchant": self.merchant, "state": "ended" });
        output::print(self.common.json, &value, || {
            "disconnected; the running relay has the service revoke the tokens".to_owned()
        })
    }

    async fn take_back(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let now = Clock::system().now();
        if !store.take_back(&self.merchant, now).await? {
            return Err(
                "there is nothing to take back: the merchant is connected, was disconnected, or its tokens were \
                 erased; `merchant list` shows which"
                    .into(),
            );
        }
        let value = json!({ "merchant": self.merchant, "state": "connected" });
        output::print(self.common.json, &value, || {
            "the relay uses the tokens again; if the service still refuses them, the connection ends as before"
                .to_owned()
        })
    }
}

impl List {
    async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let mut sets = store.connections().await?;
        sets.retain(|set| set.ended || !self.ended);
        let values: Vec<Value> = sets.iter().map(described).collect();
        output::print(self.common.json, &values, || {
            let line = |set: &TokenSet| {
                let account = set.info.account.as_ref();
                let account = account.map_or("an account", |account| &account.name);
                let store = set.info.store.as_ref();
                let store = store.map_or("a store", |store| &store.name);
                let back = if set.can_be_taken_back {
                    ", can be taken back"
                } else {
                    ""
                };
                format!("{}  {}{back}  {account}, {store}", set.merchant, state(set))
            };
            sets.iter().map(line).collect::<Vec<_>>().join("\n")
        })
    }
}

fn described(set: &TokenSet) -> Value {
    json!({
        "merchant": set.merchant,
        "state": state(set),
        "account": set.info.account,
        "store": set.info.store,
        "ereceipt": set.info.ereceipt,
        "canBeTakenBack": set.can_be_taken_back,
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

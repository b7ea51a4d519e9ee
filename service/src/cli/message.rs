//! `message list|retry|drop`.

use super::{Common, Failure, output};
use crate::store::{Act, MessageSummary};
use clap::{Args, Subcommand};
use serde_json::json;

#[derive(Subcommand)]
pub(super) enum MessageCommand {
    /// List the messages that were not delivered; failed ones are tried no more
    List(Common),
    /// Try a message again, from the first attempt on
    Retry(One),
    /// Give a message up: its number and its link are erased
    Drop(One),
}

#[derive(Args)]
pub(super) struct One {
    /// The message's id, as `message list` shows it
    id: String,
    #[command(flatten)]
    common: Common,
}

impl MessageCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::List(common) => list(&common).await,
            Self::Retry(one) => {
                let service = one.common.open().await?;
                let act = Act::operator(service.clock.now());
                let is_there = service.store.retry_message(one.id.clone(), act).await?;
                one.report(is_there, "queued")
            }
            Self::Drop(one) => {
                let service = one.common.open().await?;
                let act = Act::operator(service.clock.now());
                let is_there = service.store.drop_message(one.id.clone(), act).await?;
                one.report(is_there, "dropped")
            }
        }
    }
}

impl One {
    fn report(&self, is_there: bool, state: &str) -> Result<(), Failure> {
        if !is_there {
            return Err("no undelivered message has this id; see message list".into());
        }
        let value = json!({ "id": self.id, "state": state });
        output::print(self.common.json, &value, || format!("{}  {state}", self.id))
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let messages = common.open().await?.store.undelivered().await?;
    output::print(common.json, &messages, || {
        let line = |message: &MessageSummary| {
            let MessageSummary {
                id,
                state,
                attempts,
                ..
            } = message;
            let failure = message.failure.as_deref().unwrap_or_default();
            format!("{id}  {state}  {attempts}  {failure}")
        };
        messages.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

//! `sealing-key list|rotate`.

use super::{Common, Failure, output};
use crate::store::SealingKeySummary;
use clap::{Args, Subcommand};
use serde_json::json;

#[derive(Subcommand)]
pub(super) enum SealingKeyCommand {
    /// List the keys, the current one first
    List(Common),
    /// Make a new key; the older ones open what was sealed for them, until they are erased
    Rotate(Rotate),
}

#[derive(Args)]
pub(super) struct Rotate {
    /// End the older keys at once, as after a theft: a number that waits in a till, sealed for one of them, is lost
    #[arg(long)]
    end_older: bool,
    #[command(flatten)]
    common: Common,
}

impl SealingKeyCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::List(common) => list(&common).await,
            Self::Rotate(rotate) => rotate.run().await,
        }
    }
}

impl Rotate {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let now = service.clock.now();
        let rotated = service.store.rotate_sealing_key(self.end_older, now);
        let key_id = rotated.await?;
        output::print(self.common.json, &json!({ "keyId": key_id }), || {
            format!("{key_id}  tills seal for it within a day")
        })
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let keys = common.open().await?.store.sealing_keys().await?;
    output::print(common.json, &keys, || {
        let line = |key: &SealingKeySummary| {
            let retired = key.retired_at.as_deref().unwrap_or("current");
            format!("{}  {}  {retired}", key.key_id, key.created_at)
        };
        keys.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

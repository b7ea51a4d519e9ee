//! The end of a merchant's connection: no till uses it from now on, and the service revokes it.

use super::pick_up::Outcome;
use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::single_flight::Flight;
use crate::store::{Actor, TokenSet};
use crate::tokens::Pair;
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::relay::RelayProblemCode;
use std::time::{Duration, Instant};

/// A refresh, or another revocation, may be in the air first.
const FLIGHTS: u32 = 3;
/// Time after which no further revocation is waited for: a till waits, and `tend` goes on.
const PATIENCE: Duration = Duration::from_secs(5);

impl Relay {
    /// Ends the merchant's connection. True if the service has confirmed it; if not, `tend` asks again until it does.
    pub async fn disconnect(&self, merchant: &str, by: Actor) -> Result<bool, Refusal> {
        let now = self.clock.now();
        self.store.disconnect(merchant, by, now).await?;
        let Some(set) = self.store.connection(merchant).await? else {
            return Ok(true);
        };
        if set.acknowledged && set.sealed_tokens.is_none() {
            // A till has them: only there can they be revoked.
            return Err(RelayProblemCode::TokensHandedOut.into());
        }
        let begun = Instant::now();
        for _ in 0..FLIGHTS {
            if begun.elapsed() > PATIENCE {
                break;
            }
            let landed = self.start_revocation(set.integration)?.landed().await;
            if let Some(Ok(set)) = landed
                && is_revoked(&set)
            {
                tracing::info!(integration = %set.integration.label(), "a merchant is disconnected");
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Begins to revoke what has ended. Nobody waits for it: what does not come through is tried again.
    pub(super) async fn revoke_ended(&self) {
        match self.store.unrevoked().await {
            Ok(ended) => ended.into_iter().for_each(|hash| {
                let _ = self.start_revocation(hash);
            }),
            Err(error) => tracing::error!(%error, "cannot look for token sets to revoke"),
        }
    }

    /// In the place of a refresh: a pair that is being replaced must not be revoked, because the new one would live on.
    pub(super) fn start_revocation(&self, hash: Hash) -> Result<Flight<Outcome>, Refusal> {
        let relay = self.clone();
        self.refreshes
            .join(hash, || async move { relay.revoke(hash).await })
            .ok_or_else(|| Refusal::busy("too many refreshes"))
    }

    async fn revoke(&self, hash: Hash) -> Outcome {
        let lease = self.store.lease(&hash).await?;
        let set = self.stored(&hash).await?;
        let Some(sealed) = set.sealed_tokens.as_ref().filter(|_| set.ended) else {
            return Ok(set);
        };
        let pair = Pair::open(&self.sealer, &hash, sealed)?;
        let token = pair.refresh_token.as_deref().unwrap_or(&pair.access_token);
        self.begin_call(&lease).await?;
        let answer = self.upstream.revoke(token).await;
        let cause = match answer {
            Ok(reply) if (200..300).contains(&reply.status) => {
                self.store.revoked(&hash, set.version).await?;
                return self.stored(&hash).await;
            }
            Ok(reply) => format!("the service answered {}", reply.status),
            Err(error) => Refusal::from(error).cause.unwrap_or_default(),
        };
        tracing::warn!(integration = %hash.label(), cause, "a token set is not revoked yet");
        Ok(set)
    }
}

fn is_revoked(set: &TokenSet) -> bool {
    set.ended && set.sealed_tokens.is_none()
}

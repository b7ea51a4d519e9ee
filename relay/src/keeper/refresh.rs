//! Refreshing: single flight, and the new pair is on the disk before it is used.

use super::pick_up::Outcome;
use super::taken_over;
use crate::pickup::pause;
use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::single_flight::Flight;
use crate::store::{self, Lease, TokenSet};
use crate::tokens::{self, Pair};
use crate::upstream::{Reply, refused};
use pos_connect_foundation::refusal::Reason;
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::relay::RelayProblemCode;
use std::time::Duration;

/// Attempts of one refresh; then the next round of `tend`, or the next call, tries again.
const ATTEMPTS: u32 = 3;
/// A till may wait for it. A service that wants to be left alone for longer is asked no more.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What an answer to a refresh means.
enum Verdict {
    Keep(tokens::Refreshed),
    /// Unanswered. The same refresh token is sent again: if the service saw it, the new pair is lost, and nothing is
    /// lost by asking. The service may say when.
    Again(Refusal, Option<Duration>),
    /// The service does not take this refresh token any more.
    Ended,
    Refused(Refusal),
}

impl Relay {
    /// The token set with a pair newer than this one's.
    pub(super) async fn refresh(&self, set: &TokenSet) -> Outcome {
        let left = self.refreshed.left(set.integration, self.clock.now());
        if left > LONGEST_PAUSE {
            let refusal = Refusal::from(RelayProblemCode::UpstreamUnavailable);
            return Err(refusal
                .after(left.as_secs())
                .because("the service wants to be left alone"));
        }
        let flight = self.start_refresh(set.integration, set.version)?;
        match tokio::time::timeout(self.settings.token_wait, flight.landed()).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => Err(Refusal::fault("a refresh broke off")),
            // It goes on; the next call joins it, or has its pair.
            Err(_) => Err(crate::upstream::CallError::TimedOut.into()),
        }
    }

    /// Begins a refresh that nobody waits for, unless the service wants to be left alone.
    pub(super) fn refresh_in_time(&self, hash: Hash, version: i64) {
        if self.refreshed.begin(hash, self.clock.now(), Duration::ZERO) {
            let _ = self.start_refresh(hash, version);
        }
    }

    /// `version`: the one to be replaced.
    pub(super) fn start_refresh(
        &self,
        hash: Hash,
        version: i64,
    ) -> Result<Flight<Outcome>, Refusal> {
        let relay = self.clone();
        self.refreshes
            .join(hash, || async move { relay.renew(hash, version).await })
            .ok_or_else(|| Refusal::busy("too many refreshes"))
    }

    async fn renew(&self, hash: Hash, version: i64) -> Outcome {
        let lease = self.store.lease(&hash).await?;
        let set = self.stored(&hash).await?;
        if version != set.version || set.ended {
            return Ok(set);
        }
        let Some(sealed) = &set.sealed_tokens else {
            return Ok(set);
        };
        let pair = Pair::open(&self.sealer, &hash, sealed)?;
        let Some(refresh_token) = &pair.refresh_token else {
            return Err(RelayProblemCode::ConnectionEnded.into());
        };
        let mut attempt = 0;
        loop {
            self.begin_call(&lease).await?;
            let answer = self.upstream.refresh(refresh_token).await;
            let verdict = match answer {
                Ok(reply) => self.judge(&reply, &pair),
                Err(error) => Verdict::Again(error.into(), None),
            };
            attempt += 1;
            match verdict {
                Verdict::Keep(refreshed) => return self.put(&set, refreshed, &lease).await,
                Verdict::Ended => {
                    tracing::error!(integration = %hash.label(), "the service ended the connection");
                    // Not with what another relay has made of it meanwhile.
                    self.begin_call(&lease).await?;
                    self.store.end(&set, self.clock.now()).await?;
                    return Err(RelayProblemCode::ConnectionEnded.into());
                }
                Verdict::Again(_, when)
                    if attempt < ATTEMPTS && when.is_none_or(|when| when <= LONGEST_PAUSE) =>
                {
                    tokio::time::sleep(when.unwrap_or_else(|| pause(attempt))).await;
                }
                Verdict::Again(refusal, _) | Verdict::Refused(refusal) => {
                    let rest = Duration::from_secs(refusal.retry_after.unwrap_or_default());
                    self.refreshed.rest(hash, self.clock.now(), rest);
                    let cause = refusal.cause.as_deref().unwrap_or(refusal.code.as_str());
                    tracing::warn!(integration = %hash.label(), cause, "a refresh failed");
                    return Err(refusal);
                }
            }
        }
    }

    fn judge(&self, reply: &Reply, pair: &Pair) -> Verdict {
        match reply.status {
            200..=299 => match tokens::refreshed(reply, pair, self.clock.now()) {
                Some(refreshed) => Verdict::Keep(refreshed),
                None => Verdict::Again(
                    Refusal::from(RelayProblemCode::UpstreamUnexpected)
                        .because("a refresh without tokens"),
                    None,
                ),
            },
            400 | 401 if is_invalid_grant(reply) => Verdict::Ended,
            408 | 429 | 500..=599 => {
                let when = reply.retry_after().map(Duration::from_secs);
                Verdict::Again(refused(reply, false), when)
            }
            _ => Verdict::Refused(refused(reply, false)),
        }
    }

    async fn put(&self, set: &TokenSet, refreshed: tokens::Refreshed, lease: &Lease) -> Outcome {
        let hash = set.integration;
        let new = store::Refreshed {
            integration: hash,
            version: set.version,
            sealed_tokens: refreshed.pair.seal(&self.sealer, &hash)?,
            expiration: refreshed.expiration,
            expires_at: refreshed.expires_at,
            ereceipt: refreshed.ereceipt,
        };
        // The old pair is spent: until this is on the disk, the new one is all there is.
        let is_replaced = loop {
            match self.store.replace(new.clone(), lease).await {
                Ok(is_replaced) => break is_replaced,
                Err(
                    store::StoreError::Unavailable(error) | store::StoreError::Unsupported(error),
                ) => {
                    tracing::error!(integration = %hash.label(), error, "a refreshed pair waits for the database");
                    tokio::time::sleep(pause(0)).await;
                }
                Err(error) => return Err(error.into()),
            }
        };
        let stored = self.stored(&hash).await?;
        match is_replaced {
            true => {
                if new.ereceipt.is_some() {
                    self.checked.note(hash, self.clock.now());
                }
                tracing::info!(integration = %hash.label(), "a token set is refreshed");
            }
            // The service does not take this set any more, and its tokens are gone.
            false if stored.sealed_tokens.is_none() => {}
            false => return Err(taken_over()),
        }
        Ok(stored)
    }

    pub(super) async fn stored(&self, hash: &Hash) -> Outcome {
        let set = self.store.token_set(hash).await?;
        set.ok_or_else(|| Refusal::fault("a token set is not there"))
    }
}

/// Whether the grant is invalid, in the service's own words, or in those of RFC 6749 §5.2.
fn is_invalid_grant(reply: &Reply) -> bool {
    let word = reply.problem().error.value();
    reply.code() == Some(ProblemCode::InvalidGrant)
        || word.as_deref() == Some(ProblemCode::InvalidGrant.as_str())
}

//! The one pick-up of an integration.

use super::taken_over;
use crate::pickup::{Verdict, judge, pause};
use crate::refusal::{Refusal, unknown_integration};
use crate::relay::Relay;
use crate::seal::Purpose;
use crate::single_flight::Flight;
use crate::store::{
    Integration, Lease, NewTokenSet, PickupState, StoreError, TokenSet, TokenSetInfo,
};
use crate::tokens::Pair;
use crate::upstream::Ask;
use pos_connect_foundation::refusal::Reason;
use pos_connect_foundation::token::{Hash, random_text};
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::relay::RelayProblemCode;
use std::time::Duration;

/// More random bits than the 128 that a `pickup_id` needs.
const PICKUP_ID: usize = 43;
/// Pause between two attempts to store: until one succeeds, the token set is only in memory.
const STORE_PAUSE: Duration = Duration::from_millis(500);

/// How a pick-up ended.
pub type Outcome = Result<TokenSet, Refusal>;

impl Relay {
    /// The token set of an integration: from the database, or else picked up, once, however many ask.
    pub async fn pick_up(&self, integration: &Integration, request_id: &str) -> Outcome {
        if let Some(outcome) = self.settled(integration).await? {
            return outcome;
        }
        let flight = self.start_pick_up(integration.hash, request_id)?;
        match tokio::time::timeout(self.settings.token_wait, flight.landed()).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => Err(Refusal::fault("a pick-up broke off")),
            // It goes on; the till that asks again joins it.
            Err(_) => Err(crate::upstream::CallError::TimedOut.into()),
        }
    }

    pub(super) fn start_pick_up(
        &self,
        hash: Hash,
        request_id: &str,
    ) -> Result<Flight<Outcome>, Refusal> {
        let (relay, id) = (self.clone(), request_id.to_owned());
        self.pickups
            .join(hash, || async move { relay.fly(hash, &id).await })
            .ok_or_else(|| Refusal::busy("too many pick-ups"))
    }

    /// What needs no call any more.
    async fn settled(&self, integration: &Integration) -> Result<Option<Outcome>, Refusal> {
        match integration.pickup {
            PickupState::None | PickupState::Open => Ok(None),
            PickupState::Lost => Ok(Some(Err(ProblemCode::TokensAlreadyRetrieved.into()))),
            PickupState::Kept => {
                let set = self.store.token_set(&integration.hash).await?;
                let set = set.ok_or_else(|| Refusal::fault("a kept token set is not there"));
                Ok(Some(set.and_then(unless_refused)))
            }
        }
    }

    async fn fly(&self, hash: Hash, request_id: &str) -> Outcome {
        let lease = self.store.lease(&hash).await?;
        let integration = self.store.integration(&hash).await?;
        let integration = integration.ok_or_else(unknown_integration)?;
        if let Some(outcome) = self.settled(&integration).await? {
            return outcome;
        }
        let sealed = &integration.sealed_token;
        let token = self.sealer.open_text(Purpose::Integration, &hash, sealed)?;
        let pickup_id = self.intend(&hash).await?;
        // A service that knows nothing of them might refuse a call that carries one.
        let pickup_id = integration.reissues.then_some(&*pickup_id);
        let mut ask = Ask::Tokens;
        for attempt in 0..self.settings.pickup_attempts {
            self.begin_call(&lease).await?;
            let answer = self.upstream.tokens(ask, &token, pickup_id, request_id);
            match judge(ask, integration.reissues, answer.await) {
                Verdict::Keep(pair, info) => return self.keep(&lease, hash, &pair, info).await,
                Verdict::Instead(other) => ask = other,
                Verdict::Lost(why) => {
                    tracing::error!(integration = %hash.label(), why, "a token set is lost");
                    self.begin_call(&lease).await?;
                    self.store
                        .close_pickup(&hash, PickupState::Lost, self.clock.now())
                        .await?;
                    return Err(ProblemCode::TokensAlreadyRetrieved.into());
                }
                Verdict::Refused(refusal) => {
                    self.store
                        .close_pickup(&hash, PickupState::None, self.clock.now())
                        .await?;
                    return Err(refusal);
                }
                Verdict::Broken(refusal) => return Err(refusal),
                Verdict::Again(refusal, when) => {
                    let cause = refusal.cause.as_deref().unwrap_or(refusal.code.as_str());
                    tracing::warn!(integration = %hash.label(), attempt, cause, "a token call went unanswered");
                    if attempt + 1 == self.settings.pickup_attempts {
                        return Err(refusal);
                    }
                    let when = when.unwrap_or_default().min(pause(u32::MAX));
                    tokio::time::sleep(pause(attempt).max(when)).await;
                }
            }
        }
        Err(Refusal::fault("a pick-up went in circles"))
    }

    /// Writes down that the token set is about to be asked for, and under which id.
    async fn intend(&self, hash: &Hash) -> Result<String, Refusal> {
        let fresh = random_text(PICKUP_ID);
        let fresh = self.sealer.seal(Purpose::Pickup, hash, fresh.as_bytes())?;
        let sealed = self.store.open_pickup(hash, fresh).await?;
        Ok(self.sealer.open_text(Purpose::Pickup, hash, &sealed)?)
    }

    /// On the disk before anybody hears of it.
    async fn keep(&self, lease: &Lease, hash: Hash, pair: &Pair, info: TokenSetInfo) -> Outcome {
        let new = NewTokenSet {
            integration: hash,
            sealed_tokens: pair.seal(&self.sealer, &hash)?,
            handed_out: self.settings.hand_out,
            info,
            now: self.clock.now(),
        };
        // Before it is kept, or somebody would check at once what the service has just said.
        let arriving = self.checked.arrives(hash, self.clock.now());
        loop {
            match self.store.keep(new.clone(), lease).await {
                Ok(true) => break,
                Ok(false) => return Err(taken_over()),
                Err(StoreError::Unavailable(error) | StoreError::Unsupported(error)) => {
                    tracing::error!(integration = %hash.label(), error, "a token set waits for the database");
                    tokio::time::sleep(STORE_PAUSE).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        drop(arriving);
        // The new set if it is refused; else those in whose place it is.
        self.revoke_ended().await;
        let set = self.store.token_set(&hash).await?;
        set.ok_or_else(|| Refusal::fault("a kept token set is not there"))
            .and_then(unless_refused)
    }
}

fn unless_refused(set: TokenSet) -> Outcome {
    match set {
        set if set.refused => Err(RelayProblemCode::OtherAccount.into()),
        // Disconnected before the till had them: they are only there to be revoked.
        set if set.handed_out && set.ended => Err(RelayProblemCode::ConnectionEnded.into()),
        set => Ok(set),
    }
}

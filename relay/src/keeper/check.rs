//! Looks whether what the service knows of a connection has changed: its end, and the merchant's choice of e-receipts.

use super::pick_up::Outcome;
use crate::refusal::{Code, Refusal};
use crate::relay::Relay;
use crate::single_flight::Flight;
use crate::store::TokenSet;
use crate::tokens::Pair;
use crate::upstream::{Reply, refused};
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::AccountResponse;
use pos_connect_protocol::relay::RelayProblemCode;
use std::time::Duration;

/// Checks that one round of `tend` begins: many merchants must not become one storm.
const BATCH: usize = 100;
/// How long a till waits for a check; then it gets what is known, and hears the news with its next call.
const PATIENCE: Duration = Duration::from_secs(2);

impl Relay {
    /// Begins to check the connections whose last check is too old. Nobody waits for it.
    pub(super) async fn check_connections(&self) {
        // Before the list: what is kept meanwhile is not in it.
        let asked = [&self.checked, &self.refreshed].map(|asked| (asked, asked.known()));
        let mut sets = match self.store.connections().await {
            Ok(sets) => sets,
            Err(error) => return tracing::error!(%error, "cannot look for connections to check"),
        };
        sets.retain(is_checkable);
        for (asked, known) in &asked {
            asked.forget_gone(known, &sets);
        }
        self.checked.oldest_first(&mut sets);
        let every = self.settings.check_every;
        let begun = sets.iter().filter_map(|set| self.start_check(set, every));
        let _ = begun.take(BATCH).count();
    }

    /// The token set after a check, if one is due or in the air; what is known counts if that takes too long.
    pub(super) async fn checked(&self, set: TokenSet) -> Result<TokenSet, Refusal> {
        let Some(flight) = self.start_check(&set, self.settings.check_asked) else {
            return Ok(set);
        };
        let _ = tokio::time::timeout(PATIENCE, flight.landed()).await;
        self.stored(&set.integration).await
    }

    fn start_check(&self, set: &TokenSet, every: Duration) -> Option<Flight<Outcome>> {
        let hash = set.integration;
        if !is_checkable(set) || !self.checked.begin(hash, self.clock.now(), every) {
            return self.checks.joined(&hash);
        }
        let relay = self.clone();
        self.checks.join(hash, || async move {
            let outcome = relay.check(hash).await;
            if let Err(refusal) = &outcome {
                let rest = Duration::from_secs(refusal.retry_after.unwrap_or_default());
                relay.checked.rest(hash, relay.clock.now(), rest);
            }
            outcome
        })
    }

    async fn check(&self, hash: Hash) -> Outcome {
        let set = self.stored(&hash).await?;
        let Some(sealed) = set.sealed_tokens.as_ref().filter(|_| is_checkable(&set)) else {
            return Ok(set);
        };
        let pair = Pair::open(&self.sealer, &hash, sealed)?;
        match self.upstream.account(&pair.access_token).await {
            // Without a refresh token nothing tells an end from a service that lacks the call.
            Ok(reply) if reply.status == 401 && pair.refresh_token.is_some() => {
                self.doubt(&set).await
            }
            Ok(reply) if matches!(reply.status, 429 | 500..) => Err(refused(&reply, false)),
            Ok(reply) => {
                if let Some(ereceipt) = choice(&reply).filter(|now| *now != set.info.ereceipt) {
                    self.store.choose(&hash, set.version, ereceipt).await?;
                    tracing::info!(integration = %hash.label(), ereceipt, "the merchant's choice has changed");
                }
                self.stored(&hash).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The service refuses the access token: a refresh tells whether it has only expired.
    pub(super) async fn doubt(&self, set: &TokenSet) -> Outcome {
        let renewed = self.refresh(set).await;
        if let Err(refusal) = &renewed
            && refusal.code == Code::Own(RelayProblemCode::ConnectionEnded)
        {
            self.store.end(set, self.clock.now()).await?;
        }
        renewed
    }
}

/// What the relay may use for its tills.
fn is_checkable(set: &TokenSet) -> bool {
    !set.ended && !set.handed_out && set.sealed_tokens.is_some()
}

/// What the merchant chose, if the answer says it. A service without the call says nothing.
fn choice(reply: &Reply) -> Option<bool> {
    let answered = (reply.status == 200).then(|| reply.body::<AccountResponse>());
    Some(answered??.ereceipt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_says_nothing_changes_nothing() {
        let said = |status, body: &str| choice(&Reply::new(status, body.as_bytes().to_vec()));
        let whole = |ereceipt| {
            format!(
                r#"{{"success":true,"account":{{"id":"a","name":"A"}},"store":{{"id":"s","name":"S"}},
                    "ereceipt":{ereceipt},"expiration":"2026-11-21T10:30:00Z"}}"#
            )
        };
        assert_eq!(said(200, &whole("true")), Some(true));
        assert_eq!(said(200, &whole("false")), Some(false));
        assert_eq!(said(200, &whole("\"no\"")), None);
        assert_eq!(said(200, "<html>"), None);
        assert_eq!(said(404, &whole("true")), None);
    }
}

//! The operations of §1, with the merchant's access token.

use crate::pickup::pause;
use crate::refusal::{Code, Refusal};
use crate::relay::Relay;
use crate::store::TokenSet;
use crate::tokens::Pair;
use crate::upstream::{CallError, IDEMPOTENCY_KEY, Operation, Reply, blocked, refused};
use axum::http::{HeaderMap, Method};
use hyper::body::Bytes;
use pos_connect_protocol::relay::RelayProblemCode;
use serde_json::{Map, Value};

/// The attempts at a call that may be repeated.
const ATTEMPTS: u32 = 3;

/// What a till wants done.
pub struct ForwardedCall {
    /// Which operation.
    pub operation: Operation,
    /// Where: its path, with the external id of an order that is asked for.
    pub path: String,
    /// Headers that are passed on.
    pub headers: HeaderMap,
    /// The body, as the till sent it.
    pub body: Bytes,
}

impl Relay {
    /// What every till of a merchant may know of its connection, if there is one.
    pub async fn connection(&self, merchant: &str) -> Result<Option<TokenSet>, Refusal> {
        let Some(set) = self.store.connection(merchant).await? else {
            return Ok(None);
        };
        let set = self.checked(set).await?;
        Ok(Some(set).filter(|set| !set.ended))
    }

    /// Passes an operation on and its answer back.
    pub async fn operate(&self, merchant: &str, call: &ForwardedCall) -> Result<Reply, Refusal> {
        let set = self.usable(merchant).await?;
        let ended = match self.operate_with(&set, call).await {
            Err(refusal) if refusal.code == Code::Own(RelayProblemCode::ConnectionEnded) => refusal,
            done => return done,
        };
        let newest = self.store.connection(merchant).await?;
        match newest.is_some_and(|newest| newest.integration != set.integration) {
            // The merchant has connected again while the call was on its way.
            true => {
                let newest = self.usable(merchant).await?;
                self.operate_with(&newest, call).await
            }
            false => Err(ended),
        }
    }

    async fn operate_with(&self, set: &TokenSet, call: &ForwardedCall) -> Result<Reply, Refusal> {
        let reply = self.send(set, call).await?;
        if reply.status != 401 {
            return passable(reply);
        }
        // The service did nothing but look at the token, so the call may be sent again with another.
        let renewed = live(self.doubt(set).await?)?;
        let reply = self.send(&renewed, call).await?;
        match reply.status {
            401 if reply.is_the_services() => {
                let refused = Refusal::from(RelayProblemCode::UpstreamRefused);
                Err(refused.because("the service refuses a token that it has just made"))
            }
            401 => Err(blocked(&reply)),
            _ => passable(reply),
        }
    }

    /// The merchant's token set, refreshed if it expires soon.
    async fn usable(&self, merchant: &str) -> Result<TokenSet, Refusal> {
        let set = self.store.connection(merchant).await?;
        let set = live(set.ok_or(RelayProblemCode::NotConnected)?)?;
        let now = self.clock.now();
        let Some(expires_at) = set.info.expires_at else {
            return Ok(set);
        };
        if now < expires_at {
            if now.after(self.settings.refresh_margin) >= expires_at {
                // In time for the next call; this one has a token that still works.
                self.refresh_in_time(set.integration, set.version);
            }
            return Ok(set);
        }
        live(self.refresh(&set).await?)
    }

    /// Repeated only where that does no harm: the service never saw it, or counts it once by its key.
    async fn send(&self, set: &TokenSet, call: &ForwardedCall) -> Result<Reply, Refusal> {
        let sealed = set.sealed_tokens.as_deref();
        let sealed = sealed.ok_or_else(|| Refusal::fault("a token set without tokens"))?;
        let pair = Pair::open(&self.sealer, &set.integration, sealed)?;
        let only_looks = call.operation.method() == Method::GET;
        let counts_once = only_looks || call.headers.contains_key(IDEMPOTENCY_KEY);
        let mut attempt = 1;
        loop {
            let (headers, body) = (call.headers.clone(), call.body.clone());
            let sent = self.upstream.operate(
                call.operation,
                &call.path,
                &pair.access_token,
                headers,
                body,
            );
            let answer = sent.await;
            let again = match &answer {
                Ok(reply) => counts_once && reply.status >= 500,
                Err(CallError::Unreached(_) | CallError::Untrusted(_)) => true,
                Err(CallError::Cut(_)) => counts_once,
                // All of the call's time is gone.
                Err(CallError::TimedOut) => false,
            };
            if !again || attempt == ATTEMPTS {
                return Ok(answer?);
            }
            tokio::time::sleep(pause(attempt - 1)).await;
            attempt += 1;
        }
    }
}

/// A token set that the relay may use.
fn live(set: TokenSet) -> Result<TokenSet, Refusal> {
    match set {
        set if set.ended => Err(RelayProblemCode::ConnectionEnded.into()),
        set if set.handed_out => Err(RelayProblemCode::TokensHandedOut.into()),
        set if set.sealed_tokens.is_none() => Err(RelayProblemCode::ConnectionEnded.into()),
        set => Ok(set),
    }
}

/// What the service says to the till goes through; a redirect, a failure of its own, or a refusal that is no JSON
/// and so somebody else's does not.
fn passable(reply: Reply) -> Result<Reply, Refusal> {
    match reply.status {
        403 if reply.body::<Map<String, Value>>().is_none() => Err(blocked(&reply)),
        200..=299 | 400..=499 => Ok(reply),
        _ => Err(refused(&reply, false)),
    }
}

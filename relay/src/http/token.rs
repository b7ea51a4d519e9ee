//! The token call (§4.4), its acknowledgement, and the merchant's connection.

use super::caller;
use super::incoming::Incoming;
use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::store::{Actor, PickupState, TokenSet, TokenSetInfo};
use crate::tokens::Pair;
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_protocol::relay::ConnectionResponse;
use pos_connect_protocol::{ProblemCode, TokenResponse};

/// §4.4, as often as the till asks: the one pick-up is the relay's.
pub(super) async fn pick_up(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let (caller, subject) = caller::owner(relay, &incoming.head).await?;
    let set = relay
        .pick_up(&subject.integration, &incoming.head.id)
        .await?;
    if set.handed_out {
        return caller.page.json(&handed_out(relay, set)?);
    }
    caller.page.json(&TokenResponse {
        held: true.into(),
        ..known(set.info)
    })
}

/// The answer with the tokens: the same each time, until the till says that it has it.
fn handed_out(relay: &Relay, set: TokenSet) -> Result<TokenResponse, Refusal> {
    let sealed = set.sealed_tokens;
    let sealed = sealed.ok_or(ProblemCode::TokensAlreadyRetrieved)?;
    let pair = Pair::open(&relay.sealer, &set.integration, &sealed)?;
    Ok(TokenResponse {
        access_token: pair.access_token.into(),
        refresh_token: pair.refresh_token.into(),
        acknowledge: true.into(),
        ..known(set.info)
    })
}

/// What both answers to a token call have.
fn known(info: TokenSetInfo) -> TokenResponse {
    TokenResponse {
        success: true.into(),
        expiration: info.expiration.into(),
        ereceipt: info.ereceipt.into(),
        account: info.account.into(),
        store: info.store.into(),
        ..TokenResponse::default()
    }
}

/// The till has the tokens on its own disk: the relay forgets them. Idempotent, and harmless where the relay keeps
/// them.
pub(super) async fn acknowledge(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let (caller, subject) = caller::owner(relay, &incoming.head).await?;
    match subject.integration.pickup {
        PickupState::Kept => {}
        PickupState::Lost => return Err(ProblemCode::TokensAlreadyRetrieved.into()),
        PickupState::None | PickupState::Open => {
            return Err(ProblemCode::TokensNotRetrieved.into());
        }
    }
    let now = relay.clock.now();
    relay
        .store
        .acknowledge(&subject.integration.hash, now)
        .await?;
    Ok(caller.page.answer(StatusCode::NO_CONTENT))
}

/// What every till of the merchant may know.
pub(super) async fn connection(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let caller = caller::anyone(relay, &incoming.head).await?;
    let set = relay.connection(&caller.till.merchant).await?;
    let none = ConnectionResponse {
        success: true,
        ..ConnectionResponse::default()
    };
    caller.page.json(&match set {
        None => none,
        Some(set) => ConnectionResponse {
            connected: true,
            ereceipt: Some(set.info.ereceipt),
            expiration: set.info.expiration,
            account: set.info.account,
            store: set.info.store,
            ..none
        },
    })
}

/// The end of the merchant's connection, for every till. 202: the service has not confirmed it yet.
pub(super) async fn disconnect(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let caller = caller::anyone(relay, &incoming.head).await?;
    let by = Actor::Till(caller.till.label.clone());
    let is_revoked = relay.disconnect(&caller.till.merchant, by).await?;
    Ok(caller.page.answer(match is_revoked {
        true => StatusCode::NO_CONTENT,
        false => StatusCode::ACCEPTED,
    }))
}

//! The token set: picked up once (§4.4), and reissued if that answer was lost (extension).

use super::authentication::{self, Caller};
use super::refusal::Refusal;
use crate::clock::Timestamp;
use crate::service::Service;
use crate::store::Claim;
use crate::token::Hash;
use crate::token_set::Pair;
use axum::extract::Request;
use axum::response::Response;
use pos_connect_protocol::{Account, PickupOwner, ProblemCode, Store, TokenResponse};

/// §4.4: the token set, once.
pub(super) async fn pick_up(service: Service, request: Request) -> Result<Response, Refusal> {
    let (caller, integration, pickup) = authentication::pickup_keys(&service, request).await?;
    match integration.pickup_at(caller.now) {
        Ok(()) => {}
        Err(ProblemCode::TokensAlreadyRetrieved) => {
            return Err(already_retrieved(&service, &integration.hash, pickup, caller.now).await?);
        }
        Err(code) => return Err(code.into()),
    }
    let pair = Pair::mint(service.settings.lifetimes, caller.now);
    // Between the look above and this claim somebody else may have been faster: then it claims nothing.
    let claim = service
        .store
        .claim(integration.hash, pickup, pair.stored, caller.act())
        .await?;
    match claim {
        Some(claim) => hand_out(&caller, pair, claim),
        None => Err(already_retrieved(&service, &integration.hash, pickup, caller.now).await?),
    }
}

/// Extension: another token set in the place of the one whose answer never arrived.
pub(super) async fn reissue(service: Service, request: Request) -> Result<Response, Refusal> {
    let (caller, integration, pickup) = authentication::reissue_keys(&service, request).await?;
    match integration.pickup_at(caller.now) {
        Ok(()) => return Err(ProblemCode::TokensNotRetrieved.into()),
        Err(ProblemCode::TokensAlreadyRetrieved) => {}
        Err(code) => return Err(code.into()),
    }
    let window = service.settings.reissue_window;
    let pair = Pair::mint(service.settings.lifetimes, caller.now);
    let claim = service
        .store
        .reissue(integration.hash, pickup, pair.stored, caller.act(), window)
        .await??;
    hand_out(&caller, pair, claim)
}

/// The 410, which says whose pick-up it was to a call that can be told, and to no other.
async fn already_retrieved(
    service: &Service,
    integration: &Hash,
    pickup: Option<Hash>,
    now: Timestamp,
) -> Result<Refusal, Refusal> {
    let pickup = match pickup {
        None => None,
        Some(pickup) => {
            let set = service.store.token_set(integration).await?;
            set.map(|set| set.pickup_for(&pickup))
        }
    };
    // Who proves that it was theirs has lost the answer, and nobody else has it.
    if pickup != Some(PickupOwner::Yours)
        && let Err(error) = service.store.replayed(*integration, now).await
    {
        tracing::error!(cause = %error, "a vendor cannot be told of a pick-up that came again");
    }
    Ok(Refusal {
        pickup,
        ..ProblemCode::TokensAlreadyRetrieved.into()
    })
}

fn hand_out(caller: &Caller, pair: Pair, claim: Claim) -> Result<Response, Refusal> {
    caller.page.json(&TokenResponse {
        success: true.into(),
        access_token: pair.access_token.into(),
        refresh_token: pair.refresh_token.into(),
        expiration: pair.stored.access_until.to_string().into(),
        ereceipt: claim.ereceipt.into(),
        account: Account {
            id: claim.account_id,
            name: claim.account_name,
        }
        .into(),
        store: Store {
            id: claim.store_id,
            name: claim.store_name,
        }
        .into(),
        ..TokenResponse::default()
    })
}

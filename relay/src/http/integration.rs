//! The operations of §4.1 and §4.2, and `DELETE` (extension), as the till sees them.

use super::caller;
use super::incoming::Incoming;
use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::seal::Purpose;
use crate::store::{Integration, PickupState};
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::{CreateResponse, ProblemCode, Status, StatusResponse};

/// Where the service says nothing about them (§8).
const INTERVAL_SECONDS: f64 = 5.0;
const LIFETIME_SECONDS: f64 = 15.0 * 60.0;

/// §4.1.
pub(super) async fn create(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let caller = caller::creator(relay, &incoming.head).await?;
    let counted = relay.creates.count(caller.till.key, relay.clock.now());
    counted.map_err(Refusal::slow_down)?;
    let created = relay.upstream.create(&incoming.head.id).await?;
    let token = created.integration_token;
    let hash = Hash::of(&token);
    let integration = Integration {
        hash,
        till: caller.till.label.clone(),
        merchant: caller.till.merchant.clone(),
        sealed_token: relay
            .sealer
            .seal(Purpose::Integration, &hash, token.as_bytes())?,
        reissues: created.reissues,
        sealed_pickup: None,
        pickup: PickupState::None,
    };
    let now = relay.clock.now();
    relay.store.add_integration(integration, now).await?;
    caller.page.json(&CreateResponse {
        success: true.into(),
        integration_token: token.into(),
        interval: whole(created.interval.unwrap_or(INTERVAL_SECONDS)).into(),
        expires_in: whole(created.expires_in.unwrap_or(LIFETIME_SECONDS)).into(),
        // A till's own token call can be repeated: the relay cures what is lost between it and the service.
        pickup: false.into(),
        code: created.code.into(),
    })
}

/// §4.2.
pub(super) async fn status(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let (caller, subject) = caller::owner(relay, &incoming.head).await?;
    if subject.integration.pickup == PickupState::Kept {
        return caller.page.json(&StatusResponse {
            success: true.into(),
            status: Status::Finished.into(),
            ..StatusResponse::default()
        });
    }
    let standing = relay
        .upstream
        .status(&subject.token, &incoming.head.id)
        .await?;
    caller.page.json(&StatusResponse {
        success: true.into(),
        status: standing.status.into(),
        interval: standing.interval.map(whole).into(),
        expires_in: standing.expires_in.map(whole).into(),
        reason: standing.reason.into(),
        opened: standing.is_opened.then_some(true).into(),
    })
}

/// Extension: the till gives up. Idempotent.
pub(super) async fn cancel(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let (caller, subject) = caller::owner(relay, &incoming.head).await?;
    if subject.integration.pickup == PickupState::Kept {
        return Err(ProblemCode::IntegrationFinished.into());
    }
    relay
        .upstream
        .cancel(&subject.token, &incoming.head.id)
        .await?;
    Ok(caller.page.answer(StatusCode::NO_CONTENT))
}

/// Seconds as the wire has them; a nonsensical number becomes the nearest possible one.
fn whole(seconds: f64) -> u32 {
    // `as` stops at the ends of u32.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let seconds = seconds.ceil() as u32;
    seconds
}

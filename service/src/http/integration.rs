//! The operations of §4.1, §4.2 and §4.4, and `DELETE` (extension).

use super::authentication;
use super::refusal::Refusal;
use crate::service::Service;
use crate::token::{Hash, Kind};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_protocol::{
    Account, CreateResponse, ProblemCode, Status, StatusReason, StatusResponse, TokenResponse,
};

/// §4.1.
pub(super) async fn create(service: Service, request: Request) -> Result<Response, Refusal> {
    let caller = authentication::vendor(&service, &request)?;
    drop(request);
    let integration_token = Kind::Integration.mint();
    let expires_at = caller.now.after(service.settings.integration_ttl);
    let hash = Hash::of(&integration_token);
    service
        .store
        .create_integration(caller.vendor.id, hash, caller.now, expires_at)
        .await?;
    caller.json(&CreateResponse {
        success: true,
        integration_token,
        interval: interval(&service),
        expires_in: caller.now.seconds_until(expires_at),
    })
}

/// §4.2.
pub(super) fn status(service: &Service, request: &Request) -> Result<Response, Refusal> {
    let (caller, integration) = authentication::keys(service, request)?;
    let (status, reason) = integration.status_at(caller.now);
    service
        .polls
        .admit(&integration.hash, status, caller.now)
        .map_err(Refusal::slow_down)?;
    let pending = status == Status::Pending;
    caller.json(&StatusResponse {
        success: true,
        status,
        interval: pending.then(|| interval(service)),
        expires_in: pending.then(|| caller.now.seconds_until(integration.expires_at)),
        reason,
    })
}

/// Extension: the till gives up. Idempotent.
pub(super) async fn cancel(service: Service, request: Request) -> Result<Response, Refusal> {
    let (caller, integration) = authentication::keys(&service, &request)?;
    drop(request);
    let cancelled = match integration.status_at(caller.now).0 {
        Status::Finished => false,
        Status::Cancelled => true,
        Status::Pending => {
            let now = service.clock.now();
            service
                .store
                .cancel(integration.hash, StatusReason::Till, now)
                .await?
                || service.store.status(&integration.hash, now)? == Some(Status::Cancelled)
        }
    };
    match cancelled {
        true => Ok(caller.answer(StatusCode::NO_CONTENT)),
        false => Err(ProblemCode::IntegrationFinished.into()),
    }
}

/// §4.4: the token set, once.
pub(super) async fn token(service: Service, request: Request) -> Result<Response, Refusal> {
    let (caller, integration) = authentication::keys(&service, &request)?;
    drop(request);
    integration.pickup_at(caller.now).map_err(Refusal::from)?;
    let (access_token, refresh_token) = (Kind::Access.mint(), Kind::Refresh.mint());
    let (access, refresh) = (Hash::of(&access_token), Hash::of(&refresh_token));
    let expiration = caller.now.after(service.settings.access_ttl);
    // Between the look above and this claim somebody else may have been faster: then it claims nothing.
    let claim = service
        .store
        .claim(integration.hash, access, refresh, caller.now, expiration)
        .await?;
    let claim = claim.ok_or(ProblemCode::TokensAlreadyRetrieved)?;
    caller.json(&TokenResponse {
        success: true,
        access_token,
        refresh_token,
        expiration: expiration.to_string(),
        ereceipt: claim.ereceipt,
        account: Account {
            id: claim.account_id,
            name: claim.account_name,
        },
    })
}

fn interval(service: &Service) -> u32 {
    u32::try_from(service.settings.interval.as_secs()).unwrap_or(u32::MAX)
}

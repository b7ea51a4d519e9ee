//! The operations of §4.1 and §4.2, and `DELETE` (extension).

use super::authentication;
use super::refusal::Refusal;
use crate::integration::code;
use crate::service::Service;
use crate::sign_in::network;
use crate::store::Act;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_protocol::{CreateResponse, ProblemCode, Status, StatusReason, StatusResponse};

/// §4.1.
pub(super) async fn create(service: Service, request: Request) -> Result<Response, Refusal> {
    let caller = authentication::vendor(&service, request).await?;
    if let Some(address) = caller.address {
        // A vendor's two relays may have one address: tests take nothing from real tills.
        let from = [caller.mode.prefix(), &network(address)].concat();
        let counted = service.creates_from.count(from, caller.now);
        counted.map_err(Refusal::slow_down)?;
    }
    let counted = service.creates.count(caller.vendor, caller.now);
    counted.map_err(Refusal::slow_down)?;
    let admitted = service
        .pending
        .admit(&service.store, caller.vendor, caller.now);
    admitted.await?.map_err(|full| {
        let reason = format!("{} integrations of the vendor are pending", full.count);
        Refusal::slow_down(full.wait).because(reason)
    })?;
    let expires_at = caller.now.after(service.settings.integration_ttl);
    let created = service
        .store
        .create_integration(caller.vendor, caller.now, expires_at)
        .await?;
    let integration_token = created.ok_or(Refusal::busy("no four digits are free"))?;
    let code = code(&integration_token);
    caller.page.json(&CreateResponse {
        success: true.into(),
        integration_token: integration_token.into(),
        interval: interval(&service).into(),
        expires_in: caller.now.seconds_until(expires_at).into(),
        pickup: true.into(),
        code: code.into(),
    })
}

/// §4.2.
pub(super) async fn status(service: &Service, request: Request) -> Result<Response, Refusal> {
    let (caller, integration) = authentication::keys(service, request).await?;
    let (status, reason) = integration.status_at(caller.now);
    service
        .polls
        .admit(&integration.hash, status, caller.now)
        .map_err(Refusal::slow_down)?;
    let pending = status == Status::Pending;
    caller.page.json(&StatusResponse {
        success: true.into(),
        status: status.into(),
        interval: pending.then(|| interval(service)).into(),
        expires_in: pending
            .then(|| caller.now.seconds_until(integration.expires_at))
            .into(),
        reason: reason.into(),
        opened: (pending && integration.is_opened).then_some(true).into(),
    })
}

/// Extension: the till gives up. Idempotent.
pub(super) async fn cancel(service: Service, request: Request) -> Result<Response, Refusal> {
    let (caller, integration) = authentication::keys(&service, request).await?;
    let cancelled = match integration.status_at(caller.now).0 {
        Status::Finished => false,
        Status::Cancelled => true,
        Status::Pending => {
            let now = service.clock.now();
            service
                .store
                .cancel(
                    integration.hash,
                    StatusReason::Till,
                    Act {
                        now,
                        ..caller.act()
                    },
                )
                .await?
                || service.store.status(&integration.hash, now).await? == Some(Status::Cancelled)
        }
    };
    match cancelled {
        true => Ok(caller.page.answer(StatusCode::NO_CONTENT)),
        false => Err(ProblemCode::IntegrationFinished.into()),
    }
}

fn interval(service: &Service) -> u32 {
    u32::try_from(service.settings.interval.as_secs()).unwrap_or(u32::MAX)
}

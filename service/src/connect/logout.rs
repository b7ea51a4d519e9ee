//! A provider says that a merchant has signed out there: pages that are open here end, too.

use crate::http::body;
use crate::http::refusal::Refusal;
use crate::oidc::{SignInFault, issuer_of};
use crate::service::Service;
use crate::store::{Act, Actor};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use pos_connect_foundation::query::Parameters;
use pos_connect_protocol::{Mode, ProblemCode};

/// The path for all providers: the token says whose it is.
pub(super) const PATH: &str = "/backchannel-logout";

pub(super) async fn on_logout(service: Service, request: Request) -> Result<Response, Refusal> {
    if *request.method() != Method::POST {
        return Err(Refusal::method_not_allowed("POST"));
    }
    let (head, body) = request.into_parts();
    let body = body::form(&head.headers, body).await?;
    let [token] = Parameters::parse(&body, ["logout_token"])?.required(1)?;
    let act = Act {
        actor: Actor::Visitor(Some(Mode::Live)),
        address: service.address_of(&head),
        now: service.clock.now(),
    };
    let issuer = issuer_of(&token);
    let mut providers = service.providers.iter();
    let provider = providers.find(|one| Some(&one.settings.issuer) == issuer.as_ref());
    let signed_out = match provider {
        Some(provider) => {
            let subject = provider.signed_out(&token, act.now).await;
            subject.map(|subject| (provider.settings.issuer.clone(), subject))
        }
        None => Err(SignInFault::Issuer),
    };
    match signed_out {
        Ok((issuer, subject)) => {
            service.store.sign_out(issuer, subject, act).await?;
            Ok(StatusCode::OK.into_response())
        }
        Err(fault) => {
            let cause = fault.event();
            tracing::info!(cause, "a provider's logout token is refused");
            service.store.refuse_login(REFUSED, None, act).await?;
            Err(match fault {
                SignInFault::Unreached => Refusal::busy("the provider's keys are not known"),
                _ => ProblemCode::MalformedRequest.into(),
            })
        }
    }
}

/// The event in the audit.
const REFUSED: &str = "sign_out.refused";

//! Refresh (RFC 6749 §6) and revocation (RFC 7009), both extensions: the parameters are in a form body.

use super::authentication::{self, Caller};
use super::body;
use super::refusal::Refusal;
use crate::service::Service;
use crate::token::Kind;
use crate::token_set::Pair;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::response::Response;
use pos_connect_foundation::query::{self, Parameters};
use pos_connect_protocol::{ProblemCode, RefreshResponse, RevokeResponse, parameter};

const REFRESH: [&str; 4] = [
    parameter::CLIENT_ID,
    parameter::CLIENT_SECRET,
    parameter::GRANT_TYPE,
    parameter::REFRESH_TOKEN,
];
const REVOKE: [&str; 3] = [
    parameter::CLIENT_ID,
    parameter::CLIENT_SECRET,
    parameter::TOKEN,
];

/// A refresh token for a new pair; the old pair is no longer valid.
pub(super) async fn refresh(service: Service, request: Request) -> Result<Response, Refusal> {
    let (head, body) = read(request).await?;
    let [client_id, secret, grant, token] = Parameters::parse(&body, REFRESH)?.required(3)?;
    let wrong = |code, name| Err(Refusal::parameter(code, name));
    if grant != parameter::GRANT_REFRESH {
        return wrong(ProblemCode::UnsupportedGrantType, parameter::GRANT_TYPE);
    }
    if token.is_empty() {
        return wrong(ProblemCode::MissingParameter, parameter::REFRESH_TOKEN);
    }
    let caller = authentication::credentials(&service, &head, &client_id, &secret).await?;
    let Some(token) = Kind::Refresh.digest(&token) else {
        return wrong(ProblemCode::InvalidGrant, parameter::REFRESH_TOKEN);
    };
    let pair = Pair::mint(service.settings.lifetimes, caller.now);
    let (vendor, stored) = (caller.vendor, pair.stored);
    let refreshed = service
        .store
        .refresh(vendor, token, stored, caller.act())
        .await?;
    match refreshed {
        Some(Ok(claim)) => answer(&caller, pair, claim.ereceipt),
        Some(Err(wait)) => Err(Refusal::slow_down(wait)),
        None => wrong(ProblemCode::InvalidGrant, parameter::REFRESH_TOKEN),
    }
}

/// The end of a token set, by either of its tokens. Says the same of any other token.
pub(super) async fn revoke(service: Service, request: Request) -> Result<Response, Refusal> {
    let (head, body) = read(request).await?;
    let [client_id, secret, token] = Parameters::parse(&body, REVOKE)?.required(3)?;
    let caller = authentication::credentials(&service, &head, &client_id, &secret).await?;
    let token = Kind::Access
        .digest(&token)
        .or_else(|| Kind::Refresh.digest(&token));
    if let Some(token) = token {
        service
            .store
            .revoke(caller.vendor, token, caller.act())
            .await?;
    }
    caller.page.json(&RevokeResponse { success: true })
}

/// A secret in the URL would be a mistake worth noticing (RFC 6749 §2.3.1): these two take no query at all.
async fn read(request: Request) -> Result<(Parts, String), Refusal> {
    let (head, body) = request.into_parts();
    match head.uri.query() {
        Some(long) if long.len() > query::MAX_LENGTH => Err(ProblemCode::UriTooLong.into()),
        Some(query) if !query.is_empty() => Err(ProblemCode::MalformedRequest.into()),
        _ => {
            let body = body::form(&head.headers, body).await?;
            Ok((head, body))
        }
    }
}

fn answer(caller: &Caller, pair: Pair, ereceipt: bool) -> Result<Response, Refusal> {
    let until = pair.stored.access_until;
    caller.page.json(&RefreshResponse {
        success: true.into(),
        access_token: pair.access_token.into(),
        token_type: "Bearer".into(),
        expires_in: caller.now.seconds_until(until).into(),
        refresh_token: pair.refresh_token.into(),
        expiration: until.to_string().into(),
        ereceipt: ereceipt.into(),
    })
}

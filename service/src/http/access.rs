//! Calls with an access token: whom it speaks for.

use super::authentication::{self, Caller};
use super::refusal::Refusal;
use crate::service::Service;
use crate::store::{TokenOwner, TokenUse};
use crate::token::{Hash, Kind};
use axum::extract::Request;
use axum::http::Method;
use axum::http::header::{self, HeaderMap};
use axum::http::request::Parts;
use pos_connect_protocol::header::TILL_ID;
use pos_connect_protocol::{ProblemCode, parameter};

/// Longest `Till-Id`, in bytes.
const LONGEST_TILL: usize = 64;

/// Lets in whom the access token speaks for. It is counted as used: whoever sends it proves that it arrived.
pub(super) async fn authenticate(
    service: &Service,
    head: &Parts,
) -> Result<(Caller, TokenOwner), Refusal> {
    let [in_query] = authentication::read_query(&head.uri, [parameter::ACCESS_TOKEN], 0)?;
    if !in_query.is_empty() {
        let code = ProblemCode::InvalidParameter;
        return Err(Refusal::parameter(code, parameter::ACCESS_TOKEN));
    }
    authentication::refuse_prefetch(&head.headers)?;
    let token = bearer(&head.headers)?.ok_or(ProblemCode::InvalidToken)?;
    let now = service.clock.now();
    let access = service.store.access(&token, now).await?;
    let access = access.ok_or(ProblemCode::InvalidToken)?;
    let caller = Caller::admit(service, (access.vendor, access.mode), head, now).await?;
    let call = TokenUse {
        at: now,
        looks: head.method == Method::GET,
    };
    // Its place may have been taken since the look above: then it is not valid any more.
    if !call.is_noted(access.used_at) && !service.store.mark_used(token, call).await? {
        return Err(ProblemCode::InvalidToken.into());
    }
    Ok((caller, access))
}

/// Lets in a call that only looks, which has no body.
pub(super) async fn look(
    service: &Service,
    request: Request,
) -> Result<(Parts, Caller, TokenOwner), Refusal> {
    authentication::refuse_body(&request)?;
    let (head, _) = request.into_parts();
    let (caller, access) = authenticate(service, &head).await?;
    let looks = service
        .looks
        .count((access.vendor, access.store), caller.now);
    looks.map_err(Refusal::slow_down)?;
    Ok((head, caller, access))
}

/// Which till calls, if a relay says so.
pub(super) fn till(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let mut values = headers.get_all(TILL_ID).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let is_id = |id: &&str| {
        (1..=LONGEST_TILL).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match (value.to_str().ok().filter(is_id), values.next()) {
        (Some(id), None) => Ok(Some(id.to_owned())),
        _ => Err(Refusal::parameter(ProblemCode::InvalidParameter, TILL_ID)),
    }
}

/// The hash of the access token in the one Authorization header (RFC 6750 §2.1); `None` for one that cannot be valid.
fn bearer(headers: &HeaderMap) -> Result<Option<Hash>, Refusal> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (value, another) = (values.next(), values.next());
    if another.is_some() {
        return Err(ProblemCode::MalformedRequest.into());
    }
    let text = value.and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    let (scheme, token) = text
        .and_then(|text| text.split_once(' '))
        .unwrap_or_default();
    match scheme.eq_ignore_ascii_case("bearer") {
        true => Ok(Kind::Access.digest(token.trim_matches(' '))),
        false => Err(ProblemCode::MissingToken.into()),
    }
}

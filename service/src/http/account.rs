//! Whose token set an access token belongs to (extension). It is also how a till proves that the token set arrived.

use super::authentication::{self, Caller};
use super::refusal::Refusal;
use crate::service::Service;
use crate::token::{Hash, Kind};
use axum::extract::Request;
use axum::http::header::{self, HeaderMap};
use axum::response::Response;
use pos_connect_protocol::{Account, AccountResponse, ProblemCode, Store, parameter};

pub(super) async fn account(service: Service, request: Request) -> Result<Response, Refusal> {
    let [in_query] = authentication::read(&request, [parameter::ACCESS_TOKEN], 0)?;
    if !in_query.is_empty() {
        let code = ProblemCode::InvalidParameter;
        return Err(Refusal::parameter(code, parameter::ACCESS_TOKEN));
    }
    authentication::refuse_prefetch(request.headers())?;
    let token = bearer(request.headers())?.ok_or(ProblemCode::InvalidToken)?;
    let now = service.clock.now();
    let access = service.store.access(&token, now)?;
    let access = access.ok_or(ProblemCode::InvalidToken)?;
    let caller = Caller::admit(&service, access.vendor, request.headers(), now)?;
    drop(request);
    // Its place may have been taken since the look above: then it is not valid any more, and was never used.
    if !access.used && !service.store.mark_used(token, now).await? {
        return Err(ProblemCode::InvalidToken.into());
    }
    caller.json(&AccountResponse {
        success: true,
        account: Account {
            id: access.account_id,
            name: access.account_name,
        },
        store: Store {
            id: access.store_id,
            name: access.store_name,
        },
        ereceipt: access.ereceipt,
        expiration: access.until.to_string(),
    })
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

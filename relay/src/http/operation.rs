//! The operations of §1, passed on.

use super::caller::Caller;
use super::incoming::Incoming;
use crate::keeper::ForwardedCall;
use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::upstream::{Operation, PASSED_BACK, PASSED_ON, Reply};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Bytes;
use pos_connect_foundation::answer::REQUEST_ID;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::header::TILL_ID;
use pos_connect_protocol::order::{external_id_in, path_of};
use pos_connect_protocol::relay::RelayProblemCode;

pub(super) async fn pass_on(
    relay: &Relay,
    incoming: Incoming,
    operation: Operation,
) -> Result<Response, Refusal> {
    let Incoming { head, body } = incoming;
    let caller = Caller::admit(relay, &head).await?;
    // None of them has a parameter; what is not passed on must not seem to be.
    if head
        .parts
        .uri
        .query()
        .is_some_and(|query| !query.is_empty())
    {
        return Err(ProblemCode::MalformedRequest.into());
    }
    let mut headers = chosen(&head.parts.headers, &PASSED_ON);
    if let Ok(id) = HeaderValue::from_str(&head.id) {
        headers.insert(REQUEST_ID, id);
    }
    // Tills of one merchant share its access token: the service tells them, and their orders, apart by this.
    if let Ok(label) = HeaderValue::from_str(&caller.till.label) {
        headers.insert(HeaderName::from_static(TILL_ID), label);
    }
    let limit = relay.settings.body_limit;
    let body = read(relay, &head.parts.headers, body, limit).await?;
    let call = ForwardedCall {
        operation,
        path: path(operation, head.parts.uri.path())?,
        headers,
        body,
    };
    let reply = relay.operate(&caller.till.merchant, &call).await?;
    Ok(caller.page.answer(pass_back(reply)))
}

/// What the service is asked for. An external id is written anew: nothing of the caller's path goes further.
fn path(operation: Operation, asked: &str) -> Result<String, Refusal> {
    match operation {
        Operation::ReadOrder => {
            let id = external_id_in(asked).ok_or(ProblemCode::MalformedRequest)?;
            Ok(path_of(&id))
        }
        _ => Ok(operation.path().to_owned()),
    }
}

/// A body of at most `limit` bytes.
pub(super) async fn read(
    relay: &Relay,
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<Bytes, Refusal> {
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(RelayProblemCode::BodyTooLarge.into());
    }
    let whole = Limited::new(body, limit).collect();
    let Ok(whole) = tokio::time::timeout(relay.settings.body_wait, whole).await else {
        return Err(RelayProblemCode::RequestTimeout.into());
    };
    match whole {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(RelayProblemCode::BodyTooLarge.into()),
        Err(_) => Err(ProblemCode::MalformedRequest.into()),
    }
}

fn pass_back(reply: Reply) -> Response {
    let mut headers = chosen(&reply.headers, &PASSED_BACK);
    // In seconds, whatever the service or a proxy wrote: a date would be read by the till's clock.
    let wait = reply.retry_after();
    if let Some(seconds) = wait.or((reply.status == 429).then_some(5)) {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() =
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    response
}

fn chosen(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    // All of a name: what the service refuses when it comes twice must not come once.
    let named = |name: &HeaderName| -> Vec<_> {
        let values = headers.get_all(name).iter();
        values.map(|value| (name.clone(), value.clone())).collect()
    };
    names.iter().flat_map(named).collect()
}

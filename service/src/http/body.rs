//! JSON bodies: how long, and for how long, they are read.

use super::refusal::Refusal;
use axum::body::{Body, to_bytes};
use axum::http::header::{self, HeaderMap};
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::header::IDEMPOTENCY_KEY;
use pos_connect_protocol::json::Json;
use std::time::Duration;

/// 1 MiB: a thousand customers with all that a till knows of them.
pub(super) const MAX_BODY: usize = 1024 * 1024;
/// A list of customers takes a second on a slow line; whoever takes longer holds the connection on purpose.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest `Idempotency-Key`.
const LONGEST_KEY: usize = 64;

/// Reads a body whose media type is one of these.
pub(super) async fn read(headers: &HeaderMap, body: Body, types: &[&str]) -> Result<Json, Refusal> {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind
        .and_then(|kind| kind.split(';').next())
        .unwrap_or_default()
        .trim();
    if !types.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
        return Err(ProblemCode::UnsupportedMediaType.into());
    }
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok());
    if announced
        .and_then(|length| length.parse().ok())
        .is_some_and(|length: u64| length > MAX_BODY as u64)
    {
        return Err(ProblemCode::ContentTooLarge.into());
    }
    // One byte more than is read, to tell a body that is too long from a connection that broke off.
    let read = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await;
    match read {
        Ok(Ok(bytes)) => {
            serde_json::from_slice(&bytes).map_err(|_| ProblemCode::MalformedRequest.into())
        }
        Ok(Err(error)) if is_too_long(&error) => Err(ProblemCode::ContentTooLarge.into()),
        _ => Err(ProblemCode::MalformedRequest.into()),
    }
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if error.is::<http_body_util::LengthLimitError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The `Idempotency-Key`, if there is one.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let key = value.to_str().ok().filter(|key| is_key(key));
    match (key, values.next()) {
        (Some(key), None) => Ok(Some(key.to_owned())),
        _ => Err(ProblemCode::InvalidIdempotencyKey.into()),
    }
}

fn is_key(key: &str) -> bool {
    (1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

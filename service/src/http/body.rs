//! Bodies: how long, and for how long, they are read.

use super::refusal::Refusal;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{self, HeaderMap};
use pos_connect_foundation::openapi::media;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::json::Json;
use std::time::Duration;

/// What a body may be.
struct Limits {
    bytes: usize,
    /// Whoever takes longer holds the connection on purpose.
    time: Duration,
}

/// A thousand customers with all that a till knows of them take a second on a slow line.
const JSON: Limits = Limits {
    bytes: 1024 * 1024,
    time: Duration::from_secs(30),
};
/// A form arrives in one packet or two.
const FORM: Limits = Limits {
    bytes: 16 * 1024,
    time: Duration::from_secs(10),
};
/// Some programs write it before a text in UTF-8. It says nothing there (RFC 8259 §8.1).
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a body whose media type is one of these, which should be JSON.
pub(crate) async fn json(
    headers: &HeaderMap,
    body: Body,
    types: &[&str],
) -> Result<Bytes, Refusal> {
    read(headers, body, types, JSON).await
}

/// What such a body says. It can take twenty times its bytes, so nobody waits for anything with it in hand.
pub(crate) fn parsed(body: &[u8]) -> Result<Json, Refusal> {
    serde_json::from_slice(body).map_err(|_| ProblemCode::MalformedRequest.into())
}

/// Reads a form (`application/x-www-form-urlencoded`).
pub(crate) async fn form(headers: &HeaderMap, body: Body) -> Result<String, Refusal> {
    let bytes = read(headers, body, &[media::FORM], FORM).await?;
    String::from_utf8(bytes.into()).map_err(|_| ProblemCode::MalformedRequest.into())
}

async fn read(
    headers: &HeaderMap,
    body: Body,
    types: &[&str],
    limits: Limits,
) -> Result<Bytes, Refusal> {
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
    if is_encoded(headers) {
        return Err(Refusal::encoded_body());
    }
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok());
    if announced
        .and_then(|length| length.parse().ok())
        .is_some_and(|length: u64| length > limits.bytes as u64)
    {
        return Err(ProblemCode::ContentTooLarge.into());
    }
    match tokio::time::timeout(limits.time, to_bytes(body, limits.bytes)).await {
        Ok(Ok(bytes)) if bytes.starts_with(BYTE_ORDER_MARK) => {
            Ok(bytes.slice(BYTE_ORDER_MARK.len()..))
        }
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_too_long(&error) => Err(ProblemCode::ContentTooLarge.into()),
        _ => Err(ProblemCode::MalformedRequest.into()),
    }
}

/// Whether something was done to the body that would have to be undone, as by `gzip`.
fn is_encoded(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let is_plain = |coding: &str| {
        let coding = coding.trim();
        coding.is_empty() || coding.eq_ignore_ascii_case("identity")
    };
    !codings
        .map(|coding| coding.to_str().unwrap_or("unknown"))
        .all(|codings| codings.split(',').all(is_plain))
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

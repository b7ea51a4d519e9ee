//! Form bodies (`application/x-www-form-urlencoded`): how long, and for how long, they are read.

use super::refusal::Refusal;
use axum::body::{Body, to_bytes};
use axum::http::{header, request};
use pos_connect_protocol::ProblemCode;
use std::time::Duration;

const MAX_BODY: usize = 16 * 1024;
/// A form arrives in one packet or two; whoever takes longer holds the connection on purpose.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) async fn read_body(head: &request::Parts, body: Body) -> Result<String, Refusal> {
    let kind = head
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let form = kind.eq_ignore_ascii_case("application/x-www-form-urlencoded");
    let read = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await;
    match (form, read) {
        (true, Ok(Ok(bytes))) => {
            String::from_utf8(bytes.into()).map_err(|_| ProblemCode::MalformedRequest.into())
        }
        _ => Err(ProblemCode::MalformedRequest.into()),
    }
}

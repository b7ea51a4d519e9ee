//! What makes a repeated call the same call (draft-ietf-httpapi-idempotency-key-header).

use crate::refusal::{Reason, Refusal};
use axum::http::header::HeaderMap;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::header::IDEMPOTENCY_KEY;

const LONGEST: usize = 64;

/// The `Idempotency-Key`, if there is one.
pub fn read<C: Reason>(headers: &HeaderMap) -> Result<Option<String>, Refusal<C>> {
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
    (1..=LONGEST).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

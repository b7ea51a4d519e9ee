//! Keys in `Authorization: Bearer` (RFC 6750).

use crate::token::Kind;
use axum::http::header::{self, HeaderMap};

/// The key of this kind; the scheme in any letter case (RFC 9110 §11.1), one header only.
pub fn bearer(headers: &HeaderMap, kind: Kind) -> Option<&str> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(only), None) = (sent.next(), sent.next()) else {
        return None;
    };
    let (scheme, key) = only.to_str().ok()?.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && kind.digest(key).is_some()).then_some(key)
}

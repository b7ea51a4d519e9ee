//! What every answer has in common: its headers and its id.

use axum::http::Method;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What an answer can be found by in the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Nothing is cached, nothing is sniffed, and a page that may read the answer may read its id.
pub fn common_headers(headers: &mut HeaderMap, id: &str) {
    let value = HeaderValue::from_static;
    // On all of them: by default even a 404, 405, 410 or 414 may be cached.
    headers.insert(header::CACHE_CONTROL, value("no-store"));
    headers
        .entry(header::REFERRER_POLICY)
        .or_insert(value("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, value("nosniff"));
    headers.insert(header::VARY, value("Origin"));
    if headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            value("Retry-After, X-Request-Id, Idempotent-Replayed"),
        );
    }
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
}

/// Longest method that a log shows whole.
const MAX_METHOD: usize = 16;

/// A method as it goes into a log: the caller chooses it, and it can be as long as the head.
pub fn shown_method(method: &Method) -> &str {
    let name = method.as_str();
    name.get(..MAX_METHOD).unwrap_or(name)
}

/// Longest id of a caller's own that is kept.
const MAX_ID: usize = 64;

/// The caller's own id where it is harmless in a log, so that one id finds a call on its whole way; else a new one.
pub fn request_id(headers: &HeaderMap) -> String {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    given
        .filter(|id| (1..=MAX_ID).contains(&id.len()) && id.bytes().all(is_known))
        .map_or_else(next_request_id, str::to_owned)
}

/// Unique across restarts (32 random bits) and within one (a counter), without asking for randomness at every request.
fn next_request_id() -> String {
    static START: LazyLock<u32> = LazyLock::new(|| getrandom::u32().unwrap_or_default());
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!(
        "{:08x}-{:08x}",
        *START,
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_cut_for_the_log() {
        assert_eq!(shown_method(&Method::DELETE), "DELETE");
        let long = Method::from_bytes(&[b'A'; 4096]).unwrap();
        assert_eq!(shown_method(&long), "A".repeat(MAX_METHOD));
    }
}

//! What every answer of the service goes through.

use super::refusal::Refusal;
use axum::http::header::{HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::response::Response;
use pos_connect_foundation::answer::Call;
use pos_connect_protocol::header::TEST_MODE;
use pos_connect_protocol::path::{CONNECT, INTEGRATION_TOKEN, REVOKE, TOKEN};
use pos_connect_protocol::{Mode, Problem};
use std::sync::{Arc, OnceLock};

/// The mode of the vendor who calls, once that is known: from then on the answer has it, and a refusal, too.
#[derive(Clone, Default)]
pub(crate) struct CallerMode(Arc<OnceLock<Mode>>);

impl CallerMode {
    /// The call is this vendor's.
    pub(crate) fn tell(head: &Parts, mode: Mode) {
        if let Some(Self(known)) = head.extensions.get() {
            known.get_or_init(|| mode);
        }
    }
}

/// Marks an answer of test mode.
pub(crate) fn mark(mode: Mode, response: &mut Response) {
    if mode == Mode::Test {
        let name = HeaderName::from_static(TEST_MODE);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static("true"));
    }
}

/// Answers a call: runs `work` and finishes what it gives.
pub(crate) async fn respond(
    call: Call,
    mode: CallerMode,
    work: impl Future<Output = Result<Response, Refusal>>,
) -> Response {
    let path = call.path;
    let is_oauth = path == TOKEN || path == REVOKE;
    let problem = |refusal: &Refusal, id: &str| Problem {
        error: refusal.code.oauth_error().filter(|_| is_oauth).into(),
        ..refusal.problem(id)
    };
    let is_polled = path != INTEGRATION_TOKEN;
    let mut response = call.answer(work, is_polled, problem).await;
    if let Some(mode) = mode.0.get() {
        mark(*mode, &mut response);
    }
    if path == CONNECT {
        frame_headers(response.headers_mut());
    }
    response
}

/// What a frame needs to be told even by a refusal that never came as far as a page. An isolated till shows nothing
/// else.
fn frame_headers(headers: &mut HeaderMap) {
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "cross-origin"),
    ] {
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(HeaderValue::from_static(value));
    }
}

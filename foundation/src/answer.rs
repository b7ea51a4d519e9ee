//! What every answer has in common: its id, its headers, and its line in the log.

use crate::metrics;
use crate::refusal::{Reason, Refusal};
use crate::server::Ending;
use crate::trace;
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use pos_connect_protocol::{Problem, ProblemCode};
use std::future::pending;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tracing::{Instrument, Span};

/// What an answer can be found by in the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A request at one of the program's paths (or at none), until it is answered.
pub struct Call {
    /// As it stands in the log: never one that the caller chose.
    pub path: &'static str,
    /// Its method.
    pub method: Method,
    /// What the answer can be found by.
    pub id: String,
    started: Instant,
    /// `None` without a socket.
    ending: Option<Ending>,
    span: Span,
}

impl Call {
    /// A request that has come in.
    pub fn at(path: &'static str, request: &Request) -> Self {
        let (method, id) = (request.method().clone(), request_id(request.headers()));
        Self {
            span: trace::incoming(path, shown_method(&method), request.headers(), &id),
            path,
            method,
            id,
            started: Instant::now(),
            ending: request.extensions().get().cloned(),
        }
    }

    /// The answer that `work` comes to, with the headers of all answers; counts, and logs. `problem` gives a refusal's
    /// body. A `polled` path is asked so often that reads of it which go well would bury the rest of the log.
    pub async fn answer<C: Reason>(
        self,
        work: impl Future<Output = Result<Response, Refusal<C>>>,
        is_polled: bool,
        problem: impl FnOnce(&Refusal<C>, &str) -> Problem,
    ) -> Response {
        let outcome = tokio::select! {
            biased;
            outcome = work.instrument(self.span.clone()) => outcome,
            // Unlike one for which there is no room, this call may have changed something.
            () = self.ending() => Err(Refusal::new(ProblemCode::Unavailable)
                .after(1)
                .because("the program stops, and the call was not over")),
        };
        let (mut response, refusal) = match outcome {
            Ok(response) => (response, None),
            Err(refusal) => (refusal.answer(&problem(&refusal, &self.id)), Some(refusal)),
        };
        common_headers(response.headers_mut(), &self.id);
        let status = response.status();
        metrics::answered(self.path, &self.method, status, self.started.elapsed());
        trace::answered(&self.span, status);
        if let Some(refusal) = &refusal {
            self.span.record("error.type", refusal.code.as_str());
        }
        self.log(status, refusal.as_ref(), is_polled);
        response
    }

    async fn ending(&self) {
        match self.ending.clone() {
            Some(ending) => ending.comes().await,
            None => pending().await,
        }
    }

    /// Never the query, a header or a body, nor a path that is not ours.
    fn log<C: Reason>(&self, status: StatusCode, refusal: Option<&Refusal<C>>, is_polled: bool) {
        let is_routine = is_polled && self.method == Method::GET && status == 200;
        let (path, request_id, method) = (self.path, &*self.id, shown_method(&self.method));
        let (status, micros) = (status.as_u16(), self.started.elapsed().as_micros());
        let code = refusal.map_or("-", |refusal| refusal.code.as_str());
        match refusal.and_then(|refusal| refusal.cause.as_deref()) {
            Some(cause) => tracing::error!(method, path, status, code, request_id, micros, cause),
            None if is_routine => tracing::debug!(method, path, status, request_id, micros),
            None => tracing::info!(method, path, status, code, request_id, micros),
        }
    }
}

/// Lets every page send the call itself: only so can a page of a foreign origin read why it was refused. `headers` are
/// those that it may send.
pub fn preflight(methods: &'static str, headers: &'static str) -> Response {
    let value = HeaderValue::from_static;
    let headers = [
        (header::ALLOW, value(methods)),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, value("*")),
        (header::ACCESS_CONTROL_ALLOW_METHODS, value(methods)),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, value(headers)),
        (header::ACCESS_CONTROL_MAX_AGE, value("600")),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Takes from an answer what would let a page read it.
pub async fn without_cors(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    headers.remove(header::ACCESS_CONTROL_EXPOSE_HEADERS);
    response
}

/// The asterisk does not stand for Authorization (Fetch, CORS non-wildcard request-header name).
pub const WITH_TOKEN: &str = "*, Authorization";

/// Nothing is cached, nothing is sniffed, and a page that may read the answer may read its id.
fn common_headers(headers: &mut HeaderMap, id: &str) {
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
            value("Retry-After, X-Request-Id, Idempotent-Replayed, Test-Mode"),
        );
    }
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
}

/// Longest method that a log shows whole.
const MAX_METHOD: usize = 16;

/// A method as it goes into a log: the caller chooses it, and it can be as long as the head.
fn shown_method(method: &Method) -> &str {
    let name = method.as_str();
    name.get(..MAX_METHOD).unwrap_or(name)
}

/// Longest id of a caller's own that is kept.
const MAX_ID: usize = 64;

/// The caller's own id where it is harmless in a log, so that one id finds a call on its whole way; else a new one.
fn request_id(headers: &HeaderMap) -> String {
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

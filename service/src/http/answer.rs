//! What every answer has in common: its id, its headers, the body of a refusal, and its line in the log.

use super::refusal::Refusal;
use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use pos_connect_foundation::answer::{common_headers, shown_method};
use pos_connect_foundation::metrics;
use pos_connect_protocol::path::{CONNECT, INTEGRATION_TOKEN, REVOKE, TOKEN};
use pos_connect_protocol::{Problem, ProblemCode};
use std::time::Instant;

/// Answers a request at one of our paths (or at none): runs `work` and finishes what it gives. `id` is the request's.
pub(crate) async fn seal(
    path: &'static str,
    method: Method,
    id: String,
    work: impl Future<Output = Result<Response, Refusal>>,
) -> Response {
    let started = Instant::now();
    let (mut response, refusal) = match work.await {
        Ok(response) => (response, None),
        Err(refusal) => (problem(path, &refusal, &id), Some(refusal)),
    };
    common_headers(response.headers_mut(), &id);
    if path == CONNECT {
        frame_headers(response.headers_mut());
    }
    metrics::answered(path, &method, response.status(), started.elapsed());
    log(
        &method,
        path,
        response.status(),
        refusal.as_ref(),
        &id,
        started,
    );
    response
}

fn problem(path: &str, refusal: &Refusal, id: &str) -> Response {
    let oauth = path == TOKEN || path == REVOKE;
    let status = refusal.code.status();
    let problem = Problem {
        success: false.into(),
        code: refusal.code.as_str().into(),
        title: refusal.code.title().into(),
        status: status.into(),
        parameter: refusal.parameter.into(),
        pointer: refusal.pointer.as_deref().into(),
        pickup: refusal.pickup.into(),
        error: refusal.code.oauth_error().filter(|_| oauth).into(),
        request_id: id.into(),
    };
    let mut response = Response::new(Body::from(serde_json::to_vec(&problem).unwrap_or_default()));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    let value = HeaderValue::from_static;
    headers.insert(header::CONTENT_TYPE, value("application/problem+json"));
    // Without this a page sees a bare TypeError instead of the reason.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, value("*"));
    if let Some(seconds) = refusal.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(methods) = refusal.allow {
        headers.insert(header::ALLOW, value(methods));
    }
    if let Some(challenge) = challenge(refusal.code) {
        headers.insert(header::WWW_AUTHENTICATE, value(challenge));
    }
    response
}

/// RFC 6750 §3: a call that proves nothing is told how to, and no more.
fn challenge(code: ProblemCode) -> Option<&'static str> {
    match code {
        ProblemCode::MissingToken => Some("Bearer"),
        ProblemCode::InvalidToken => Some("Bearer error=\"invalid_token\""),
        _ => None,
    }
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

/// Never the query, which holds the secret, nor a path that is not ours.
fn log(
    method: &Method,
    path: &str,
    status: StatusCode,
    refusal: Option<&Refusal>,
    id: &str,
    started: Instant,
) {
    let (status, micros) = (status.as_u16(), started.elapsed().as_micros());
    let shown = shown_method(method);
    let code = refusal.map_or("-", |refusal| refusal.code.as_str());
    match refusal.and_then(|refusal| refusal.cause.as_deref()) {
        Some(cause) => tracing::error!(
            method = shown,
            path,
            status,
            code,
            request_id = id,
            micros,
            cause
        ),
        // Answered polls are nearly all there is: at the default level they would bury the rest.
        None if *method == Method::GET && status == 200 && path != INTEGRATION_TOKEN => {
            tracing::debug!(method = shown, path, status, request_id = id, micros);
        }
        None => tracing::info!(method = shown, path, status, code, request_id = id, micros),
    }
}

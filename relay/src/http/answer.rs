//! What every answer has in common: its id, its headers, the body of a refusal, and its line in the log.

use super::{Head, Incoming};
use crate::refusal::Refusal;
use crate::relay::Relay;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use pos_connect_foundation::answer::{common_headers, request_id, shown_method};
use pos_connect_foundation::metrics;
use pos_connect_protocol::Problem;
use std::time::Instant;

/// Whether a path counts against the limit on requests. Health does not: a full relay is alive.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Guarded {
    Yes,
    No,
}

/// Answers a request at one of our paths (or at none): runs `work` and finishes what it gives.
pub(super) async fn seal<W>(
    path: &'static str,
    guarded: Guarded,
    relay: Relay,
    request: Request,
    work: impl FnOnce(Relay, Incoming) -> W,
) -> Response
where
    W: Future<Output = Result<Response, Refusal>>,
{
    let started = Instant::now();
    let method = request.method().clone();
    let id = request_id(request.headers());
    let (parts, body) = request.into_parts();
    let head = Head {
        parts,
        has_body: !body.is_end_stream(),
        id: id.clone(),
    };
    let incoming = Incoming { head, body };
    let place = match guarded {
        Guarded::Yes => relay.requests.try_acquire().map(Some),
        Guarded::No => Ok(None),
    };
    let outcome = match &place {
        Ok(_) => work(relay.clone(), incoming).await,
        Err(_) => Err(Refusal::busy("too many requests at once")),
    };
    drop(place);
    let (mut response, refusal) = match outcome {
        Ok(response) => (response, None),
        Err(refusal) => (problem(&refusal, &id), Some(refusal)),
    };
    common_headers(response.headers_mut(), &id);
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

fn problem(refusal: &Refusal, id: &str) -> Response {
    let status = refusal.code.status();
    let problem = Problem {
        success: false.into(),
        code: refusal.code.as_str().into(),
        title: refusal.code.title().into(),
        status: status.into(),
        parameter: refusal.parameter.into(),
        request_id: id.into(),
        ..Problem::default()
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
    if status == 401 {
        headers.insert(header::WWW_AUTHENTICATE, value("Bearer"));
    }
    response
}

/// Never the query, a header or a body, nor a path that is not ours.
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
        None if *method == Method::GET && status == 200 => {
            tracing::debug!(method = shown, path, status, request_id = id, micros);
        }
        None => tracing::info!(method = shown, path, status, code, request_id = id, micros),
    }
}

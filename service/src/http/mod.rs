//! The HTTP face: paths and methods, strict reading, answers, logs.

pub(crate) mod answer;
mod authentication;
mod integration;
pub(crate) mod query;
pub(crate) mod refusal;

use crate::service::Service;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Router, middleware};
use pos_connect_protocol::{ProblemCode, path};
use refusal::Refusal;
use std::net::IpAddr;

/// The address at the other end of the connection, put into every request by the server.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// What one caller is likely to hold: an IPv4 address, or an IPv6 /64.
    fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
            v4 => v4,
        }
    }
}

pub(crate) fn router(service: Service) -> Router {
    Router::new()
        // `any`, not `get`: axum's `get` would answer HEAD by running the handler, and so hand out a token set to `curl -I`.
        .route(path::INTEGRATION, any(on_integration))
        .route(path::INTEGRATION_TOKEN, any(on_token))
        .merge(crate::connect::router())
        .route("/healthz", any(on_health))
        .route("/readyz", any(on_readiness))
        .fallback(async || Refusal::from(ProblemCode::NotFound))
        .layer(middleware::from_fn(answer::seal))
        .with_state(service)
}

async fn on_integration(State(service): State<Service>, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::POST => integration::create(service, request).await,
        Method::GET => integration::status(&service, &request),
        Method::DELETE => integration::cancel(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, POST, DELETE, OPTIONS")),
        _ => Err(Refusal::method_not_allowed("GET, POST, DELETE, OPTIONS")),
    }
}

async fn on_token(State(service): State<Service>, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => integration::token(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, OPTIONS")),
        _ => Err(Refusal::method_not_allowed("GET, OPTIONS")),
    }
}

/// Lets every page send the call itself: only so can a page of an unregistered origin read why it was refused.
fn preflight(methods: &'static str) -> Response {
    let value = HeaderValue::from_static;
    let headers = [
        (header::ALLOW, value(methods)),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, value("*")),
        (header::ACCESS_CONTROL_ALLOW_METHODS, value(methods)),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, value("*")),
        (header::ACCESS_CONTROL_MAX_AGE, value("600")),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

async fn on_health(request: Request) -> Result<Response, Refusal> {
    only_get(&request)?;
    Ok("ok\n".into_response())
}

async fn on_readiness(State(service): State<Service>, request: Request) -> Result<Response, Refusal> {
    only_get(&request)?;
    service.store.ping().await?;
    Ok("ready\n".into_response())
}

pub(crate) fn only_get(request: &Request) -> Result<(), Refusal> {
    match *request.method() {
        Method::GET | Method::HEAD => Ok(()),
        _ => Err(Refusal::method_not_allowed("GET, HEAD")),
    }
}

//! The HTTP face: paths and methods, strict reading, answers, logs.

mod access;
mod account;
pub(crate) mod answer;
pub(crate) mod authentication;
pub(crate) mod body;
mod integration;
mod number;
mod oauth;
pub mod openapi;
mod operation;
mod probe;
pub(crate) mod refusal;
pub(crate) mod route;
mod token;

use crate::service::Service;
use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use pos_connect_foundation::answer::{WITH_TOKEN, preflight};
use pos_connect_foundation::openapi::PATHS;
use pos_connect_foundation::refusal::only_get;
use pos_connect_protocol::path;
pub(crate) use probe::ProbeAnswer;
use refusal::Refusal;
use route::{route, route_unlimited};

/// [`path::ORDERS`] with the external id of one; it stands in the log as it stands here.
const ONE_ORDER: &str = "/v1/orders/{externalId}";

pub(crate) fn route_all(router: Router<Service>) -> Router<Service> {
    let router = route(router, path::INTEGRATION, on_integration);
    let router = route(router, path::INTEGRATION_TOKEN, on_token);
    let router = route(router, path::INTEGRATION_TOKEN_REISSUE, on_reissue);
    let router = route(router, path::ACCOUNT, on_account);
    let router = route(router, path::TOKEN, on_refresh);
    let router = route(router, path::REVOKE, on_revoke);
    let router = route(router, path::STORE, on_store);
    let router = route(router, path::CUSTOMERS, on_customers);
    let router = route(router, path::KEYS, on_keys);
    let router = route(router, path::ORDERS, on_orders);
    let router = route(router, ONE_ORDER, on_order);
    let router = route_unlimited(router, "/healthz", on_health);
    let mut router = route_unlimited(router, "/readyz", on_readiness);
    for path in PATHS {
        let handler = async |_, request: Request| openapi::REFERENCE.answer(path, request.method());
        router = route_unlimited(router, path, handler);
    }
    router
}

async fn on_integration(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::POST => integration::create(service, request).await,
        Method::GET => integration::status(&service, request).await,
        Method::DELETE => integration::cancel(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, POST, DELETE, OPTIONS", "*")),
        _ => Err(Refusal::method_not_allowed("GET, POST, DELETE, OPTIONS")),
    }
}

async fn on_token(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => token::pick_up(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, OPTIONS", "*")),
        _ => Err(Refusal::method_not_allowed("GET, OPTIONS")),
    }
}

async fn on_reissue(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::POST => token::reissue(service, request).await,
        _ => only_post(&request),
    }
}

async fn on_refresh(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::POST => oauth::refresh(service, request).await,
        _ => only_post(&request),
    }
}

async fn on_revoke(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::POST => oauth::revoke(service, request).await,
        _ => only_post(&request),
    }
}

async fn on_account(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => account::account(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, OPTIONS", WITH_TOKEN)),
        _ => Err(Refusal::method_not_allowed("GET, OPTIONS")),
    }
}

async fn on_store(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => operation::profile(service, request).await,
        Method::PATCH => operation::patch_profile(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, PATCH, OPTIONS", WITH_TOKEN)),
        _ => Err(Refusal::method_not_allowed("GET, PATCH, OPTIONS")),
    }
}

async fn on_customers(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::POST => operation::change_customers(service, request).await,
        Method::OPTIONS => Ok(preflight("POST, OPTIONS", WITH_TOKEN)),
        _ => Err(Refusal::method_not_allowed("POST, OPTIONS")),
    }
}

async fn on_keys(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => number::keys(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, OPTIONS", WITH_TOKEN)),
        _ => Err(Refusal::method_not_allowed("GET, OPTIONS")),
    }
}

async fn on_orders(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::POST => operation::accept_order(service, request).await,
        Method::OPTIONS => Ok(preflight("POST, OPTIONS", WITH_TOKEN)),
        _ => Err(Refusal::method_not_allowed("POST, OPTIONS")),
    }
}

async fn on_order(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => operation::order(service, request).await,
        Method::OPTIONS => Ok(preflight("GET, OPTIONS", WITH_TOKEN)),
        _ => Err(Refusal::method_not_allowed("GET, OPTIONS")),
    }
}

fn only_post(request: &Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::OPTIONS => Ok(preflight("POST, OPTIONS", "*")),
        _ => Err(Refusal::method_not_allowed("POST, OPTIONS")),
    }
}

async fn on_health(service: Service, request: Request) -> Result<Response, Refusal> {
    only_get(request.method())?;
    let answer = probe::answer(&service, &request);
    Ok(answer.map_or_else(
        || "ok\n".into_response(),
        |answer| Json(answer).into_response(),
    ))
}

async fn on_readiness(service: Service, request: Request) -> Result<Response, Refusal> {
    only_get(request.method())?;
    service.store.ready().await?;
    Ok("ready\n".into_response())
}

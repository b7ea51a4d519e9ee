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
pub(crate) mod refusal;
mod token;

use crate::service::Service;
use answer::seal;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use pos_connect_foundation::answer::{Call, WITH_TOKEN, preflight};
use pos_connect_foundation::openapi::PATHS;
use pos_connect_foundation::refusal::only_get;
use pos_connect_protocol::{ProblemCode, path};
use refusal::Refusal;

/// [`path::ORDERS`] with the external id of one; it stands in the log as it stands here.
const ONE_ORDER: &str = "/v1/orders/{externalId}";

pub(crate) fn router(service: Service) -> Router {
    let router = Router::new().fallback(async |request: Request| {
        let nothing = async { Err(ProblemCode::NotFound.into()) };
        seal(
            Call::at("unmatched", request.method(), request.headers()),
            nothing,
        )
        .await
    });
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
    let router = crate::receipt::route_all(router);
    crate::connect::route_all(router).with_state(service)
}

/// Adds a path whose every answer is sealed, and which counts against the limit on requests.
pub(crate) fn route<F, W>(
    router: Router<Service>,
    path: &'static str,
    handler: F,
) -> Router<Service>
where
    F: Fn(Service, Request) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = Result<Response, Refusal>> + Send + 'static,
{
    route_unlimited(router, path, move |service: Service, request| {
        let answered = handler(service.clone(), request);
        async move {
            let place = service.requests.try_acquire();
            let _place = place.map_err(|_| Refusal::busy("too many requests at once"))?;
            answered.await
        }
    })
}

/// The same without that limit: a full service is alive.
///
/// For `any` method: axum's `get` would answer HEAD by running the handler, and so hand out a token set to `curl -I`.
fn route_unlimited<F, W>(router: Router<Service>, path: &'static str, handler: F) -> Router<Service>
where
    F: Fn(Service, Request) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = Result<Response, Refusal>> + Send + 'static,
{
    let sealed = move |State(service): State<Service>, request: Request| {
        let call = Call::at(path, request.method(), request.headers());
        seal(call, handler(service, request))
    };
    router.route(path, any(sealed))
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

async fn on_health(_: Service, request: Request) -> Result<Response, Refusal> {
    only_get(request.method())?;
    Ok("ok\n".into_response())
}

async fn on_readiness(service: Service, request: Request) -> Result<Response, Refusal> {
    only_get(request.method())?;
    service.store.ready().await?;
    Ok("ready\n".into_response())
}

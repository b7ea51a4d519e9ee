//! The HTTP face: exact paths and methods, strict reading, answers, logs.

mod answer;
mod caller;
mod fleet;
mod incoming;
mod integration;
pub mod openapi;
mod operation;
mod token;

use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::upstream::Operation;
use answer::{Guarded, respond};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use incoming::Incoming;
use pos_connect_foundation::answer::{WITH_TOKEN, preflight, without_cors};
use pos_connect_foundation::openapi::PATHS;
use pos_connect_foundation::refusal::only_get;
use pos_connect_protocol::{ProblemCode, path, relay};

/// The whole relay, without a socket.
///
/// A path is one of ours byte for byte, or it is none: so there is nothing to normalize, and nothing of the caller's
/// reaches the service's URL but the external id of an order, which is written anew.
pub fn router(relay: Relay) -> Router {
    let router = Router::new().fallback(async |State(relay): State<Relay>, request: Request| {
        let nothing = async |_, _| Err(ProblemCode::NotFound.into());
        respond("unmatched", Guarded::No, relay, request, nothing).await
    });
    let router = route(router, path::INTEGRATION, Guarded::Yes, on_integration);
    let router = route(router, path::INTEGRATION_TOKEN, Guarded::Yes, on_token);
    let router = route(router, relay::path::CONNECTION, Guarded::Yes, on_connection);
    let router = route(router, "/healthz", Guarded::No, on_health);
    let mut router = route(router, "/readyz", Guarded::No, on_readiness);
    for path in PATHS {
        let handler = async |_, incoming: Incoming| {
            openapi::REFERENCE.answer(path, &incoming.head.parts.method)
        };
        router = route(router, path, Guarded::No, handler);
    }
    for (path, methods) in Operation::PATHS {
        let handler = move |relay, incoming| on_operation(relay, incoming, path, methods);
        router = route(router, path, Guarded::Yes, handler);
    }
    let fleet = route(
        Router::new(),
        relay::path::TILLS,
        Guarded::Yes,
        fleet::on_tills,
    );
    let fleet = route(fleet, relay::path::ONE_TILL, Guarded::Yes, fleet::on_till);
    let fleet = fleet.layer(map_response(without_cors));
    router.merge(fleet).with_state(relay)
}

/// Adds a path for `any` method: axum's `get` would answer HEAD by running the handler.
fn route<F, W>(
    router: Router<Relay>,
    path: &'static str,
    guarded: Guarded,
    handler: F,
) -> Router<Relay>
where
    F: Fn(Relay, Incoming) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = Result<Response, Refusal>> + Send + 'static,
{
    let answered = move |State(relay): State<Relay>, request: Request| {
        respond(path, guarded, relay, request, handler)
    };
    router.route(path, any(answered))
}

async fn on_integration(relay: Relay, incoming: Incoming) -> Result<Response, Refusal> {
    match incoming.head.parts.method {
        Method::POST => integration::create(&relay, incoming).await,
        Method::GET => integration::status(&relay, incoming).await,
        Method::DELETE => integration::cancel(&relay, incoming).await,
        _ => other(&incoming, "GET, POST, DELETE, OPTIONS"),
    }
}

async fn on_token(relay: Relay, incoming: Incoming) -> Result<Response, Refusal> {
    match incoming.head.parts.method {
        Method::GET => token::pick_up(&relay, incoming).await,
        Method::DELETE => token::acknowledge(&relay, incoming).await,
        _ => other(&incoming, "GET, DELETE, OPTIONS"),
    }
}

async fn on_connection(relay: Relay, incoming: Incoming) -> Result<Response, Refusal> {
    match incoming.head.parts.method {
        Method::GET => token::connection(&relay, incoming).await,
        Method::DELETE => token::disconnect(&relay, incoming).await,
        _ => other(&incoming, "GET, DELETE, OPTIONS"),
    }
}

async fn on_operation(
    relay: Relay,
    incoming: Incoming,
    path: &'static str,
    methods: &'static str,
) -> Result<Response, Refusal> {
    let method = &incoming.head.parts.method;
    let asked = |operation: &Operation| operation.path() == path && operation.method() == *method;
    match Operation::ALL.into_iter().find(asked) {
        Some(operation) => operation::pass_on(&relay, incoming, operation).await,
        None => other(&incoming, methods),
    }
}

async fn on_health(_: Relay, incoming: Incoming) -> Result<Response, Refusal> {
    only_get(&incoming.head.parts.method)?;
    Ok("ok\n".into_response())
}

/// The key and the options were checked before the socket was opened: what can change is the database.
async fn on_readiness(relay: Relay, incoming: Incoming) -> Result<Response, Refusal> {
    only_get(&incoming.head.parts.method)?;
    relay.store.ready().await?;
    Ok("ready\n".into_response())
}

fn other(incoming: &Incoming, methods: &'static str) -> Result<Response, Refusal> {
    match incoming.head.parts.method {
        Method::OPTIONS => Ok(preflight(methods, WITH_TOKEN)),
        _ => Err(Refusal::method_not_allowed(methods)),
    }
}

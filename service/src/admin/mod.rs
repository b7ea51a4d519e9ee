//! The admin API: what the operator's commands do, over HTTP, for back offices with a key. No page may call it.
//!
//! A table says of each route what it takes, needs and answers: requests are read by it, and the document is made from
//! it. What a route does is done by the same function that its command calls.

mod account;
mod audit;
mod erasure;
mod field;
mod message;
pub mod openapi;
mod route;
mod token_set;
mod vendor;

use crate::admin_key;
use crate::http::body;
use crate::service::Service;
use crate::store::{Act, Actor, AdminKey, Store, StoreError};
use crate::token::Kind;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use field::Values;
use pos_connect_foundation::address;
use pos_connect_foundation::answer::{Call, without_cors};
use pos_connect_foundation::bearer::bearer;
use pos_connect_foundation::openapi::PATHS;
use pos_connect_foundation::openapi::media::JSON;
use pos_connect_foundation::page::Page;
use pos_connect_foundation::refusal;
use pos_connect_foundation::server::{Limits, Server};
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::admin::AdminProblemCode;
use route::Route;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, watch};

/// Connections at once: a back office or two.
const CONNECTIONS: usize = 64;
/// Items in one answer.
const PAGE: u32 = 500;
/// How long a call works, of which another call does the rest: proxies wait for a minute.
const LONGEST: Duration = Duration::from_secs(20);

/// A refusal on its way out.
type Refusal = refusal::Refusal<Code>;

type Code = refusal::Code<AdminProblemCode>;

/// What a route is asked for, by one that may ask.
struct Asked {
    service: Service,
    act: Act,
    /// What stands in the path, where that has a place.
    id: String,
    values: Values,
    contains: bool,
    _place: OwnedSemaphorePermit,
}

impl Asked {
    /// The store; for a route that contains an incident, as its command opens it: with the reserve.
    async fn store(&self) -> Result<&Store, StoreError> {
        match self.contains {
            true => self.service.to_contain().await,
            false => Ok(&self.service.store),
        }
    }
}

/// Method and path of every route.
pub fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
    Route::all().map(|route| (route.method, route.path))
}

/// Answers back offices until `stop` turns true, if that is wanted.
pub(crate) async fn serve(server: Option<Server>, service: Service, stop: watch::Receiver<bool>) {
    let Some(server) = server else { return };
    let listen = server.address();
    tracing::info!(%listen, "the admin API is at /admin/v1");
    if !listen.ip().is_loopback() {
        tracing::warn!(%listen, "other machines reach the admin API without TLS: put a proxy with TLS before it");
    }
    let limits = Limits {
        connections: CONNECTIONS,
        ..Limits::default()
    };
    server.limited(limits).run(router(service), stop).await;
}

/// The admin API, without a socket.
pub fn router(service: Service) -> Router {
    let mut router = Router::new().fallback(async |request: Request| {
        let call = Call::at("unmatched", &request);
        let nothing = async { Err(Refusal::new(ProblemCode::NotFound)) };
        call.answer(nothing, false, Refusal::problem).await
    });
    for path in PATHS {
        let handler = move |request: Request| async move {
            let call = Call::at(path, &request);
            let method = request.method().clone();
            let work = async { openapi::REFERENCE.answer(path, &method) };
            call.answer(work, false, Refusal::problem).await
        };
        router = router.route(path, any(handler));
    }
    for path in route::paths() {
        // For `any` method: axum's `get` would answer HEAD by running the handler.
        let handler = move |State(service): State<Service>, request: Request| {
            let call = Call::at(path, &request);
            let work = answer(service, path, call.id.clone(), request);
            call.answer(work, false, Refusal::problem)
        };
        router = router.route(path, any(handler));
    }
    router.layer(map_response(without_cors)).with_state(service)
}

async fn answer(
    service: Service,
    path: &'static str,
    request_id: String,
    request: Request,
) -> Result<Response, Refusal> {
    let method = request.method().as_str();
    let asked = Route::all().find(|route| route.path == path && route.is(method));
    let route = asked.ok_or_else(|| Refusal::method_not_allowed(route::allowed(path)))?;
    let (head, body) = request.into_parts();
    let (key, place) = admit(&service, &head).await?;
    // The audit has changes alone: the line of the call, which has the same id, tells who has read what.
    tracing::info!(request_id, admin_key = key.label, "an admin key calls");
    if !key.scopes.contains(&route.scope) {
        let rule = format!("the scope {}", route.scope.as_str());
        return Err(Refusal {
            rule: Some(rule.into()),
            ..AdminProblemCode::InsufficientScope.into()
        });
    }
    let values = values(route, &head, body).await?;
    let act = Act {
        actor: Actor::AdminKey(key.id),
        // No proxy of the public listener stands before this one: with a header, a key's holder would name the address.
        address: address::of_client(head.extensions.get().copied(), &HeaderMap::new(), &[]),
        now: service.clock.now(),
    };
    let asked = Asked {
        id: route.id_in(head.uri.path()).to_owned(),
        service,
        act,
        values,
        contains: route.contains,
        _place: place,
    };
    Ok(match (route.run)(asked).await? {
        None => StatusCode::NO_CONTENT.into_response(),
        Some(mut answer) => {
            answer["success"] = true.into();
            axum::Json(answer).into_response()
        }
    })
}

/// What a route takes, and nothing else, is in the query or in the body.
async fn values(route: &Route, head: &Parts, body: Body) -> Result<Values, Refusal> {
    let query = head.uri.query().unwrap_or_default();
    match route.takes_body() {
        true if query.is_empty() => {
            let read = body::json(&head.headers, body, &[JSON]).await;
            let read = read.and_then(|body| body::parsed(&body));
            Values::of_body(&read.map_err(refusal::Refusal::among)?, route.takes)
        }
        false if body.is_end_stream() => Values::of_query(query, route.takes),
        _ => Err(ProblemCode::MalformedRequest.into()),
    }
}

/// A page of a list, of whose items one more was asked for. `row` names an item, for `after`; `seen` does the last of
/// what was looked at, if that was not all.
fn page<T: Serialize>(
    name: &str,
    mut items: Vec<T>,
    row: impl Fn(&T) -> String,
    seen: Option<String>,
) -> Result<Option<Value>, Refusal> {
    let has_more = items.len() > PAGE as usize;
    items.truncate(PAGE as usize);
    let last = items.last().filter(|_| has_more).map(row);
    let mut answer = json!({ name: items });
    if let Some(next) = last.or(seen) {
        answer["next"] = next.into();
    }
    Ok(Some(answer))
}

/// Nothing (204), if what was asked for is there.
fn found(is_there: bool, absent: AdminProblemCode) -> Result<Option<Value>, Refusal> {
    match is_there {
        true => Ok(None),
        false => Err(absent.into()),
    }
}

/// What of a scope is not there.
fn absent(noun: &'static str) -> Refusal {
    match noun {
        "vendor" => AdminProblemCode::VendorNotFound,
        "account" => AdminProblemCode::AccountNotFound,
        _ => AdminProblemCode::StoreNotFound,
    }
    .into()
}

/// Lets in a back office that proves itself, unless it calls too often.
async fn admit(
    service: &Service,
    head: &Parts,
) -> Result<(AdminKey, OwnedSemaphorePermit), Refusal> {
    let headers = &head.headers;
    // A page's call to its own origin may come without `Origin`; no server sends the other.
    if Page::of(headers)?.origin().is_some() || headers.contains_key("sec-fetch-site") {
        return Err(ProblemCode::OriginNotAllowed.into());
    }
    if !headers.contains_key("authorization") {
        return Err(ProblemCode::MissingToken.into());
    }
    let key = bearer(headers, Kind::Admin).ok_or(ProblemCode::InvalidToken)?;
    let key = admin_key::recognize(&service.store, key).await?;
    let key = key.ok_or(ProblemCode::InvalidToken)?;
    let place = service.admin_shares.place(key.key);
    let place = place.ok_or_else(|| Refusal::slow_down(1))?;
    let counted = service.admin_calls.count(key.id, service.clock.now());
    counted.map_err(Refusal::slow_down)?;
    Ok((key, place))
}

//! A path and its handler.

use super::answer::{CallerMode, respond};
use super::refusal::Refusal;
use crate::service::Service;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use pos_connect_foundation::answer::Call;

/// Adds a path that counts against the limit on requests.
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

/// Adds a path whose requests are not counted: a full service is alive.
///
/// For `any` method: axum's `get` would answer HEAD by running the handler, and so hand out a token set to `curl -I`.
pub(super) fn route_unlimited<F, W>(
    router: Router<Service>,
    path: &'static str,
    handler: F,
) -> Router<Service>
where
    F: Fn(Service, Request) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = Result<Response, Refusal>> + Send + 'static,
{
    let answered = move |State(service): State<Service>, mut request: Request| {
        let (call, mode) = (Call::at(path, &request), CallerMode::default());
        request.extensions_mut().insert(mode.clone());
        respond(call, mode, handler(service, request))
    };
    router.route(path, any(answered))
}

//! The paths of the service.

use crate::http::answer::{CallerMode, respond};
use crate::service::Service;
use crate::{connect, http, receipt};
use axum::Router;
use axum::extract::Request;
use pos_connect_foundation::answer::Call;
use pos_connect_protocol::ProblemCode;

/// The whole service, without a socket.
pub fn router(service: Service) -> Router {
    let router = Router::new().fallback(async |request: Request| {
        let call = Call::at("unmatched", &request);
        respond(call, CallerMode::default(), async {
            Err(ProblemCode::NotFound.into())
        })
        .await
    });
    let router = http::route_all(router);
    let router = receipt::route_all(router);
    connect::route_all(router).with_state(service)
}

//! The connect frame (§4.3): sign in, consent, done. Plain HTML forms; no cookie, no redirect, script only for hints.

mod form;
mod language;
mod page;
mod sign_in;
mod visit;

use crate::http::only_get;
use crate::http::query::{self, Parameters};
use crate::http::refusal::Refusal;
use crate::service::Service;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::Router;
use axum::routing::any;
use language::Language;
use page::{Page, Trouble};
use pos_connect_protocol::{ProblemCode, parameter, path};
use visit::Visit;

const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const COEP: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");

pub(crate) fn router() -> Router<Service> {
    Router::new()
        .route(path::CONNECT, any(on_connect))
        .route("/connect/style.css", any(async |request: Request| asset(&request, "text/css", include_str!("style.css"))))
        .route("/connect/script.js", any(async |request: Request| asset(&request, "text/javascript", include_str!("script.js"))))
}

async fn on_connect(State(service): State<Service>, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => show(&service, &request.into_parts().0).await,
        Method::POST => form::send(service, request).await,
        _ => Err(Refusal::method_not_allowed("GET, POST")),
    }
}

/// The first page of a visit.
async fn show(service: &Service, request: &Parts) -> Result<Response, Refusal> {
    let raw = request.uri.query().unwrap_or_default();
    if raw.len() > query::MAX_LENGTH {
        return Err(ProblemCode::UriTooLong.into());
    }
    let names = [parameter::CLIENT_ID, parameter::INTEGRATION_TOKEN, "lang"];
    let values = Parameters::parse(raw, names).and_then(Parameters::once);
    let asked = values.as_ref().ok().and_then(|[_, _, lang]| lang.as_deref());
    let language = Language::choose(asked, &request.headers);
    let Ok([Some(client_id), Some(token), _]) = values else {
        return Ok(Page::alone(language, StatusCode::BAD_REQUEST, Trouble::Incomplete));
    };
    match Visit::identify(service, &client_id, &token, language)? {
        Err(page) => Ok(page),
        Ok(visit) => sign_in::page(&visit, sign_in::Notice::None, "").await,
    }
}

fn asset(request: &Request, kind: &'static str, text: &'static str) -> Result<Response, Refusal> {
    only_get(request)?;
    Ok(([(header::CONTENT_TYPE, format!("{kind}; charset=utf-8")), (CORP, "cross-origin".into())], text).into_response())
}

//! The connect frame (§4.3): sign in, consent, done. Plain HTML forms; no cookie, no redirect, script only for hints.
//! A sign-in with a provider leaves the frame, and has a cookie in its window.

mod closing;
mod connections;
mod credentials;
mod form;
mod logout;
mod moment;
mod page;
mod palette;
mod passkey;
mod provider;
mod second_factor;
mod second_step;
mod seen;
mod sentence;
mod sign_in;
mod visit;

use crate::http::refusal::Refusal;
use crate::http::route::route;
use crate::language;
use crate::service::Service;
use crate::sign_in::network;
use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use closing::Trouble;
use page::{CORP, Page};
use pos_connect_foundation::query::{self, Parameters};
use pos_connect_foundation::refusal::only_get;
use pos_connect_protocol::{ProblemCode, parameter, path};
use seen::{Seen, Theme, is_framed};
use visit::{Named, Visit};

pub(crate) fn route_all(router: Router<Service>) -> Router<Service> {
    let router = route(router, path::CONNECT, on_connect);
    let router = route(router, "/connections", connections::on_connections);
    let router = route(router, provider::CALLBACK, provider::on_callback);
    let router = route(router, logout::PATH, logout::on_logout);
    let router = route(router, "/connect/style.css", async |_, request| {
        asset(
            &request,
            "text/css; charset=utf-8",
            include_str!("style.css"),
        )
    });
    let router = route(router, "/connect/brand.css", on_brand_style);
    route(router, "/connect/script.js", async |_, request| {
        asset(
            &request,
            "text/javascript; charset=utf-8",
            include_str!("script.js"),
        )
    })
}

async fn on_connect(service: Service, request: Request) -> Result<Response, Refusal> {
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
    let names = [
        parameter::CLIENT_ID,
        parameter::INTEGRATION_TOKEN,
        parameter::LANG,
        parameter::THEME,
    ];
    let values = Parameters::parse(raw, names).and_then(Parameters::once);
    let [client_id, token, asked, theme] = values.unwrap_or_default();
    let language = language::choose(asked.as_deref(), &request.headers);
    let host = visit::host(service, &request.headers);
    let seen = Seen {
        framed: is_framed(&request.headers),
        sent: false,
        theme: Theme::named(theme.as_deref()),
    };
    let (Some(client_id), Some(token)) = (client_id, token) else {
        let page = Page::of_nobody(&service.settings.brand, language, &host, seen);
        return Ok(page.trouble(StatusCode::BAD_REQUEST, Trouble::Incomplete));
    };
    let named = Named {
        client_id: &client_id,
        token: &token,
        till: None,
        host,
        seen,
    };
    match Visit::identify(service, named, language).await? {
        Err(page) => Ok(page),
        Ok(visit) => open(service, request, &visit).await,
    }
}

/// Asks the merchant of an integration to sign in, unless its pages are opened too often.
async fn open(service: &Service, request: &Parts, visit: &Visit) -> Result<Response, Refusal> {
    let (hash, from) = (visit.integration.hash, service.address_of(request));
    let counted = service.pages.count((hash, from.map(network)), visit.now);
    if let Err(seconds) = counted {
        let trouble = Trouble::TooMany(seconds);
        let mut page = visit.page().trouble(StatusCode::TOO_MANY_REQUESTS, trouble);
        let headers = page.headers_mut();
        headers.insert(header::RETRY_AFTER, seconds.into());
        return Ok(page);
    }
    if !visit.integration.is_opened && seen::is_window(&request.headers) {
        service.store.note_opened(hash, visit.now).await?;
    }
    sign_in::page(visit, credentials::Notice::None, "").await
}

/// The color is the operator's, and a style sheet of its own: the page's policy takes no other.
async fn on_brand_style(service: Service, request: Request) -> Result<Response, Refusal> {
    only_get(request.method())?;
    let color = service.settings.brand.color;
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (CORP, "cross-origin"),
    ];
    Ok((
        headers,
        color.map_or_else(String::new, palette::style_sheet),
    )
        .into_response())
}

fn asset(request: &Request, kind: &'static str, text: &'static str) -> Result<Response, Refusal> {
    only_get(request.method())?;
    Ok(([(header::CONTENT_TYPE, kind), (CORP, "cross-origin")], text).into_response())
}

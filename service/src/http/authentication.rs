//! Who calls, and about what: the checks that come before any state, in their documented order.

use super::query::{self, Parameters};
use super::refusal::Refusal;
use crate::clock::Timestamp;
use crate::integration::Integration;
use crate::service::Service;
use crate::store::Vendor;
use crate::token::{Hash, Kind};
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use pos_connect_protocol::{ProblemCode, parameter};
use serde::Serialize;
use std::borrow::Cow;

const CREDENTIALS: [&str; 2] = [parameter::CLIENT_ID, parameter::CLIENT_SECRET];
const KEYS: [&str; 3] = [
    parameter::CLIENT_ID,
    parameter::CLIENT_SECRET,
    parameter::INTEGRATION_TOKEN,
];

/// A vendor that proved itself.
pub(super) struct Caller {
    pub(super) vendor: Vendor,
    /// The page that calls; `None` outside a browser.
    origin: Option<HeaderValue>,
    pub(super) now: Timestamp,
}

impl Caller {
    /// An answer that the calling page may read.
    pub(super) fn answer(&self, content: impl IntoResponse) -> Response {
        let mut response = content.into_response();
        if let Some(origin) = &self.origin {
            response
                .headers_mut()
                .insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        }
        response
    }

    /// A JSON answer with status 200.
    pub(super) fn json(&self, body: &impl Serialize) -> Result<Response, Refusal> {
        let body = serde_json::to_vec(body).map_err(|error| Refusal {
            cause: Some(error.to_string()),
            ..ProblemCode::InternalError.into()
        })?;
        let json = HeaderValue::from_static("application/json");
        Ok(self.answer(([(header::CONTENT_TYPE, json)], body)))
    }
}

/// Lets in a vendor (§4.1).
pub(super) fn vendor(service: &Service, request: &Request) -> Result<Caller, Refusal> {
    let [client_id, secret] = read(request, CREDENTIALS)?;
    check(service, request, &client_id, &secret, None).map(|(caller, _)| caller)
}

/// Lets in a vendor with one of its own integrations (§4.2, §4.4).
pub(super) fn keys(service: &Service, request: &Request) -> Result<(Caller, Integration), Refusal> {
    let [client_id, secret, token] = read(request, KEYS)?;
    let (caller, integration) = check(service, request, &client_id, &secret, Some(&token))?;
    let integration = integration.ok_or(Refusal::parameter(
        ProblemCode::InvalidIntegration,
        parameter::INTEGRATION_TOKEN,
    ))?;
    Ok((caller, integration))
}

fn read<'r, const N: usize>(
    request: &'r Request,
    names: [&'static str; N],
) -> Result<[Cow<'r, str>; N], Refusal> {
    let query = request.uri().query().unwrap_or_default();
    if query.len() > query::MAX_LENGTH {
        return Err(ProblemCode::UriTooLong.into());
    }
    if !request.body().is_end_stream() {
        return Err(ProblemCode::MalformedRequest.into());
    }
    let values = Parameters::parse(query, names)?.required()?;
    if is_prefetch(request.headers()) {
        return Err(ProblemCode::PrefetchRefused.into());
    }
    Ok(values)
}

fn check(
    service: &Service,
    request: &Request,
    client_id: &str,
    secret: &str,
    token: Option<&str>,
) -> Result<(Caller, Option<Integration>), Refusal> {
    let now = service.clock.now();
    let integration = token.and_then(|token| Kind::Integration.digest(token));
    let lookup = service.store.lookup(client_id, integration.as_ref())?;
    let lookup = lookup.ok_or(Refusal::parameter(
        ProblemCode::InvalidClient,
        parameter::CLIENT_ID,
    ))?;
    if !lookup.vendor.proves(&Hash::of(secret), now) {
        return Err(Refusal::parameter(
            ProblemCode::InvalidSecret,
            parameter::CLIENT_SECRET,
        ));
    }
    let origin = allowed_origin(service, &lookup.vendor, request.headers())?;
    Ok((
        Caller {
            vendor: lookup.vendor,
            origin,
            now,
        },
        lookup.integration,
    ))
}

fn allowed_origin(
    service: &Service,
    vendor: &Vendor,
    headers: &HeaderMap,
) -> Result<Option<HeaderValue>, Refusal> {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return match is_anonymous_page(headers) {
            true => Err(ProblemCode::OriginNotAllowed.into()),
            false => Ok(None),
        };
    };
    match origin.to_str() {
        Ok(text) if service.store.has_origin(vendor.id, text)? => Ok(Some(origin.clone())),
        _ => Err(ProblemCode::OriginNotAllowed.into()),
    }
}

/// What a page can cause without saying who it is: an image, say, or a navigation.
fn is_anonymous_page(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "no-cors" || mode == "navigate")
}

/// A browser that guesses the next page must not consume anything.
fn is_prefetch(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose", "x-moz"].into_iter().any(|name| {
        headers.get_all(name).iter().any(|value| {
            value
                .as_bytes()
                .to_ascii_lowercase()
                .windows(8)
                .any(|word| word == b"prefetch")
        })
    })
}

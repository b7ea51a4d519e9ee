//! Who calls, and about what: the checks that come before any state, in their documented order.

use super::answer::CallerMode;
use super::refusal::Refusal;
use crate::clock::Timestamp;
use crate::integration::Integration;
use crate::service::Service;
use crate::store::{Act, Actor};
use crate::token::{Hash, Kind};
use axum::body::HttpBody;
use axum::extract::Request;
use axum::http::Uri;
use axum::http::header::{HeaderMap, HeaderValue};
use axum::http::request::Parts;
use pos_connect_foundation::page::Page;
use pos_connect_foundation::query::{self, Parameters};
use pos_connect_protocol::pickup::is_pickup_id;
use pos_connect_protocol::{Mode, ProblemCode, parameter};
use std::borrow::Cow;
use std::net::IpAddr;

const CREDENTIALS: [&str; 2] = [parameter::CLIENT_ID, parameter::CLIENT_SECRET];
const KEYS: [&str; 3] = [
    parameter::CLIENT_ID,
    parameter::CLIENT_SECRET,
    parameter::INTEGRATION_TOKEN,
];

const PICKUP_KEYS: [&str; 4] = [
    parameter::CLIENT_ID,
    parameter::CLIENT_SECRET,
    parameter::INTEGRATION_TOKEN,
    parameter::PICKUP_ID,
];

/// A vendor that proved itself, or for whom a token speaks.
pub(super) struct Caller {
    /// Row number of the vendor.
    pub(super) vendor: i64,
    pub(super) mode: Mode,
    pub(super) page: Page,
    /// Where the call comes from, if that is known.
    pub(super) address: Option<IpAddr>,
    pub(super) now: Timestamp,
}

impl Caller {
    /// Lets in a vendor, if the calling page is one of its own.
    pub(super) async fn admit(
        service: &Service,
        (vendor, mode): (i64, Mode),
        head: &Parts,
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        CallerMode::tell(head, mode);
        let page = allowed_page(service, vendor, &head.headers).await?;
        Ok(Self {
            vendor,
            mode,
            page,
            address: service.address_of(head),
            now,
        })
    }

    /// The caller, for the audit.
    pub(super) const fn act(&self) -> Act {
        Act {
            actor: Actor::Vendor(self.vendor),
            address: self.address,
            now: self.now,
        }
    }
}

/// Lets in a vendor (§4.1).
pub(super) async fn vendor(service: &Service, request: Request) -> Result<Caller, Refusal> {
    let head = Head::of(request);
    let [client_id, secret] = head.read(CREDENTIALS, 2)?;
    credentials(service, &head.parts, &client_id, &secret).await
}

/// Lets in a vendor by what its form body says.
pub(super) async fn credentials(
    service: &Service,
    head: &Parts,
    client_id: &str,
    secret: &str,
) -> Result<Caller, Refusal> {
    let checked = check(service, head, client_id, secret, None).await;
    checked.map(|(caller, _)| caller)
}

/// Lets in a vendor with one of its own integrations (§4.2, §4.4).
pub(super) async fn keys(
    service: &Service,
    request: Request,
) -> Result<(Caller, Integration), Refusal> {
    let head = Head::of(request);
    let [client_id, secret, token] = head.read(KEYS, 3)?;
    check_keys(service, &head.parts, &client_id, &secret, &token).await
}

/// Lets in a vendor with one of its own integrations, for a call that may carry a `pickup_id` (extension): with its
/// hash.
pub(super) async fn pickup_keys(
    service: &Service,
    request: Request,
) -> Result<(Caller, Integration, Option<Hash>), Refusal> {
    let head = Head::of(request);
    let [client_id, secret, token, pickup] = head.read(PICKUP_KEYS, 3)?;
    let pickup = match &*pickup {
        "" => None,
        pickup => Some(pickup_hash(pickup)?),
    };
    check_keys(service, &head.parts, &client_id, &secret, &token)
        .await
        .map(|(caller, integration)| (caller, integration, pickup))
}

/// Lets in a vendor with one of its own integrations, for a call that must carry a `pickup_id` (extension).
pub(super) async fn reissue_keys(
    service: &Service,
    request: Request,
) -> Result<(Caller, Integration, Hash), Refusal> {
    let head = Head::of(request);
    let [client_id, secret, token, pickup] = head.read(PICKUP_KEYS, 4)?;
    let pickup = pickup_hash(&pickup)?;
    check_keys(service, &head.parts, &client_id, &secret, &token)
        .await
        .map(|(caller, integration)| (caller, integration, pickup))
}

fn pickup_hash(pickup: &str) -> Result<Hash, Refusal> {
    match is_pickup_id(pickup) {
        true => Ok(Hash::of(pickup)),
        false => Err(Refusal::parameter(
            ProblemCode::InvalidParameter,
            parameter::PICKUP_ID,
        )),
    }
}

/// A request without its body, which nothing may wait with.
struct Head {
    parts: Parts,
    has_body: bool,
}

impl Head {
    fn of(request: Request) -> Self {
        let has_body = refuse_body(&request).is_err();
        let (parts, _) = request.into_parts();
        Self { parts, has_body }
    }

    /// Reads the query's parameters, of which the first `required` must be there.
    fn read<const N: usize>(
        &self,
        names: [&'static str; N],
        required: usize,
    ) -> Result<[Cow<'_, str>; N], Refusal> {
        let read = read_query(&self.parts.uri, names, required);
        match &read {
            Err(refusal) if refusal.code == ProblemCode::UriTooLong => read,
            _ if self.has_body => Err(ProblemCode::MalformedRequest.into()),
            _ => read,
        }
    }
}

/// Reads the query of a call, whatever its body.
pub(super) fn read_query<'r, const N: usize>(
    uri: &'r Uri,
    names: [&'static str; N],
    required: usize,
) -> Result<[Cow<'r, str>; N], Refusal> {
    let query = uri.query().unwrap_or_default();
    if query.len() > query::MAX_LENGTH {
        return Err(ProblemCode::UriTooLong.into());
    }
    Ok(Parameters::parse(query, names)?.required(required)?)
}

/// Refuses a body where none belongs.
pub(super) fn refuse_body(request: &Request) -> Result<(), Refusal> {
    match request.body().is_end_stream() {
        true => Ok(()),
        false => Err(ProblemCode::MalformedRequest.into()),
    }
}

async fn check_keys(
    service: &Service,
    head: &Parts,
    client_id: &str,
    secret: &str,
    token: &str,
) -> Result<(Caller, Integration), Refusal> {
    let (caller, integration) = check(service, head, client_id, secret, Some(token)).await?;
    let integration = integration.ok_or(Refusal::parameter(
        ProblemCode::InvalidIntegration,
        parameter::INTEGRATION_TOKEN,
    ))?;
    Ok((caller, integration))
}

async fn check(
    service: &Service,
    head: &Parts,
    client_id: &str,
    secret: &str,
    token: Option<&str>,
) -> Result<(Caller, Option<Integration>), Refusal> {
    refuse_prefetch(&head.headers)?;
    let now = service.clock.now();
    let integration = token.and_then(|token| Kind::Integration.digest(token));
    let lookup = service
        .store
        .lookup(client_id, integration.as_ref())
        .await?;
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
    let vendor = (lookup.vendor.id, lookup.vendor.mode);
    let caller = Caller::admit(service, vendor, head, now).await?;
    Ok((caller, lookup.integration))
}

async fn allowed_page(
    service: &Service,
    vendor: i64,
    headers: &HeaderMap,
) -> Result<Page, Refusal> {
    let page = Page::of(headers)?;
    match page.origin() {
        Some(origin) if !service.store.has_origin(vendor, origin).await? => {
            Err(ProblemCode::OriginNotAllowed.into())
        }
        _ => Ok(page),
    }
}

/// A browser that guesses the next page must not consume anything.
pub(super) fn refuse_prefetch(headers: &HeaderMap) -> Result<(), Refusal> {
    match is_prefetch(headers) {
        true => Err(ProblemCode::PrefetchRefused.into()),
        false => Ok(()),
    }
}

/// Whether a browser only guesses that the page is wanted.
pub(crate) fn is_prefetch(headers: &HeaderMap) -> bool {
    let says_so = |value: &HeaderValue| {
        let value = value.as_bytes().to_ascii_lowercase();
        value.windows(8).any(|word| word == b"prefetch")
    };
    ["sec-purpose", "purpose", "x-moz"]
        .into_iter()
        .any(|name| headers.get_all(name).iter().any(says_so))
}

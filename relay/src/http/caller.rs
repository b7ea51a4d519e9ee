//! Who calls, and about what: the checks that come before any state, in this order: origin 403, till key 401, malformed
//! or missing 400, client 400, integration 403.

use super::incoming::Head;
use crate::refusal::{Refusal, unknown_integration};
use crate::relay::Relay;
use crate::store::{Integration, Till};
use crate::till;
use axum::http::header::HeaderMap;
use pos_connect_foundation::bearer::bearer;
use pos_connect_foundation::page::Page;
use pos_connect_foundation::query::{self, Parameters};
use pos_connect_foundation::token::{Hash, Kind};
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{ProblemCode, parameter};
use std::borrow::Cow;
use tokio::sync::OwnedSemaphorePermit;

/// A till that proved itself.
pub(super) struct Caller {
    pub(super) till: Till,
    pub(super) page: Page,
    _place: OwnedSemaphorePermit,
}

impl Caller {
    /// Lets in a till, unless it has too many requests at once.
    pub(super) async fn admit(relay: &Relay, head: &Head) -> Result<Self, Refusal> {
        let page = allowed_page(relay, &head.parts.headers)?;
        let key = bearer(&head.parts.headers, Kind::Till).ok_or(RelayProblemCode::Unauthorized)?;
        let till = till::recognize(&relay.store, key).await?;
        let till = till.ok_or(RelayProblemCode::Unauthorized)?;
        let place = relay.shares.place(till.key);
        let place = place.ok_or_else(|| Refusal::slow_down(1))?;
        Ok(Self {
            till,
            page,
            _place: place,
        })
    }
}

/// An integration of the calling till's own, with its token.
pub(super) struct Subject {
    pub(super) integration: Integration,
    pub(super) token: String,
}

/// Lets in a till that creates an integration (§4.1).
pub(super) async fn creator(relay: &Relay, head: &Head) -> Result<Caller, Refusal> {
    let caller = Caller::admit(relay, head).await?;
    read(relay, head, 1)?;
    Ok(caller)
}

/// Lets in a till with one of its own integrations (§4.2, §4.4).
pub(super) async fn owner(relay: &Relay, head: &Head) -> Result<(Caller, Subject), Refusal> {
    let caller = Caller::admit(relay, head).await?;
    let token = read(relay, head, 2)?;
    let integration = relay.store.integration(&Hash::of(&token)).await?;
    let integration = integration
        .filter(|integration| integration.till == caller.till.label)
        .ok_or_else(unknown_integration)?;
    let token = token.into_owned();
    Ok((caller, Subject { integration, token }))
}

/// Lets in a till that asks about its merchant.
pub(super) async fn anyone(relay: &Relay, head: &Head) -> Result<Caller, Refusal> {
    let caller = Caller::admit(relay, head).await?;
    without_body(head)?;
    Ok(caller)
}

/// Reads the parameters, of which the first `required` must be there; gives the integration token.
fn read<'r>(relay: &Relay, head: &'r Head, required: usize) -> Result<Cow<'r, str>, Refusal> {
    let query = head.parts.uri.query().unwrap_or_default();
    if query.len() > query::MAX_LENGTH {
        return Err(ProblemCode::UriTooLong.into());
    }
    without_body(head)?;
    let names = [
        parameter::CLIENT_ID,
        parameter::INTEGRATION_TOKEN,
        parameter::CLIENT_SECRET,
    ];
    let [client_id, token, secret] = Parameters::parse(query, names)?.required(required)?;
    // It does not belong into a page at all, and whoever sent it should hear of that.
    if !secret.is_empty() {
        let code = ProblemCode::InvalidParameter;
        return Err(Refusal::parameter(code, parameter::CLIENT_SECRET));
    }
    if client_id != relay.upstream.client_id() {
        let code = ProblemCode::InvalidClient;
        return Err(Refusal::parameter(code, parameter::CLIENT_ID));
    }
    Ok(token)
}

pub(super) fn without_body(head: &Head) -> Result<(), Refusal> {
    match head.has_body {
        false => Ok(()),
        true => Err(ProblemCode::MalformedRequest.into()),
    }
}

fn allowed_page(relay: &Relay, headers: &HeaderMap) -> Result<Page, Refusal> {
    let page = Page::of(headers)?;
    let origins = &relay.settings.origins;
    let is_known = |origin| origins.iter().any(|known| known.as_str() == origin);
    match page.origin().is_none_or(is_known) {
        true => Ok(page),
        false => Err(ProblemCode::OriginNotAllowed.into()),
    }
}

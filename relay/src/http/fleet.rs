//! Tills of a fleet: the vendor's server adds, lists and revokes them, as the commands do. No page may.

use super::caller::without_body;
use super::incoming::{Head, Incoming};
use super::operation;
use crate::fleet_key;
use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::store::{Actor, Revocation, Till, TillQuery};
use crate::till::{self, LONGEST_NAME, Request};
use axum::http::header::HeaderValue;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use pos_connect_foundation::bearer::bearer;
use pos_connect_foundation::idempotency_key;
use pos_connect_foundation::page::Page;
use pos_connect_foundation::query::{self, Parameters};
use pos_connect_foundation::token::Kind;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::body::{Members, is_text};
use pos_connect_protocol::header::IDEMPOTENT_REPLAYED;
use pos_connect_protocol::json::Json;
use pos_connect_protocol::relay::path::ONE_TILL;
use pos_connect_protocol::relay::{AddedTillResponse, FleetTill, RelayProblemCode, TillsResponse};
use tokio::sync::OwnedSemaphorePermit;

/// Tills in one answer.
const PAGE: u32 = 500;
/// Longest body: two names.
const LONGEST_BODY: usize = 16 * 1024;
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// A vendor's server that proved itself.
struct Caller {
    /// Label of its fleet key.
    label: String,
    /// The call of a server, which is no page.
    page: Page,
    _place: OwnedSemaphorePermit,
}

impl Caller {
    async fn admit(relay: &Relay, head: &Head) -> Result<Self, Refusal> {
        let headers = &head.parts.headers;
        // A page's call to its own origin may come without `Origin`; no server sends the other.
        let page = Page::of(headers)?;
        if page.origin().is_some() || headers.contains_key("sec-fetch-site") {
            return Err(ProblemCode::OriginNotAllowed.into());
        }
        let key = bearer(headers, Kind::Fleet).ok_or(RelayProblemCode::Unauthorized)?;
        let key = fleet_key::recognize(&relay.store, key).await?;
        let key = key.ok_or(RelayProblemCode::Unauthorized)?;
        let place = relay.shares.place(key.key);
        let place = place.ok_or_else(|| Refusal::slow_down(1))?;
        let counted = relay.fleet_calls.count(key.key, relay.clock.now());
        counted.map_err(Refusal::slow_down)?;
        Ok(Self {
            label: key.label,
            page,
            _place: place,
        })
    }
}

pub(super) async fn on_tills(relay: Relay, incoming: Incoming) -> Result<Response, Refusal> {
    match incoming.head.parts.method {
        Method::GET => list(&relay, incoming).await,
        Method::POST => add(&relay, incoming).await,
        _ => Err(Refusal::method_not_allowed("GET, POST")),
    }
}

pub(super) async fn on_till(relay: Relay, incoming: Incoming) -> Result<Response, Refusal> {
    match incoming.head.parts.method {
        Method::DELETE => revoke(&relay, incoming).await,
        _ => Err(Refusal::method_not_allowed("DELETE")),
    }
}

async fn add(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let Incoming { head, body } = incoming;
    let caller = Caller::admit(relay, &head).await?;
    without_query(&head)?;
    let headers = &head.parts.headers;
    let missing = || Refusal::parameter(ProblemCode::MissingParameter, IDEMPOTENCY_KEY);
    let idempotency_key = idempotency_key::read(headers)?.ok_or_else(missing)?;
    let body = operation::read(relay, headers, body, LONGEST_BODY).await?;
    let (merchant, name) = named(&body)?;
    let request = Request {
        fleet_key: &caller.label,
        idempotency_key: &idempotency_key,
    };
    let (names, now) = ((&*merchant, &*name), relay.clock.now());
    let added = till::add_for(&relay.store, &relay.sealer, request, names, now).await?;
    let added = added.ok_or(RelayProblemCode::Unauthorized)?;
    if (&added.till.merchant, &added.till.name) != (&merchant, &name) {
        return Err(ProblemCode::IdempotencyKeyReused.into());
    }
    let mut response = caller.page.json(&AddedTillResponse {
        success: true,
        till: shown(added.till),
        key: added.key,
    })?;
    if added.is_repeated {
        let headers = response.headers_mut();
        headers.insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// The names in a body, strictly.
fn named(body: &[u8]) -> Result<(String, String), Refusal> {
    let json: Json = serde_json::from_slice(body).map_err(|_| ProblemCode::MalformedRequest)?;
    let mut members = Members::of(&json, "")?;
    let merchant = members.required("merchant")?;
    let name = members.optional("name");
    let read = |member, value: &Json, rule: fn(&str) -> Result<String, String>| match value {
        Json::Text(text) => rule(text).map_err(|why| members.invalid(member, why)),
        _ => Err(members.invalid(member, "a text")),
    };
    let merchant = read("merchant", merchant, till::merchant_name)?;
    let name = name.map(|name| read("name", name, till::name));
    let name = name.transpose()?.unwrap_or_default();
    members.end()?;
    Ok((merchant, name))
}

async fn list(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let head = incoming.head;
    let caller = Caller::admit(relay, &head).await?;
    without_body(&head)?;
    let [merchant, after] = filters(head.parts.uri.query().unwrap_or_default())?;
    let mut query = TillQuery {
        merchant,
        limit: PAGE + 1,
        ..TillQuery::default()
    };
    if let Some(after) = after {
        let till = relay.store.till(&after).await?;
        let till = till.ok_or_else(|| invalid("after"))?;
        query.after = (till.created_at, till.label);
    }
    let mut tills = relay.store.tills(query).await?;
    let has_more = tills.len() > PAGE as usize;
    tills.truncate(PAGE as usize);
    let last = tills.last().filter(|_| has_more);
    caller.page.json(&TillsResponse {
        success: true,
        next: last.map(|till| till.label.clone()),
        tills: tills.into_iter().map(shown).collect(),
    })
}

/// The merchant whose tills are asked for, and the till that they come after.
fn filters(raw: &str) -> Result<[Option<String>; 2], Refusal> {
    if raw.len() > query::MAX_LENGTH {
        return Err(ProblemCode::UriTooLong.into());
    }
    // Without a merchant, these are the tills of all: nobody asks for them by a slip.
    for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=').unwrap_or((pair, "")) {
            ("merchant", "") => return Err(invalid("merchant")),
            ("merchant" | "after", _) => {}
            _ => return Err(ProblemCode::InvalidParameter.into()),
        }
    }
    let names = ["merchant", "after"];
    let values = Parameters::parse(raw, names)?.once()?;
    for (name, value) in names.into_iter().zip(&values) {
        if let Some(value) = value
            && !is_text(value, LONGEST_NAME)
        {
            return Err(invalid(name));
        }
    }
    Ok(values.map(|value| value.map(Into::into)))
}

fn invalid(name: &'static str) -> Refusal {
    Refusal::parameter(ProblemCode::InvalidParameter, name)
}

/// Idempotent: one that is revoked already is told the same.
async fn revoke(relay: &Relay, incoming: Incoming) -> Result<Response, Refusal> {
    let head = incoming.head;
    let caller = Caller::admit(relay, &head).await?;
    without_query(&head)?;
    without_body(&head)?;
    let (before, _) = ONE_TILL.split_once('{').unwrap_or_default();
    let id = head.parts.uri.path().strip_prefix(before);
    let (by, now) = (Actor::FleetKey(caller.label), relay.clock.now());
    match relay
        .store
        .revoke_till(id.unwrap_or_default(), &by, now)
        .await?
    {
        Revocation::Done => Ok(StatusCode::NO_CONTENT.into_response()),
        Revocation::Unknown => Err(RelayProblemCode::TillNotFound.into()),
        Revocation::Refused => Err(RelayProblemCode::Unauthorized.into()),
    }
}

fn without_query(head: &Head) -> Result<(), Refusal> {
    match head.parts.uri.query().unwrap_or_default() {
        "" => Ok(()),
        _ => Err(ProblemCode::MalformedRequest.into()),
    }
}

fn shown(till: Till) -> FleetTill {
    FleetTill {
        id: till.label,
        merchant: till.merchant,
        name: till.name,
        created_at: till.created_at.to_string(),
        revoked: till.revoked,
    }
}

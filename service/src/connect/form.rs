//! Forms that come back from the pages.

use super::language::Language;
use super::page::{Page, Trouble};
use super::sign_in::{self, Notice};
use super::visit::Visit;
use crate::http::query::Parameters;
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::store::Consent;
use crate::token::Kind;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{self, HeaderMap};
use axum::http::{StatusCode, request};
use axum::response::Response;
use pos_connect_protocol::{ProblemCode, StatusReason, parameter};
use std::time::Duration;

const MAX_BODY: usize = 16 * 1024;
/// A form arrives in one packet or two; whoever takes longer holds the connection on purpose.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
const FIELDS: [&str; 10] = [
    parameter::CLIENT_ID,
    parameter::INTEGRATION_TOKEN,
    "form",
    "lang",
    "till",
    "action",
    "email",
    "password",
    "store",
    "ereceipts",
];

/// The answer to a form: always the next page, never a redirect.
pub(super) async fn send(service: Service, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let body = read_body(&head, body).await?;
    let values = Parameters::parse(&body, FIELDS).and_then(Parameters::once);
    let asked = values.as_ref().ok().and_then(|values| values[3].as_deref());
    let language = Language::choose(asked, &head.headers);
    let incomplete = || Page::alone(language, StatusCode::BAD_REQUEST, Trouble::Incomplete);
    let Ok(
        [
            client_id,
            token,
            form,
            _,
            till,
            action,
            email,
            password,
            store,
            ereceipts,
        ],
    ) = values
    else {
        return Ok(incomplete());
    };
    let (Some(client_id), Some(token), Some(action)) = (client_id, token, action) else {
        return Ok(incomplete());
    };
    let mut visit = match Visit::identify(&service, &client_id, &token, language)? {
        Ok(visit) => visit,
        Err(page) => return Ok(page),
    };
    visit.till = till
        .map(String::from)
        .filter(|till| visit.origins.contains(till));
    if !came_from_our_page(&service, &head.headers) {
        return Ok(visit
            .page()
            .trouble(StatusCode::FORBIDDEN, Trouble::ForeignForm));
    }
    let email = email.unwrap_or_default();
    let form = form.and_then(|value| Kind::Form.digest(&value));
    let taken = match form {
        Some(form) => {
            service
                .store
                .take_form(form, visit.integration.hash, visit.now)
                .await?
        }
        None => None,
    };
    match (&*action, taken) {
        // Sent twice, or open for too long: nothing happens, and the way goes on from where the integration stands.
        (_, None) => sign_in::page(&visit, Notice::FormUsed, &email).await,
        ("cancel", Some(_)) => cancel(&visit).await,
        ("connect", Some(taken)) if taken.account.is_some() => {
            let choice = Choice {
                store: store.map(String::from),
                ereceipt: ereceipts.is_some(),
            };
            connect(&visit, taken.account, choice).await
        }
        ("sign-in", Some(taken)) if taken.account.is_none() => {
            sign_in::attempt(&visit, &email, &password.unwrap_or_default()).await
        }
        _ => Ok(incomplete()),
    }
}

async fn read_body(head: &request::Parts, body: Body) -> Result<String, Refusal> {
    let kind = head
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let form = kind.eq_ignore_ascii_case("application/x-www-form-urlencoded");
    let read = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await;
    match (form, read) {
        (true, Ok(Ok(bytes))) => {
            String::from_utf8(bytes.into()).map_err(|_| ProblemCode::MalformedRequest.into())
        }
        _ => Err(ProblemCode::MalformedRequest.into()),
    }
}

/// Refuses forms that another site's page sent. Browsers that say where a request comes from are believed; older ones send `Origin`.
fn came_from_our_page(service: &Service, headers: &HeaderMap) -> bool {
    let text = |name| {
        headers
            .get(name)
            .map(|value: &header::HeaderValue| value.to_str().unwrap_or_default())
    };
    if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site")) {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(header::ORIGIN) else {
        return true;
    };
    match &service.settings.public_origin {
        Some(own) => origin == own,
        None => {
            let host = text(header::HOST).unwrap_or_default();
            origin
                .split_once("://")
                .is_some_and(|(_, authority)| authority == host)
        }
    }
}

/// What the consent page asks.
struct Choice {
    store: Option<String>,
    ereceipt: bool,
}

async fn connect(visit: &Visit, account: Option<i64>, choice: Choice) -> Result<Response, Refusal> {
    let store = &visit.service.store;
    let account = match account {
        Some(id) => store.account(id)?,
        None => None,
    };
    let Some(account) = account.filter(|account| visit.integration.owner == Some(account.id))
    else {
        return Ok(visit
            .page()
            .trouble(StatusCode::FORBIDDEN, Trouble::OtherAccount));
    };
    let stores = store.stores(account.id)?;
    let chosen = stores
        .into_iter()
        .find(|store| Some(&store.public_id) == choice.store.as_ref());
    let Some(chosen) = chosen else {
        return sign_in::consent(visit, &account, true).await;
    };
    let now = visit.service.clock.now();
    let consent = Consent {
        integration: visit.integration.hash,
        account: account.id,
        store: chosen.public_id,
        ereceipt: choice.ereceipt,
    };
    store
        .finish(
            consent,
            now,
            now.after(visit.service.settings.pickup_window),
        )
        .await?;
    visit.end()
}

/// Asks for no sign-in: whoever holds the connect URL can end what it is for, and gains nothing by it.
async fn cancel(visit: &Visit) -> Result<Response, Refusal> {
    let now = visit.service.clock.now();
    visit
        .service
        .store
        .cancel(visit.integration.hash, StatusReason::Merchant, now)
        .await?;
    visit.end()
}

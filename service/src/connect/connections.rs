//! The merchant's own page: what is connected to the account, and how to end it.
//!
//! As in the connect frame there is no cookie. The list has a one-time value in each form, which is the session.

use super::credentials::{Credentials, Notice};
use super::form::came_from_our_page;
use super::page::{ConnectionRow, ConnectionsPage, Page, Seen, SignInPage, Trouble};
use super::visit::host;
use crate::http::form::read_body;
use crate::http::refusal::Refusal;
use crate::language;
use crate::service::Service;
use crate::store::{Account, Act, Actor, FormPage};
use crate::token::{Hash, Kind};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use pos_connect_foundation::query::Parameters;
use pos_connect_texts::{Connect, Language};

const FIELDS: [&str; 6] = ["form", "lang", "action", "email", "password", "connection"];

pub(super) async fn on_connections(
    service: Service,
    request: Request,
) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => {
            let (head, _) = request.into_parts();
            let query = head.uri.query().unwrap_or_default();
            let asked = Parameters::parse(query, ["lang"]).and_then(Parameters::once);
            let asked = asked.ok().and_then(|[lang]| lang);
            let language = language::choose(asked.as_deref(), &head.headers);
            let host = host(&service, &head.headers);
            Ok(sign_in(&service, language, &host, Notice::None, ""))
        }
        Method::POST => send(service, request).await,
        _ => Err(Refusal::method_not_allowed("GET, POST")),
    }
}

async fn send(service: Service, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let body = read_body(&head, body).await?;
    let read = Parameters::parse(&body, FIELDS).and_then(Parameters::once);
    let lang = read.as_ref().ok().and_then(|[_, lang, ..]| lang.as_deref());
    let language = language::choose(lang, &head.headers);
    let host = host(&service, &head.headers);
    let trouble = |status, trouble| {
        let page = Page::of_nobody(&service.settings.brand, language, &host, Seen::default());
        Ok(page.trouble(status, trouble))
    };
    let Ok([form, _, Some(action), email, password, connection]) = read else {
        return trouble(StatusCode::BAD_REQUEST, Trouble::Incomplete);
    };
    if !came_from_our_page(&service, &head.headers) {
        return trouble(StatusCode::FORBIDDEN, Trouble::ForeignForm);
    }
    let now = service.clock.now();
    if action == "sign-in" {
        let email = email.unwrap_or_default();
        let credentials = Credentials {
            email: &email,
            password: &password.unwrap_or_default(),
            integration: None,
            vendor: 0,
            address: service.address_of(&head),
            now,
        };
        return match credentials.check(&service).await? {
            Ok(account) => list(&service, language, &host, &account, None).await,
            Err(notice) => Ok(sign_in(&service, language, &host, notice, &email)),
        };
    }
    let form = form.and_then(|value| Kind::Form.digest(&value));
    let taken = match form {
        Some(value) => service.store.take_form(value, None, now).await?,
        None => None,
    };
    let account = match taken.and_then(|taken| taken.account) {
        Some(account) => service.store.account(account).await?,
        None => None,
    };
    // Sent twice, or open for too long; or the account was disabled meanwhile.
    let Some(account) = account else {
        return Ok(sign_in(&service, language, &host, Notice::FormUsed, ""));
    };
    match &*action {
        "disconnect" => {
            let all = service.store.connections(account.id, now).await?;
            let named = |hash: &Hash| connection.as_deref() == Some(&*hash.label());
            let found = all.into_iter().find(|one| named(&one.integration));
            let act = Act {
                actor: Actor::Account(account.id),
                address: service.address_of(&head),
                now,
            };
            let ended = match found {
                Some(one) => {
                    service
                        .store
                        .disconnect(account.id, one.integration, act)
                        .await?
                }
                None => None,
            };
            let ended = ended.map(|one| one.vendor);
            list(&service, language, &host, &account, ended.as_deref()).await
        }
        _ => trouble(StatusCode::BAD_REQUEST, Trouble::Incomplete),
    }
}

fn sign_in(
    service: &Service,
    language: Language,
    host: &str,
    notice: Notice,
    email: &str,
) -> Response {
    let t = Connect::of(language);
    let error = notice.error(t);
    let page = SignInPage {
        action: "connections",
        client_id: "",
        integration_token: "",
        form: "",
        email,
        error: error.as_deref(),
        notice: matches!(notice, Notice::FormUsed).then_some(t.form_used),
    };
    let seen = Seen {
        sent: !matches!(notice, Notice::None),
        ..Seen::default()
    };
    let shown = Page::of_nobody(&service.settings.brand, language, host, seen);
    let mut response = shown.sign_in_to_connections(notice.status(), page);
    notice.add_retry_after(&mut response);
    response
}

/// What is connected now; `ended` is the vendor that was disconnected just before.
async fn list(
    service: &Service,
    language: Language,
    host: &str,
    account: &Account,
    ended: Option<&str>,
) -> Result<Response, Refusal> {
    let now = service.clock.now();
    let all = service.store.connections(account.id, now).await?;
    let value = Kind::Form.mint();
    let page = FormPage {
        hash: Hash::of(&value),
        integration: None,
        account: Some(account.id),
    };
    service.store.open_form(page, now).await?;
    let rows = all.iter().map(|one| ConnectionRow {
        id: one.integration.label(),
        vendor: &one.vendor,
        store: &one.store,
        since: one.since.to_string()[..10].to_owned(),
    });
    let seen = Seen {
        sent: true,
        ..Seen::default()
    };
    let page = Page::of_nobody(&service.settings.brand, language, host, seen);
    Ok(page.connections(ConnectionsPage {
        form: &value,
        account,
        rows: rows.collect(),
        ended,
    }))
}

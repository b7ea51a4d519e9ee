//! Forms that come back from the pages.

use super::closing::Trouble;
use super::credentials::Notice;
use super::page::Page;
use super::provider;
use super::second_step;
use super::seen::{Seen, Theme, is_framed};
use super::sign_in;
use super::visit::{self, Named, Visit};
use crate::http::body;
use crate::http::refusal::Refusal;
use crate::language;
use crate::oidc::{Attempt, Provider};
use crate::service::Service;
use crate::sign_in::SignedIn;
use crate::store::{Act, Actor, Consent};
use crate::token::{Hash, Kind};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap};
use axum::http::request::Parts;
use axum::response::Response;
use pos_connect_foundation::query::Parameters;
use pos_connect_protocol::{Mode, StatusReason, parameter};
use std::borrow::Cow;
use std::net::IpAddr;

const FIELDS: [&str; 13] = [
    parameter::CLIENT_ID,
    parameter::INTEGRATION_TOKEN,
    "form",
    parameter::LANG,
    parameter::THEME,
    "till",
    "action",
    "email",
    "password",
    "store",
    "ereceipts",
    "code",
    "credential",
];

/// The fields of a form.
struct Form<'b> {
    client_id: Cow<'b, str>,
    token: Cow<'b, str>,
    /// The one-time value.
    form: Option<Hash>,
    theme: Option<Theme>,
    till: Option<Cow<'b, str>>,
    action: Cow<'b, str>,
    email: Cow<'b, str>,
    password: Cow<'b, str>,
    store: Option<Cow<'b, str>>,
    ereceipts: bool,
    code: Cow<'b, str>,
    /// The browser's answer with a passkey, as JSON.
    credential: Cow<'b, str>,
}

impl<'b> Form<'b> {
    /// Reads a body, and the language that the page had. `None` for what no page of ours sends.
    fn read(body: &'b str) -> (Option<Cow<'b, str>>, Option<Self>) {
        let Ok(values) = Parameters::parse(body, FIELDS).and_then(Parameters::once) else {
            return (None, None);
        };
        let [
            client_id,
            token,
            form,
            lang,
            theme,
            till,
            action,
            email,
            password,
            store,
            ereceipts,
            code,
            credential,
        ] = values;
        let (Some(client_id), Some(token), Some(action)) = (client_id, token, action) else {
            return (lang, None);
        };
        let form = Self {
            client_id,
            token,
            form: form.and_then(|value| Kind::Form.digest(&value)),
            theme: Theme::named(theme.as_deref()),
            till,
            action,
            email: email.unwrap_or_default(),
            password: password.unwrap_or_default(),
            store,
            ereceipts: ereceipts.is_some_and(|answer| answer != "no"),
            code: code.unwrap_or_default(),
            credential: credential.unwrap_or_default(),
        };
        (lang, Some(form))
    }
}

/// The answer to a form: always the next page, never a redirect.
pub(super) async fn send(service: Service, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let body = body::form(&head.headers, body).await?;
    let (lang, form) = Form::read(&body);
    let language = language::choose(lang.as_deref(), &head.headers);
    let host = visit::host(&service, &head.headers);
    let seen = Seen {
        framed: is_framed(&head.headers),
        sent: true,
        theme: form.as_ref().and_then(|form| form.theme),
    };
    let Some(form) = form else {
        return Ok(
            Page::of_nobody(&service.settings.brand, language, &host, seen)
                .trouble(StatusCode::BAD_REQUEST, Trouble::Incomplete),
        );
    };
    let named = Named {
        client_id: &form.client_id,
        token: &form.token,
        till: form.till.as_deref(),
        host: host.clone(),
        seen,
    };
    let visit = match Visit::identify(&service, named, language).await? {
        Ok(visit) => visit,
        Err(page) => return Ok(page),
    };
    if !came_from_our_page(&service, &head.headers) {
        return Ok(visit
            .page()
            .trouble(StatusCode::FORBIDDEN, Trouble::ForeignForm));
    }
    if let Some(provider) = provider::named(&service, &form.action)
        && visit.mode == Mode::Live
    {
        return leave(&visit, &form, provider, &head).await;
    }
    let address = service.address_of(&head);
    let page = act(&visit, &form, address).await?;
    Ok(page.unwrap_or_else(|| {
        visit
            .page()
            .trouble(StatusCode::BAD_REQUEST, Trouble::Incomplete)
    }))
}

/// Goes to a provider to sign in there. Needs no one-time value, because it changes nothing: the frame's page stays as
/// it is while the provider has a window of its own.
async fn leave(
    visit: &Visit,
    form: &Form<'_>,
    provider: &Provider,
    head: &Parts,
) -> Result<Response, Refusal> {
    let attempt = Attempt {
        client_id: visit.client_id.clone(),
        integration_token: visit.integration_token.clone(),
        lang: visit.language.tag().into(),
        theme: form.theme.map_or("", Theme::name).into(),
        till: visit.till.clone().unwrap_or_default(),
        ..Attempt::default()
    };
    let integration = Some(visit.integration.hash);
    match provider::leave(&visit.service, provider, attempt, integration, head).await? {
        Ok(leaving) => Ok(leaving.page(&visit.page())),
        Err(notice) => sign_in::page(visit, notice, "").await,
    }
}

/// What the merchant has pressed; `None` if no page of ours has that.
async fn act(
    visit: &Visit,
    form: &Form<'_>,
    address: Option<IpAddr>,
) -> Result<Option<Response>, Refusal> {
    let takes_passwords = visit.service.settings.takes_passwords(visit.mode);
    if form.action == "code" && takes_passwords {
        let sent = second_step::Sent {
            form: form.form,
            code: &form.code,
            credential: &form.credential,
            address,
        };
        return second_step::attempt(visit, sent).await.map(Some);
    }
    let taken = match form.form {
        Some(value) => {
            let store = &visit.service.store;
            let integration = Some(visit.integration.hash);
            store.take_form(value, integration, visit.now).await?
        }
        None => None,
    };
    let signed_in = taken.map(|taken| taken.account);
    let account = signed_in.flatten().map(|who| who.account);
    let act = Act {
        actor: account.map_or(Actor::Visitor(Some(visit.mode)), Actor::Account),
        address,
        now: visit.now,
    };
    let page = match (&*form.action, signed_in) {
        ("cancel", _) if may_cancel(visit, account) => cancel(visit, act).await,
        // Sent twice, or open for too long: nothing happens, and the way goes on from where the integration stands.
        ("cancel", _) | (_, None) => sign_in::page(visit, Notice::FormUsed, &form.email).await,
        ("not-you", Some(Some(who))) => sign_in::leave(visit, who.account).await,
        ("connect", Some(Some(who))) => connect(visit, who, form, act).await,
        ("sign-in", Some(None)) if takes_passwords => {
            sign_in::attempt(visit, &form.email, &form.password, address).await
        }
        _ => return Ok(None),
    };
    page.map(Some)
}

/// Refuses forms that another site's page sent. Browsers that say where a request comes from are believed; older ones
/// send `Origin`.
pub(super) fn came_from_our_page(service: &Service, headers: &HeaderMap) -> bool {
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

async fn connect(
    visit: &Visit,
    who: SignedIn,
    form: &Form<'_>,
    act: Act,
) -> Result<Response, Refusal> {
    let store = &visit.service.store;
    let account = store.account(who).await?;
    let owner = account.filter(|account| visit.integration.owner == Some(account.id));
    let Some(account) = owner else {
        return Ok(visit
            .page()
            .trouble(StatusCode::FORBIDDEN, Trouble::OtherAccount));
    };
    let stores = store.stores(account.id).await?;
    let chosen = stores
        .into_iter()
        .find(|store| form.store.as_deref() == Some(&store.public_id));
    let Some(chosen) = chosen else {
        return sign_in::consent(visit, &account, true).await;
    };
    let now = visit.service.clock.now();
    let consent = Consent {
        integration: visit.integration.hash,
        who,
        store: chosen.public_id.clone(),
        ereceipt: form.ereceipts && visit.service.settings.offers_ereceipts,
    };
    let pickup_until = now.after(visit.service.settings.pickup_window);
    let ereceipt = consent.ereceipt;
    match store
        .finish(consent, Act { now, ..act }, pickup_until)
        .await?
    {
        true => Ok(visit
            .page()
            .finished(Some((&chosen.name, &account.name, ereceipt)))),
        false => visit.end().await,
    }
}

/// Asks for no sign-in until somebody owns the integration: whoever holds the connect URL can end what it is for, and
/// gains nothing by it. A used or expired form will do: a merchant who says no must not be asked to sign in first.
pub(super) fn may_cancel(visit: &Visit, account: Option<i64>) -> bool {
    let owner = visit.integration.owner;
    owner.is_none() || account == owner
}

/// The merchant wants no connection.
pub(super) async fn cancel(visit: &Visit, act: Act) -> Result<Response, Refusal> {
    let store = &visit.service.store;
    store
        .cancel(visit.integration.hash, StatusReason::Merchant, act)
        .await?;
    visit.end().await
}

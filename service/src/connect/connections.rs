//! The merchant's own page: what is connected to the account, its e-receipts, and how to end it.
//!
//! As in the connect frame there is no cookie, but for the way to a provider. The list has a one-time value in each
//! form, which is the session.

use super::closing::Trouble;
use super::credentials::{Credentials, Notice, Passed};
use super::form::came_from_our_page;
use super::moment::Moment;
use super::page::{COOP, Changed, ConnectionRow, ConnectionsPage, Page, SignInOptions, SignInPage};
use super::passkey;
use super::provider;
use super::seen::Seen;
use super::sentence::Sentence;
use super::visit::host;
use crate::clock::Timestamp;
use crate::http::body;
use crate::http::refusal::Refusal;
use crate::language;
use crate::oidc::{Attempt, Provider};
use crate::service::Service;
use crate::store::{Account, Act, Actor, Connection, FormPage};
use crate::token::{Hash, Kind};
use axum::extract::Request;
use axum::http::header::HeaderValue;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use pos_connect_foundation::query::Parameters;
use pos_connect_protocol::Mode;
use pos_connect_texts::{Connect, Language};
use std::net::IpAddr;

const FIELDS: [&str; 11] = [
    "form",
    "lang",
    "mode",
    "action",
    "email",
    "password",
    "connection",
    "code",
    "set-up",
    "credential",
    "id",
];

/// A page that opens this one gets no hold of it. The connect page has to tell its opener.
pub(super) async fn on_connections(
    service: Service,
    request: Request,
) -> Result<Response, Refusal> {
    let mut response = answer(service, request).await?;
    let headers = response.headers_mut();
    headers.insert(COOP, HeaderValue::from_static("same-origin"));
    Ok(response)
}

async fn answer(service: Service, request: Request) -> Result<Response, Refusal> {
    match *request.method() {
        Method::GET => {
            let (head, _) = request.into_parts();
            let query = head.uri.query().unwrap_or_default();
            let asked = Parameters::parse(query, ["lang", "mode"]).and_then(Parameters::once);
            let [lang, mode] = asked.unwrap_or_default();
            let visitor = Visitor::of(&service, &head, lang.as_deref()).in_mode(mode.as_deref());
            Ok(visitor.sign_in(Notice::None, ""))
        }
        Method::POST => send(service, request).await,
        _ => Err(Refusal::method_not_allowed("GET, POST")),
    }
}

async fn send(service: Service, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let body = body::form(&head.headers, body).await?;
    let read = Parameters::parse(&body, FIELDS).and_then(Parameters::once);
    let [
        form,
        lang,
        mode,
        action,
        email,
        password,
        connection,
        code,
        set_up,
        credential,
        id,
    ] = read.unwrap_or_default();
    let visitor = Visitor::of(&service, &head, lang.as_deref()).in_mode(mode.as_deref());
    let Some(action) = action else {
        return Ok(visitor.trouble(StatusCode::BAD_REQUEST, Trouble::Incomplete));
    };
    if !came_from_our_page(&service, &head.headers) {
        return Ok(visitor.trouble(StatusCode::FORBIDDEN, Trouble::ForeignForm));
    }
    if let Some(provider) = provider::named(&service, &action) {
        return visitor.leave(provider, &head).await;
    }
    let typed = Typed {
        form: &form.unwrap_or_default(),
        password: &password.unwrap_or_default(),
        set_up: &set_up.unwrap_or_default(),
        code: &code.unwrap_or_default(),
        credential: &credential.unwrap_or_default(),
        id: &id.unwrap_or_default(),
    };
    if action == "sign-in" && service.settings.takes_passwords(visitor.mode) {
        let email = email.unwrap_or_default();
        return visitor.attempt(&email, typed.password).await;
    }
    if action == "code" {
        return visitor.try_proof(typed).await;
    }
    if action == "cancel" {
        return Ok(visitor.sign_in(Notice::None, ""));
    }
    // Sent twice, or open for too long; or the account was disabled meanwhile.
    let Some(account) = visitor.account(typed.form).await? else {
        return Ok(visitor.sign_in(Notice::FormUsed, ""));
    };
    let connection = connection.as_deref();
    visitor.act(&account, &action, connection, typed).await
}

/// What a second step takes, and a change of the second factor.
#[derive(Clone, Copy)]
pub(super) struct Typed<'a> {
    /// The page's one-time value.
    pub(super) form: &'a str,
    pub(super) password: &'a str,
    /// Which page has shown the secret.
    pub(super) set_up: &'a str,
    pub(super) code: &'a str,
    /// The browser's answer with a passkey, as JSON.
    pub(super) credential: &'a str,
    /// The row number of a passkey.
    pub(super) id: &'a str,
}

/// Who looks at the page.
pub(super) struct Visitor<'s> {
    pub(super) service: &'s Service,
    pub(super) language: Language,
    /// Test, where the page is for test accounts alone.
    mode: Mode,
    /// Where the page comes from, as they may know it.
    pub(super) host: String,
    pub(super) address: Option<IpAddr>,
    pub(super) now: Timestamp,
}

impl<'s> Visitor<'s> {
    /// `lang` is what the page's address or form says.
    pub(super) fn of(service: &'s Service, head: &Parts, lang: Option<&str>) -> Self {
        Self {
            service,
            language: language::choose(lang, &head.headers),
            mode: Mode::Live,
            host: host(service, &head.headers),
            address: service.address_of(head),
            now: service.clock.now(),
        }
    }

    /// This visitor of a page that says which accounts it is for.
    fn in_mode(self, word: Option<&str>) -> Self {
        let mode = word.and_then(Mode::parse).unwrap_or(Mode::Live);
        Self { mode, ..self }
    }

    fn page(&self, seen: Seen) -> Page<'_> {
        let brand = &self.service.settings.brand;
        Page {
            mode: self.mode,
            ..Page::of_nobody(brand, self.language, &self.host, seen)
        }
    }

    /// The page frame of an answer to a form; the mode is the account's.
    pub(super) fn sent_page(&self, mode: Mode) -> Page<'_> {
        let seen = Seen {
            sent: true,
            ..Seen::default()
        };
        Page {
            mode,
            ..self.page(seen)
        }
    }

    pub(super) fn trouble(&self, status: StatusCode, trouble: Trouble) -> Response {
        self.page(Seen::default()).trouble(status, trouble)
    }

    pub(super) fn sign_in(&self, notice: Notice, email: &str) -> Response {
        let t = Connect::of(self.language);
        let error = notice.error(t);
        let page = SignInPage {
            action: "connections",
            client_id: "",
            integration_token: "",
            form: "",
            email,
            options: SignInOptions::of(self.service, self.mode),
            window_code: "",
            error: error.as_deref(),
            notice: notice.notice(t),
        };
        let shown = self.page(Seen {
            sent: !matches!(notice, Notice::None),
            ..Seen::default()
        });
        let mut response = shown.sign_in_to_connections(notice.status(), page);
        notice.add_retry_after(&mut response);
        response
    }

    /// Whose email and password they are.
    pub(super) async fn check(
        &self,
        email: &str,
        password: &str,
    ) -> Result<Result<Passed, Notice>, Refusal> {
        let credentials = Credentials {
            email,
            password,
            integration: None,
            mode: (self.mode == Mode::Test).then_some(Mode::Test),
            address: self.address,
            now: self.now,
        };
        credentials.check(self.service).await
    }

    /// Signs in, and shows the list.
    async fn attempt(&self, email: &str, password: &str) -> Result<Response, Refusal> {
        match self.check(email, password).await? {
            Ok(passed) if passed.awaits_code => self.ask_code(&passed.account).await,
            Ok(passed) => self.list(&passed.account, None).await,
            Err(notice) => Ok(self.sign_in(notice, email)),
        }
    }

    /// Goes to a provider to sign in there.
    async fn leave(&self, provider: &Provider, head: &Parts) -> Result<Response, Refusal> {
        let attempt = Attempt {
            lang: self.language.tag().into(),
            ..Attempt::default()
        };
        match provider::leave(self.service, provider, attempt, None, head).await? {
            Ok(leaving) => Ok(leaving.page(&self.page(Seen::default()))),
            Err(notice) => Ok(self.sign_in(notice, "")),
        }
    }

    /// Whose list a form is of; it counts once.
    async fn account(&self, form: &str) -> Result<Option<Account>, Refusal> {
        let store = &self.service.store;
        let Some(value) = Kind::Form.digest(form) else {
            return Ok(None);
        };
        let taken = store.take_form(value, None, self.now).await?;
        match taken.and_then(|taken| taken.account) {
            Some(account) => Ok(store.account(account).await?),
            None => Ok(None),
        }
    }

    /// Does what a button says, for a merchant who is signed in.
    async fn act(
        &self,
        account: &Account,
        action: &str,
        connection: Option<&str>,
        typed: Typed<'_>,
    ) -> Result<Response, Refusal> {
        match action {
            "sign-out" => Ok(self.sign_in(Notice::None, "")),
            "list" => self.list(account, None).await,
            "disconnect" | "ereceipts-on" | "ereceipts-off" => {
                self.change(account, connection, action).await
            }
            _ => {
                let changed = self.change_second_factor(account, action, typed);
                let incomplete = || self.trouble(StatusCode::BAD_REQUEST, Trouble::Incomplete);
                Ok(changed.await?.unwrap_or_else(incomplete))
            }
        }
    }

    /// Does something with the connection of this label, if it is the account's, and shows what is there then.
    async fn change(
        &self,
        account: &Account,
        label: Option<&str>,
        action: &str,
    ) -> Result<Response, Refusal> {
        let (store, who) = (&self.service.store, account.signed_in());
        let all = store.connections(account.id, self.now).await?;
        let named = |one: &Connection| label == Some(&*one.integration.label());
        let Some(hash) = all.into_iter().find(named).map(|one| one.integration) else {
            return self.list(account, None).await;
        };
        let act = Act {
            actor: Actor::Account(account.id),
            address: self.address,
            now: self.now,
        };
        if action == "disconnect" {
            let ended = store.disconnect(who, hash, act).await?;
            let changed = ended.as_ref().map(|one| Changed::Disconnected(&one.store));
            return self.list(account, changed).await;
        }
        // A form of before is worth no more where e-receipts are not offered.
        let is_on = action == "ereceipts-on" && self.service.settings.offers_ereceipts;
        let switched = match store.switch_ereceipts(who, hash, is_on, act).await? {
            Ok(switched) => switched,
            // Each list has the form for another change: who makes them without end has to sign in again.
            Err(wait) => return Ok(self.sign_in(Notice::TooMany(wait), "")),
        };
        let changed = switched
            .as_ref()
            .map(|one| Changed::Ereceipts(&one.store, is_on));
        self.list(account, changed).await
    }

    /// A new one-time value for a page of the account's. `None` if the sign-in counts no more.
    pub(super) async fn mint_form(&self, account: &Account) -> Result<Option<String>, Refusal> {
        let value = Kind::Form.mint();
        let page = FormPage {
            hash: Hash::of(&value),
            integration: None,
            account: Some(account.signed_in()),
        };
        let now = self.service.clock.now();
        let is_open = self.service.store.open_form(page, now).await?;
        Ok(is_open.then_some(value))
    }

    /// What is connected now.
    pub(super) async fn list(
        &self,
        account: &Account,
        changed: Option<Changed<'_>>,
    ) -> Result<Response, Refusal> {
        self.list_with(account, changed, Notice::None).await
    }

    /// What is connected now, with what is wrong with a code or a password.
    pub(super) async fn list_with(
        &self,
        account: &Account,
        changed: Option<Changed<'_>>,
        notice: Notice,
    ) -> Result<Response, Refusal> {
        let Some(form) = self.mint_form(account).await? else {
            return Ok(self.sign_in(Notice::FormUsed, ""));
        };
        let (store, settings) = (&self.service.store, &self.service.settings);
        let now = self.service.clock.now();
        let all = store.connections(account.id, now).await?;
        let is_alike = |one: &Connection, other: &Connection| {
            (&one.vendor, &one.store) == (&other.vendor, &other.store)
        };
        let rows = all.iter().map(|one| ConnectionRow {
            id: one.integration.label(),
            vendor: &one.vendor,
            store: &one.store,
            since: Moment::new(one.since, self.language),
            last_used: one.last_used.map(|at| Moment::new(at, self.language)),
            is_alike: all.iter().filter(|other| is_alike(one, other)).count() > 1,
            ereceipt: one.ereceipt,
            disconnect: Sentence::new(Connect::of(self.language).disconnect_named, &one.store),
        });
        let passkeys = store.passkeys(account.id).await?.into_iter();
        let passkeys = passkeys.map(|one| (one.id, Moment::new(one.created_at, self.language)));
        let mut response = self.sent_page(account.mode).connections(ConnectionsPage {
            form: &form,
            account,
            rows: rows.collect(),
            offers_ereceipts: settings.offers_ereceipts,
            changed,
            has_password: settings.takes_passwords(account.mode) && account.password_hash.is_some(),
            second_factor: store.second_factor(account.id).await?,
            passkeys: passkeys.collect(),
            has_relying_party: passkey::relying_party(self.service, &self.host).is_some(),
            error: notice.error(Connect::of(self.language)),
            status: notice.status(),
        });
        notice.add_retry_after(&mut response);
        Ok(response)
    }
}

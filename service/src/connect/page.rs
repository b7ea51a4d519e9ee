//! The pages themselves: templates, and the headers that every page carries.

use super::moment::Moment;
use super::seen::{Seen, Theme};
use super::sentence::Sentence;
use crate::brand::Brand;
use crate::http::answer::mark;
use crate::logo::Logo;
use crate::oidc::ProviderSettings;
use crate::service::Service;
use crate::store::{Account, AccountStore, SecondFactor};
use askama::Template;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use pos_connect_protocol::{Mode, hint};
use pos_connect_texts::{self as texts, Connect, Language};
use std::net::SocketAddr;

pub(super) const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const COEP: HeaderName = HeaderName::from_static("cross-origin-embedder-policy");
pub(super) const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// What all pages of one visit have in common.
pub(super) struct Page<'a> {
    pub(super) language: Language,
    /// That of the vendor, or of the account; a page of neither is live.
    pub(super) mode: Mode,
    /// Name of the vendor, once the integration is known to be its own.
    pub(super) vendor: Option<&'a str>,
    pub(super) vendor_logo: Option<&'a str>,
    pub(super) origins: &'a [String],
    /// The origin to which changes are announced.
    pub(super) till: Option<&'a str>,
    /// What the till shows too, outside its frame.
    pub(super) code: Option<&'a str>,
    pub(super) seen: Seen,
    /// Where the page comes from, as the merchant may know it; empty if that is not known.
    pub(super) host: &'a str,
    /// Milliseconds until the integration expires.
    pub(super) expires: i64,
    pub(super) brand: &'a Brand,
}

/// Fills the sign-in page.
pub(super) struct SignInPage<'a> {
    /// Where it is sent.
    pub(super) action: &'static str,
    pub(super) client_id: &'a str,
    pub(super) integration_token: &'a str,
    pub(super) form: &'a str,
    pub(super) email: &'a str,
    pub(super) options: SignInOptions<'a>,
    /// The number that a window shows which is opened from the till's frame; empty on the list of connections.
    pub(super) window_code: &'a str,
    pub(super) error: Option<&'a str>,
    pub(super) notice: Option<&'a str>,
}

/// The ways to sign in.
pub(super) struct SignInOptions<'a> {
    /// The providers, in their order.
    pub(super) providers: Vec<&'a ProviderSettings>,
    /// Whether there are passwords.
    pub(super) passwords: bool,
}

impl<'a> SignInOptions<'a> {
    /// Providers know no test accounts, so a page of test mode has passwords alone.
    pub(super) fn of(service: &'a Service, mode: Mode) -> Self {
        let providers = service.providers.iter().filter(|_| mode == Mode::Live);
        Self {
            providers: providers.map(|one| &one.settings).collect(),
            passwords: service.settings.takes_passwords(mode),
        }
    }
}

/// Fills the consent page.
pub(super) struct ConsentPage<'a> {
    pub(super) client_id: &'a str,
    pub(super) integration_token: &'a str,
    pub(super) form: &'a str,
    pub(super) account: &'a Account,
    pub(super) stores: &'a [AccountStore],
    pub(super) offers_ereceipts: bool,
    pub(super) error: Option<&'a str>,
}

/// Fills the list of connections.
pub(super) struct ConnectionsPage<'a> {
    pub(super) form: &'a str,
    pub(super) account: &'a Account,
    pub(super) rows: Vec<ConnectionRow<'a>>,
    /// Whether e-receipts can be switched.
    pub(super) offers_ereceipts: bool,
    /// What was changed just before.
    pub(super) changed: Option<Changed<'a>>,
    /// Whether the account is signed in to with a password.
    pub(super) has_password: bool,
    /// What is asked for beside it.
    pub(super) second_factor: Option<SecondFactor>,
    /// The row number of each passkey, and when it was added.
    pub(super) passkeys: Vec<(i64, Moment)>,
    /// Whether the page has an address that passkeys can be for.
    pub(super) has_relying_party: bool,
    /// What is wrong with a code or a password.
    pub(super) error: Option<String>,
    pub(super) status: StatusCode,
}

/// What a merchant has done: with a connection, whose store it names, or with the second factor, in the page's words;
/// or why nothing came of it.
#[derive(Clone, Copy)]
pub(super) enum Changed<'a> {
    Disconnected(&'a str),
    Ereceipts(&'a str, bool),
    SecondFactor(&'static str),
    Nothing(&'static str),
}

/// A connection of the list.
pub(super) struct ConnectionRow<'a> {
    /// Names it among those of its account.
    pub(super) id: String,
    pub(super) vendor: &'a str,
    pub(super) store: &'a str,
    /// When the merchant consented.
    pub(super) since: Moment,
    /// When a till used it last.
    pub(super) last_used: Option<Moment>,
    /// Whether another one has the same vendor and store.
    pub(super) is_alike: bool,
    pub(super) ereceipt: bool,
    /// Names the button that ends it.
    pub(super) disconnect: Sentence<'a>,
}

/// What the layout needs.
pub(super) struct Frame<'a> {
    pub(super) lang: &'static str,
    pub(super) dir: &'static str,
    pub(super) t: &'static Connect,
    pub(super) is_test: bool,
    /// `data-page`: which page this is, for scripts and tests.
    pub(super) name: &'static str,
    /// `data-hint`: what the page says to the till.
    pub(super) hint: &'static str,
    pub(super) origins: String,
    pub(super) till: &'a str,
    pub(super) code: Option<&'a str>,
    pub(super) framed: bool,
    pub(super) sent: bool,
    /// `light`, `dark`, or empty.
    pub(super) theme: &'static str,
    /// Where the page comes from; empty if it is not known.
    pub(super) host: &'a str,
    /// The vendor's name, once it is known.
    pub(super) vendor: Option<&'a str>,
    pub(super) vendor_logo: Option<&'a str>,
    /// Milliseconds until the integration expires; 0 on a page that does not wait for the merchant.
    pub(super) expires: i64,
    pub(super) brand: &'a Brand,
}

/// A provider to choose.
struct ProviderButton<'a> {
    id: &'a str,
    logo: Option<&'a Logo>,
    text: Sentence<'a>,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInTemplate<'a> {
    frame: Frame<'a>,
    heading: Sentence<'a>,
    lead: Sentence<'a>,
    providers: Vec<ProviderButton<'a>>,
    /// In the till's frame: what the window of a provider shows, too.
    window: Sentence<'a>,
    page: SignInPage<'a>,
}

#[derive(Template)]
#[template(path = "leave.html")]
struct LeaveTemplate<'a> {
    frame: Frame<'a>,
    heading: Sentence<'a>,
    url: &'a str,
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentTemplate<'a> {
    frame: Frame<'a>,
    heading: Sentence<'a>,
    asks: Sentence<'a>,
    page: ConsentPage<'a>,
}

#[derive(Template)]
#[template(path = "connections.html")]
struct ConnectionsTemplate<'a> {
    frame: Frame<'a>,
    changed: Option<Sentence<'a>>,
    label: &'static str,
    /// How many recovery codes are left, where there is a second factor.
    recovery_codes: Option<Sentence<'a>>,
    page: ConnectionsPage<'a>,
}

impl Frame<'_> {
    /// The vendor's, in the place of a logo.
    pub(super) fn initial(&self) -> String {
        let first = self.vendor.and_then(|name| name.chars().next());
        first.into_iter().flat_map(char::to_uppercase).collect()
    }
}

impl<'a> Page<'a> {
    /// A page that belongs to no vendor, so nobody may frame it.
    pub(super) fn of_nobody(
        brand: &'a Brand,
        language: Language,
        host: &'a str,
        seen: Seen,
    ) -> Self {
        Page {
            language,
            mode: Mode::Live,
            vendor: None,
            vendor_logo: None,
            origins: &[],
            till: None,
            code: None,
            seen,
            host,
            expires: 0,
            brand,
        }
    }

    pub(super) fn sign_in(&self, status: StatusCode, page: SignInPage<'_>) -> Response {
        let frame = self.frame("sign-in", hint::READY);
        let heading = Sentence::new(frame.t.sign_in_heading, self.vendor_name());
        let lead = Sentence::new(frame.t.sign_in_lead, self.vendor_name());
        self.ask_who(status, frame, (heading, lead), page)
    }

    pub(super) fn sign_in_to_connections(
        &self,
        status: StatusCode,
        page: SignInPage<'_>,
    ) -> Response {
        let frame = self.frame("sign-in", "");
        let heading = Sentence::new(frame.t.connections_heading, "");
        let lead = Sentence::new(frame.t.connections_lead, "");
        self.ask_who(status, frame, (heading, lead), page)
    }

    fn ask_who(
        &self,
        status: StatusCode,
        frame: Frame<'_>,
        (heading, lead): (Sentence<'_>, Sentence<'_>),
        page: SignInPage<'_>,
    ) -> Response {
        let providers = page.options.providers.iter().copied();
        let providers = providers.map(|provider| ProviderButton {
            id: &provider.id,
            logo: provider.logo.as_ref(),
            text: Sentence::new(frame.t.sign_in_with, &provider.name),
        });
        let window = texts::Frame::of(self.language).code_window;
        let template = SignInTemplate {
            providers: providers.collect(),
            window: Sentence::with(window, "#", page.window_code),
            heading,
            lead,
            frame,
            page,
        };
        self.respond(status, &template)
    }

    /// Sends the browser on to a provider. A redirect would be held to the `form-action` of the page before.
    pub(super) fn leave(&self, provider: &str, url: &str) -> Response {
        let frame = self.frame("leave", "");
        let heading = Sentence::new(frame.t.sign_in_with, provider);
        let template = LeaveTemplate {
            frame,
            heading,
            url,
        };
        self.respond(StatusCode::OK, &template)
    }

    pub(super) fn connections(&self, page: ConnectionsPage<'_>) -> Response {
        let frame = self.frame("connections", "");
        let sentence = |changed| match changed {
            Changed::Disconnected(store) => Sentence::new(frame.t.disconnected, store),
            Changed::Ereceipts(store, true) => Sentence::new(frame.t.ereceipts_now_on, store),
            Changed::Ereceipts(store, false) => Sentence::new(frame.t.ereceipts_now_off, store),
            Changed::SecondFactor(text) | Changed::Nothing(text) => Sentence::new(text, ""),
        };
        let left = page.second_factor.map(|one| one.recovery_codes.to_string());
        let left = left.as_deref();
        let template = ConnectionsTemplate {
            changed: page.changed.map(sentence),
            label: frame.t.one_time_code,
            recovery_codes: left.map(|left| Sentence::new(frame.t.second_factor_is_on, left)),
            frame,
            page,
        };
        self.respond(template.page.status, &template)
    }

    pub(super) fn consent(&self, page: ConsentPage<'_>) -> Response {
        let frame = self.frame("consent", hint::READY);
        let heading = Sentence::new(frame.t.consent_heading, self.vendor_name());
        let asks = Sentence::new(frame.t.asks, self.vendor_name());
        self.respond(
            StatusCode::OK,
            &ConsentTemplate {
                frame,
                heading,
                asks,
                page,
            },
        )
    }

    pub(super) fn vendor_name(&self) -> &str {
        self.vendor.unwrap_or_default()
    }

    pub(super) fn frame(&self, name: &'static str, hint: &'static str) -> Frame<'a> {
        Frame {
            lang: self.language.tag(),
            dir: self.language.direction(),
            t: Connect::of(self.language),
            is_test: self.mode == Mode::Test,
            name,
            hint,
            origins: self.origins.join(" "),
            till: self.till.unwrap_or_default(),
            code: self.code,
            framed: self.seen.framed,
            sent: self.seen.sent,
            theme: self.seen.theme.map_or("", Theme::name),
            host: match self.brand.is_shown() && is_loopback(self.host) {
                true => "",
                false => self.host,
            },
            vendor: self.vendor,
            vendor_logo: self.vendor_logo,
            expires: if hint == hint::READY { self.expires } else { 0 },
            brand: self.brand,
        }
    }

    pub(super) fn respond(&self, status: StatusCode, template: &impl Template) -> Response {
        let Ok(html) = template.render() else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let ancestors = if self.origins.is_empty() {
            "'none'".into()
        } else {
            self.origins.join(" ")
        };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
             form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}"
        );
        let mut response = (status, html).into_response();
        mark(self.mode, &mut response);
        let headers = response.headers_mut();
        let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
        set(header::CONTENT_TYPE, "text/html; charset=utf-8");
        set(header::CONTENT_LANGUAGE, self.language.tag());
        // The integration token is in this page's URL. With no-referrer, its own form posts would carry `Origin: null`.
        set(header::REFERRER_POLICY, "strict-origin");
        // A till that is cross-origin isolated can only frame what opts in.
        set(COEP, "require-corp");
        set(CORP, "cross-origin");
        // Registered origins are ASCII without spaces or semicolons, so this always is a header value.
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

/// Where a developer tries the page: the brand beside it says more.
fn is_loopback(host: &str) -> bool {
    let address = host.parse::<SocketAddr>();
    address.is_ok_and(|address| address.ip().is_loopback()) || host.starts_with("localhost")
}

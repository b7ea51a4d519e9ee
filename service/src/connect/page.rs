//! The pages themselves: templates, and the headers that every page carries.

use super::sentence::Sentence;
use super::{COEP, CORP};
use crate::brand::Brand;
use crate::store::{Account, AccountStore};
use askama::Template;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use pos_connect_protocol::hint;
use pos_connect_texts::{Connect, Language};

/// What all pages of one visit have in common.
pub(super) struct Page<'a> {
    pub(super) language: Language,
    /// Name of the vendor, once the integration is known to be its own.
    pub(super) vendor: Option<&'a str>,
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

/// How a page is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The till's own page is around this one, so that a card would be a card in a card.
    pub(super) framed: bool,
    /// A form led here: the focus is this page's, and not the till's.
    pub(super) sent: bool,
    /// The colors that the till has.
    pub(super) theme: Option<Theme>,
}

/// The colors of a page whose till has one of them alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// `None` for a name that is no theme: the browser chooses.
    pub(super) fn named(name: Option<&str>) -> Option<Self> {
        match name? {
            "light" => Some(Self::Light),
            "dark" => Some(Self::Dark),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Why there is nothing to do here.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    Incomplete,
    UnknownVendor,
    UnknownIntegration,
    Expired,
    OtherAccount,
    /// An account without a store.
    NoStore,
    ForeignForm,
}

/// Fills the sign-in page.
pub(super) struct SignInPage<'a> {
    /// Where it is sent.
    pub(super) action: &'static str,
    pub(super) client_id: &'a str,
    pub(super) integration_token: &'a str,
    pub(super) form: &'a str,
    pub(super) email: &'a str,
    pub(super) error: Option<&'a str>,
    pub(super) notice: Option<&'a str>,
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
    /// The vendor that was disconnected just before.
    pub(super) ended: Option<&'a str>,
}

/// One of them.
pub(super) struct ConnectionRow<'a> {
    /// Names it among those of its account.
    pub(super) id: String,
    pub(super) vendor: &'a str,
    pub(super) store: &'a str,
    /// A date, in UTC.
    pub(super) since: String,
}

/// What the layout needs.
struct Frame<'a> {
    lang: &'static str,
    dir: &'static str,
    t: &'static Connect,
    /// `data-page`: which page this is, for scripts and tests.
    name: &'static str,
    /// `data-hint`: what the page says to the till.
    hint: &'static str,
    origins: String,
    till: &'a str,
    code: Option<&'a str>,
    framed: bool,
    sent: bool,
    /// `light`, `dark`, or empty.
    theme: &'static str,
    /// Where the page comes from; empty if it is not known.
    host: &'a str,
    /// Milliseconds until the integration expires; 0 on a page that does not wait for the merchant.
    expires: i64,
    brand: &'a Brand,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInTemplate<'a> {
    frame: Frame<'a>,
    heading: Sentence<'a>,
    lead: &'static str,
    page: SignInPage<'a>,
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentTemplate<'a> {
    frame: Frame<'a>,
    heading: Sentence<'a>,
    asks: Sentence<'a>,
    signed_in: Sentence<'a>,
    page: ConsentPage<'a>,
}

#[derive(Template)]
#[template(path = "connections.html")]
struct ConnectionsTemplate<'a> {
    frame: Frame<'a>,
    signed_in: Sentence<'a>,
    ended: Option<Sentence<'a>>,
    page: ConnectionsPage<'a>,
}

#[derive(Template)]
#[template(path = "closing.html")]
struct ClosingTemplate<'a> {
    frame: Frame<'a>,
    heading: &'a str,
    text: Sentence<'a>,
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
            vendor: None,
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
        self.respond(
            status,
            &SignInTemplate {
                heading,
                lead: frame.t.sign_in_lead,
                frame,
                page,
            },
        )
    }

    pub(super) fn sign_in_to_connections(
        &self,
        status: StatusCode,
        page: SignInPage<'_>,
    ) -> Response {
        let frame = self.frame("sign-in", "");
        self.respond(
            status,
            &SignInTemplate {
                heading: Sentence::new(frame.t.connections_heading, ""),
                lead: frame.t.connections_lead,
                frame,
                page,
            },
        )
    }

    pub(super) fn connections(&self, page: ConnectionsPage<'_>) -> Response {
        let frame = self.frame("connections", "");
        let sentence = |vendor| Sentence::new(frame.t.disconnected, vendor);
        self.respond(
            StatusCode::OK,
            &ConnectionsTemplate {
                signed_in: Sentence::new(frame.t.signed_in_as, &page.account.email),
                ended: page.ended.map(sentence),
                frame,
                page,
            },
        )
    }

    pub(super) fn consent(&self, page: ConsentPage<'_>) -> Response {
        let frame = self.frame("consent", hint::READY);
        let heading = Sentence::new(frame.t.consent_heading, self.vendor_name());
        let asks = Sentence::new(frame.t.asks, self.vendor_name());
        let signed_in = Sentence::new(frame.t.signed_in_as, &page.account.email);
        self.respond(
            StatusCode::OK,
            &ConsentTemplate {
                frame,
                heading,
                asks,
                signed_in,
                page,
            },
        )
    }

    pub(super) fn finished(&self) -> Response {
        let frame = self.frame("finished", hint::FINISHED);
        let text = Sentence::new(frame.t.finished_text, self.vendor_name());
        self.respond(
            StatusCode::OK,
            &ClosingTemplate {
                heading: frame.t.finished_heading,
                frame,
                text,
            },
        )
    }

    pub(super) fn cancelled(&self) -> Response {
        let frame = self.frame("cancelled", hint::CANCELLED);
        let text = Sentence::new(frame.t.cancelled_text, self.vendor_name());
        self.respond(
            StatusCode::OK,
            &ClosingTemplate {
                heading: frame.t.cancelled_heading,
                frame,
                text,
            },
        )
    }

    pub(super) fn trouble(&self, status: StatusCode, trouble: Trouble) -> Response {
        // Expiry is an end like any other and worth a status call; the other troubles are between the page and the
        // merchant.
        let hint = if matches!(trouble, Trouble::Expired) {
            hint::CANCELLED
        } else {
            ""
        };
        let frame = self.frame("error", hint);
        let (heading, text) = match trouble {
            Trouble::Incomplete => (frame.t.link_heading, frame.t.link_incomplete),
            Trouble::UnknownVendor => (frame.t.link_heading, frame.t.vendor_unknown),
            Trouble::UnknownIntegration => (frame.t.link_heading, frame.t.link_unknown),
            Trouble::Expired => (frame.t.expired_heading, frame.t.expired_text),
            Trouble::OtherAccount => (frame.t.other_account_heading, frame.t.other_account_text),
            Trouble::NoStore => (frame.t.no_store_heading, frame.t.no_store_text),
            Trouble::ForeignForm => (frame.t.link_heading, frame.t.foreign_form),
        };
        self.respond(
            status,
            &ClosingTemplate {
                heading,
                frame,
                text: Sentence::new(text, ""),
            },
        )
    }

    fn vendor_name(&self) -> &str {
        self.vendor.unwrap_or_default()
    }

    fn frame(&self, name: &'static str, hint: &'static str) -> Frame<'a> {
        Frame {
            lang: self.language.tag(),
            dir: self.language.direction(),
            t: Connect::of(self.language),
            name,
            hint,
            origins: self.origins.join(" "),
            till: self.till.unwrap_or_default(),
            code: self.code,
            framed: self.seen.framed,
            sent: self.seen.sent,
            theme: self.seen.theme.map_or("", Theme::name),
            host: self.host,
            expires: if hint == hint::READY { self.expires } else { 0 },
            brand: self.brand,
        }
    }

    fn respond(&self, status: StatusCode, template: &impl Template) -> Response {
        let Ok(html) = template.render() else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let ancestors = if self.origins.is_empty() {
            "'none'".into()
        } else {
            self.origins.join(" ")
        };
        let pictures = match self.brand.logo {
            Some(_) => " img-src 'self';",
            None => "",
        };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none';{pictures} \
             frame-ancestors {ancestors}"
        );
        let mut response = (status, html).into_response();
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

//! The pages after which there is nothing to do.

use super::page::{Frame, Page};
use super::sentence::Sentence;
use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use pos_connect_protocol::hint;
use pos_connect_texts::{self as texts, Language};

/// Why there is nothing to do here.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    Incomplete,
    UnknownVendor,
    UnknownIntegration,
    Expired,
    /// Seconds until there is room.
    TooMany(u64),
    OtherAccount,
    /// An account without a store.
    NoStore,
    ForeignForm,
    /// A provider's answer that this browser has not asked for.
    OtherBrowser,
}

#[derive(Template)]
#[template(path = "closing.html")]
struct ClosingTemplate<'a> {
    frame: Frame<'a>,
    /// Drawn in a box of 48 by 48.
    mark: &'static str,
    heading: &'a str,
    facts: Option<Facts<'a>>,
    text: Sentence<'a>,
}

/// What was connected.
struct Facts<'a> {
    store: &'a str,
    account: &'a str,
    ereceipts: &'static str,
}

const CHECK: &str = "M14 25l7 7 14-15";
const CROSS: &str = "M16 16l16 16M32 16L16 32";
const EXCLAMATION: &str = "M24 12v15M24 34v1";

impl Page<'_> {
    /// Store, account and e-receipts are for whoever has just connected them: others may have the link.
    pub(super) fn finished(&self, chosen: Option<(&str, &str, bool)>) -> Response {
        let frame = self.frame("finished", hint::FINISHED);
        let facts = chosen.map(|(store, account, is_on)| Facts {
            store,
            account,
            ereceipts: ereceipts(self.language, is_on),
        });
        self.respond(
            StatusCode::OK,
            &ClosingTemplate {
                mark: CHECK,
                heading: frame.t.finished_heading,
                facts,
                text: Sentence::new(frame.t.finished_text, self.vendor_name()),
                frame,
            },
        )
    }

    pub(super) fn cancelled(&self) -> Response {
        let frame = self.frame("cancelled", hint::CANCELLED);
        let text = Sentence::new(frame.t.cancelled_text, self.vendor_name());
        self.respond(
            StatusCode::OK,
            &ClosingTemplate {
                mark: CROSS,
                heading: frame.t.cancelled_heading,
                facts: None,
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
        let minutes = match trouble {
            Trouble::TooMany(seconds) => seconds.div_ceil(60).to_string(),
            _ => String::new(),
        };
        let (heading, text) = match trouble {
            Trouble::Incomplete => (frame.t.link_heading, frame.t.link_incomplete),
            Trouble::UnknownVendor => (frame.t.link_heading, frame.t.vendor_unknown),
            Trouble::UnknownIntegration => (frame.t.link_heading, frame.t.link_unknown),
            Trouble::Expired => (frame.t.expired_heading, frame.t.expired_text),
            Trouble::TooMany(_) => (frame.t.link_heading, frame.t.too_many),
            Trouble::OtherAccount => (frame.t.other_account_heading, frame.t.other_account_text),
            Trouble::NoStore => (frame.t.no_store_heading, frame.t.no_store_text),
            Trouble::ForeignForm => (frame.t.link_heading, frame.t.foreign_form),
            Trouble::OtherBrowser => (frame.t.link_heading, frame.t.other_browser),
        };
        self.respond(
            status,
            &ClosingTemplate {
                mark: EXCLAMATION,
                heading,
                facts: None,
                frame,
                text: Sentence::new(text, &minutes),
            },
        )
    }
}

/// The choice of e-receipts, as the till says it at the end, too.
fn ereceipts(language: Language, is_on: bool) -> &'static str {
    let texts = texts::Frame::of(language);
    match is_on {
        true => texts.ereceipts_on,
        false => texts.ereceipts_off,
    }
}

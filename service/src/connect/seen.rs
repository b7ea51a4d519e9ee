//! How a page is looked at: in a frame or not, and in which colors.

use crate::http::authentication;
use axum::http::{HeaderMap, HeaderValue};

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

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Browsers say so, and no script can make them say otherwise; one that does not is taken for a window of its own.
pub(super) fn is_framed(headers: &HeaderMap) -> bool {
    destination(headers).is_some_and(|destination| destination == "iframe")
}

/// Whether a browser opens the page in a window. What makes a preview of a link does not say so.
pub(super) fn is_window(headers: &HeaderMap) -> bool {
    destination(headers).is_some_and(|destination| destination == "document")
        && !authentication::is_prefetch(headers)
}

fn destination(headers: &HeaderMap) -> Option<&HeaderValue> {
    headers.get("sec-fetch-dest")
}

//! Which messages of the connect page count, and which policy violations.

use pos_connect_protocol::hint;

/// The height in CSS pixels that a page may ask for its frame: less than [`SHORTEST`] has no room for its buttons.
const TALLEST: i32 = 4000;
const SHORTEST: i32 = 320;

/// A message that the page was allowed to send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hint {
    /// It works and waits for the merchant.
    Ready,
    /// The merchant has decided; the status call says what.
    Decided,
    /// It is so many CSS pixels tall.
    Height(i32),
}

/// A message of our frame's window, or of the one that we opened, stripped to what is looked at.
pub struct Message<'a> {
    /// `event.origin`.
    pub origin: &'a str,
    /// The member `posConnect`, if it is a number.
    pub mark: Option<f64>,
    /// The member `type`, if it is a text.
    pub kind: Option<&'a str>,
    /// The member `height`, if it is a number.
    pub height: Option<f64>,
}

/// Reads a message; `None` for whatever does not come from the pinned origin, in a known shape.
pub fn read(message: &Message<'_>, pinned_origin: &str) -> Option<Hint> {
    let ours = message.origin == pinned_origin && message.mark == Some(f64::from(hint::VERSION));
    if !ours {
        return None;
    }
    match message.kind? {
        hint::READY => Some(Hint::Ready),
        hint::FINISHED | hint::CANCELLED => Some(Hint::Decided),
        hint::HEIGHT => {
            let height = message.height? as i32;
            Some(Hint::Height(height.clamp(SHORTEST, TALLEST)))
        }
        _ => None,
    }
}

/// A `securitypolicyviolation` event (CSP level 3), stripped to what is looked at.
pub struct Violation<'a> {
    /// Whether `disposition` is "enforce". A report-only policy reports and blocks nothing.
    pub is_enforced: bool,
    /// `effectiveDirective`.
    pub directive: &'a str,
    /// `blockedURI`: a URL, or its origin alone.
    pub blocked: &'a str,
}

impl Violation<'_> {
    /// Whether the page's own policy blocked a frame of the pinned origin.
    pub fn blocks_frame(&self, pinned_origin: &str) -> bool {
        let rest = self.blocked.strip_prefix(pinned_origin);
        let is_pinned = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.is_enforced && self.directive == "frame-src" && is_pinned
    }
}

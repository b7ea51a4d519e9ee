//! The connect frame (§4.3): its URL, its limits, and which messages and policy violations count.

use pos_connect_protocol::{hint, parameter, query};

/// What the page in the frame may do: no top navigation, no downloads. Without `allow-same-origin` the origin of its
/// messages would be "null".
pub const SANDBOX: &str =
    "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox";

/// The `sandbox` option.
///
/// ```
/// use pos_connect::frame::{SANDBOX, Sandbox};
///
/// assert_eq!(Sandbox::default().tokens(), Some(SANDBOX));
/// assert_eq!(Sandbox::None.tokens(), None);
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Sandbox {
    /// [`SANDBOX`].
    #[default]
    Standard,
    /// The page's own tokens.
    Custom(String),
    /// No sandbox.
    None,
}

impl Sandbox {
    /// The value of the frame's `sandbox` attribute, if it has one.
    pub fn tokens(&self) -> Option<&str> {
        match self {
            Self::Standard => Some(SANDBOX),
            Self::Custom(tokens) => Some(tokens),
            Self::None => None,
        }
    }
}

/// The frame's address: the connect URL with the two parameters of §4.3.
pub fn url(connect_url: &str, integration_token: &str, client_id: &str) -> String {
    let mut url = String::from(connect_url);
    query::append(&mut url, parameter::INTEGRATION_TOKEN, integration_token);
    query::append(&mut url, parameter::CLIENT_ID, client_id);
    url
}

/// A message that the page was allowed to send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hint {
    /// It works and waits for the merchant.
    Ready,
    /// The merchant has decided; the status call says what.
    Decided,
}

/// A message of our frame's window, or of the one that we opened, stripped to what is looked at.
pub struct Message<'a> {
    /// `event.origin`.
    pub origin: &'a str,
    /// The member `posConnect`, if it is a number.
    pub mark: Option<f64>,
    /// The member `type`, if it is a text.
    pub kind: Option<&'a str>,
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

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    const ORIGIN: &str = "https://auth.example";

    fn message(kind: &str) -> Message<'_> {
        Message {
            origin: ORIGIN,
            mark: Some(1.0),
            kind: Some(kind),
        }
    }

    #[test]
    fn the_url_carries_both_parameters_encoded() {
        assert_eq!(
            url("https://a.example/connect", "t&/+ é", "c=1"),
            "https://a.example/connect?integration_token=t%26%2F%2B%20%C3%A9&client_id=c%3D1"
        );
        assert_eq!(
            url("https://a.example/connect?lang=he", "t", "c"),
            "https://a.example/connect?lang=he&integration_token=t&client_id=c"
        );
    }

    #[test]
    fn the_known_messages_are_read() {
        assert_eq!(read(&message("ready"), ORIGIN), Some(Hint::Ready));
        assert_eq!(read(&message("finished"), ORIGIN), Some(Hint::Decided));
        assert_eq!(read(&message("cancelled"), ORIGIN), Some(Hint::Decided));
    }

    #[test]
    fn another_origin_is_ignored_even_if_it_begins_alike() {
        for origin in [
            "null",
            "",
            "https://auth.example.evil",
            "https://auth.example:443",
            "http://auth.example",
            "https://AUTH.example",
        ] {
            let forged = Message {
                origin,
                ..message("finished")
            };
            assert_eq!(read(&forged, ORIGIN), None, "{origin}");
        }
    }

    #[test]
    fn another_shape_is_ignored() {
        for mark in [None, Some(2.0), Some(0.0), Some(f64::NAN)] {
            let forged = Message {
                mark,
                ..message("finished")
            };
            assert_eq!(read(&forged, ORIGIN), None);
        }
        for kind in [None, Some(""), Some("hello"), Some("FINISHED")] {
            let forged = Message {
                kind,
                ..message("finished")
            };
            assert_eq!(read(&forged, ORIGIN), None);
        }
    }

    #[test]
    fn the_sandbox_is_the_documented_one() {
        let types = include_str!("../pkg-template/index.d.ts");
        // A comment breaks it into lines.
        let words: Vec<&str> = types
            .split_whitespace()
            .filter(|word| *word != "*")
            .collect();
        assert!(words.join(" ").contains(SANDBOX));
        assert!(!SANDBOX.contains("top-navigation"));
    }

    fn violation(blocked: &str) -> Violation<'_> {
        Violation {
            is_enforced: true,
            directive: "frame-src",
            blocked,
        }
    }

    #[test]
    fn a_violation_counts_for_the_pinned_origin_only() {
        for blocked in [ORIGIN, "https://auth.example/connect?x=1"] {
            assert!(violation(blocked).blocks_frame(ORIGIN), "{blocked}");
        }
        for blocked in [
            "",
            "inline",
            "https://auth.example.evil/",
            "https://auth.example:8443/connect",
            "http://auth.example/connect",
        ] {
            assert!(!violation(blocked).blocks_frame(ORIGIN), "{blocked}");
        }
    }

    #[test]
    fn a_violation_counts_if_it_blocks_a_frame() {
        let reported = Violation {
            is_enforced: false,
            ..violation(ORIGIN)
        };
        assert!(!reported.blocks_frame(ORIGIN));
        for directive in ["connect-src", "child-src", ""] {
            let other = Violation {
                directive,
                ..violation(ORIGIN)
            };
            assert!(!other.blocks_frame(ORIGIN), "{directive}");
        }
    }
}

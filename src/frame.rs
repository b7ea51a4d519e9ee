//! The connect frame (§4.3): its URL, its limits, and which messages and policy violations count.

pub mod words;

use crate::integration::{ON_STATUS, SIGNAL};
use crate::options::{Call, Kind, Options, Row};
use pos_connect_protocol::{hint, parameter, query};
use words::Word;

crate::options! {
    /// An element or a selector for the frame; `null` is the default, so look whether your ref has its element.
    CONTAINER = "container": Kind::Element, default "a modal dialog";
    /// Called once, when the page in the frame has answered; it may never come.
    ///
    /// A hint for your own spinner.
    ON_READY = "onReady": Kind::Function, type "() => void", default "none";
    /// Texts around the frame, see `FrameLabels` in `index.d.ts`.
    LABELS = "labels": Kind::Labels(|| Word::ALL.map(Word::name).into()), type "FrameLabels",
        default "those of `locale`";
    /// The language around the frame (`en`, `he`, `ar`, `es`) and of the connect page.
    ///
    /// The connect page may know others. `connectUrl` wins if it has a `lang` of its own.
    LOCALE = "locale": Kind::Text(0, usize::MAX), default "`<html lang>`, else the browser's";
    /// The colors of the dialog and of the connect page.
    ///
    /// `connectUrl` wins if it has a `theme` of its own.
    THEME = "theme": Kind::Word(&["light", "dark"]),
        default "the page's `color-scheme`, if it is one of them alone";
    /// For so many seconds the merchant sees who is connected.
    ///
    /// The frame's place names store and account. It takes no focus, a click or Escape closes it, and nothing
    /// waits for it: the promise resolves at its beginning. It ends with the next `connect()` and with `destroy()`.
    DONE_SECONDS = "doneSeconds": Kind::Number(0, 10, 1.5);
    /// The frame's `sandbox` tokens; `null` for no sandbox.
    SANDBOX_TOKENS = "sandbox": Kind::TextOrNull,
        default "`\"allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox\"`";
}

/// The options of `mountFrame`.
pub const MOUNT: Call = &[EVERY];
/// The options of `connect`.
pub const CONNECT: Call = &[&[&CONTAINER, &SIGNAL, &ON_STATUS], EVERY, &[&DONE_SECONDS]];
const EVERY: &[&Row] = &[&ON_READY, &LABELS, &LOCALE, &THEME, &SANDBOX_TOKENS];

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
    /// What the options say.
    pub fn of(options: &Options) -> Self {
        match options.text_or_null(&SANDBOX_TOKENS) {
            Some(Some(tokens)) => Self::Custom(tokens),
            Some(None) => Self::None,
            None => Self::Standard,
        }
    }

    /// The value of the frame's `sandbox` attribute, if it has one.
    pub fn tokens(&self) -> Option<&str> {
        match self {
            Self::Standard => Some(SANDBOX),
            Self::Custom(tokens) => Some(tokens),
            Self::None => None,
        }
    }
}

/// The `theme` option.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Theme {
    /// `light`
    Light,
    /// `dark`
    Dark,
}

impl Theme {
    /// The theme of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Light, Self::Dark]
            .into_iter()
            .find(|theme| theme.as_str() == name)
    }

    /// The one theme of a `color-scheme`; `None` if the browser chooses.
    ///
    /// ```
    /// use pos_connect::frame::Theme;
    ///
    /// assert_eq!(Theme::of_scheme("only dark"), Some(Theme::Dark));
    /// assert_eq!(Theme::of_scheme("light dark"), None);
    /// assert_eq!(Theme::of_scheme("normal"), None);
    /// ```
    pub fn of_scheme(scheme: &str) -> Option<Self> {
        let mut themes = scheme.split_whitespace().filter_map(Self::named);
        let first = themes.next();
        first.filter(|_| themes.next().is_none())
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What the connect page may follow of the page around it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Appearance {
    /// A language tag; empty if it is not known.
    pub locale: String,
    /// Light or dark, if it is one of them.
    pub theme: Option<Theme>,
}

impl Appearance {
    /// The look without what the connect URL says itself, and without what is not a language tag: the rest is for the
    /// connect page.
    pub fn without_url_params(&self, connect_url: &str) -> Self {
        let is_open = |name| !has_parameter(connect_url, name);
        let locale = Some(&self.locale).filter(|tag| is_tag(tag) && is_open(parameter::LANG));
        Self {
            locale: locale.cloned().unwrap_or_default(),
            theme: self.theme.filter(|_| is_open(parameter::THEME)),
        }
    }
}

/// Longer than any tag of a language, a script and a region.
const LONGEST_TAG: usize = 35;

/// Whether a text has the form of a language tag (BCP 47), so that it may go into a URL.
///
/// ```
/// use pos_connect::frame::is_tag;
///
/// assert!(is_tag("he-IL"));
/// assert!(!is_tag("") && !is_tag("he?x=1"));
/// ```
pub fn is_tag(text: &str) -> bool {
    let of_tag = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (2..=LONGEST_TAG).contains(&text.len()) && text.bytes().all(of_tag)
}

/// The frame's address: the connect URL with the two parameters of §4.3, and those of the look that it does not have.
pub fn url(
    connect_url: &str,
    integration_token: &str,
    client_id: &str,
    appearance: &Appearance,
) -> String {
    let mut url = String::from(connect_url);
    query::append(&mut url, parameter::INTEGRATION_TOKEN, integration_token);
    query::append(&mut url, parameter::CLIENT_ID, client_id);
    let appearance = appearance.without_url_params(connect_url);
    if !appearance.locale.is_empty() {
        query::append(&mut url, parameter::LANG, &appearance.locale);
    }
    if let Some(theme) = appearance.theme {
        query::append(&mut url, parameter::THEME, theme.as_str());
    }
    url
}

fn has_parameter(url: &str, name: &str) -> bool {
    let (_, query) = url.split_once('?').unwrap_or_default();
    query
        .split('&')
        .any(|pair| pair.split('=').next() == Some(name))
}

/// CSS pixels. A phone on its side has 300 to 430, the smallest tablet and till 600.
const LOW: f64 = 480.0;

/// Whether a window of this height has no room for anything beside the connect page.
///
/// ```
/// use pos_connect::frame::is_low;
///
/// assert!(is_low(360.0));
/// assert!(!is_low(600.0));
/// ```
pub fn is_low(height: f64) -> bool {
    height < LOW
}

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

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

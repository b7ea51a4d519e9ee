//! How the page around the frame looks, and the frame's URL, which says so to the connect page.

use crate::core::named_enum::named_enum;
use pos_connect_protocol::{parameter, query};

named_enum! {
    /// The `theme` option.
    Theme {
        /// `light`
        Light = "light",
        /// `dark`
        Dark = "dark",
    }
}

impl Theme {
    /// The one theme of a `color-scheme`; `None` if the browser chooses.
    ///
    /// ```
    /// use pos_connect::connect::frame::appearance::Theme;
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
}

/// How the page around the frame looks, as the connect page is told.
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
        let is_open = |name| !query::has(connect_url, name);
        // Some pages write it with a low line.
        let is_tag = |tag: &str| pos_connect_texts::is_tag(&tag.replace('_', "-"));
        let locale = Some(&self.locale).filter(|tag| is_tag(tag) && is_open(parameter::LANG));
        Self {
            locale: locale.cloned().unwrap_or_default(),
            theme: self.theme.filter(|_| is_open(parameter::THEME)),
        }
    }
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

/// CSS pixels. A phone on its side has 300 to 430, the smallest tablet and till 600.
const LOW: f64 = 480.0;

/// Whether a window of this height has no room for anything beside the connect page.
///
/// ```
/// use pos_connect::connect::frame::appearance::is_low;
///
/// assert!(is_low(360.0));
/// assert!(!is_low(600.0));
/// ```
pub fn is_low(height: f64) -> bool {
    height < LOW
}

//! The languages of the pages, and which one a visitor reads.

use axum::http::HeaderMap;
use axum::http::header;

/// A language that the pages speak.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Language {
    English,
    Hebrew,
    Arabic,
}

impl Language {
    /// The one that was asked for by `lang`, else the browser's favorite among ours, else English.
    pub(crate) fn choose(asked: Option<&str>, headers: &HeaderMap) -> Self {
        let accepted = headers
            .get(header::ACCEPT_LANGUAGE)
            .and_then(|value| value.to_str().ok());
        asked
            .and_then(Self::from_tag)
            .or_else(|| favorite(accepted?))
            .unwrap_or(Self::English)
    }

    /// The language of a tag such as `he-IL`, if it is one of ours.
    pub(crate) fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?.trim().to_ascii_lowercase();
        match primary.as_str() {
            "en" => Some(Self::English),
            // "iw" is what Java and old Androids call Hebrew.
            "he" | "iw" => Some(Self::Hebrew),
            "ar" => Some(Self::Arabic),
            _ => None,
        }
    }

    /// For `lang` attributes.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Hebrew => "he",
            Self::Arabic => "ar",
        }
    }

    /// For `dir` attributes.
    pub(crate) fn direction(self) -> &'static str {
        match self {
            Self::English => "ltr",
            Self::Hebrew | Self::Arabic => "rtl",
        }
    }
}

/// Reads `Accept-Language` (RFC 9110 §12.5.4).
fn favorite(accepted: &str) -> Option<Language> {
    let mut best = None;
    for range in accepted.split(',') {
        let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
        let weight: f32 = weight
            .trim()
            .strip_prefix("q=")
            .and_then(|weight| weight.parse().ok())
            .unwrap_or(0.0);
        if let Some(language) = Language::from_tag(tag.trim())
            && weight > best.map_or(0.0, |(_, best)| best)
        {
            best = Some((language, weight));
        }
    }
    best.map(|(language, _)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(asked: Option<&str>, accepted: &str) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_LANGUAGE, accepted.parse().unwrap());
        Language::choose(asked, &headers)
    }

    #[test]
    fn the_parameter_wins_then_the_heaviest_range_then_english() {
        assert_eq!(choose(Some("he"), "ar"), Language::Hebrew);
        assert_eq!(choose(Some("iw-IL"), "ar"), Language::Hebrew);
        assert_eq!(choose(Some("fr"), "ar-EG"), Language::Arabic);
        assert_eq!(choose(None, "fr, en;q=0.7, he;q=0.9"), Language::Hebrew);
        assert_eq!(choose(None, "he;q=0, fr"), Language::English);
        assert_eq!(choose(None, "ar;q=x"), Language::English);
        assert_eq!(choose(None, ""), Language::English);
    }
}

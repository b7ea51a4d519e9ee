//! Which language a visitor reads.

use axum::http::HeaderMap;
use axum::http::header;
use pos_connect_texts::Language;

/// The one that was asked for by `lang`, else the browser's favorite among ours, else English.
pub(crate) fn choose(asked: Option<&str>, headers: &HeaderMap) -> Language {
    let accepted = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok());
    asked
        .and_then(Language::from_tag)
        .or_else(|| favorite(accepted?))
        .unwrap_or(Language::English)
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

    fn chosen(asked: Option<&str>, accepted: &str) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_LANGUAGE, accepted.parse().unwrap());
        choose(asked, &headers)
    }

    #[test]
    fn the_parameter_wins_then_the_heaviest_range_then_english() {
        assert_eq!(chosen(Some("he"), "ar"), Language::Hebrew);
        assert_eq!(chosen(Some("iw-IL"), "ar"), Language::Hebrew);
        assert_eq!(chosen(Some("fr"), "ar-EG"), Language::Arabic);
        assert_eq!(chosen(None, "fr, en;q=0.7, he;q=0.9"), Language::Hebrew);
        assert_eq!(chosen(None, "he;q=0, fr"), Language::English);
        assert_eq!(chosen(None, "ar;q=x"), Language::English);
        assert_eq!(chosen(None, ""), Language::English);
    }
}

//! What stands around the connect page. `#` stands for a number.

use crate::core::labels::Labels;
pub use pos_connect_texts::frame::TextKey;
use pos_connect_texts::{Frame, Language, direction};

/// The texts of one frame.
///
/// ```
/// use pos_connect::connect::frame::texts::{TextKey, Texts};
/// use pos_connect::core::labels::Labels;
///
/// let texts = Texts::new("", &["he-IL"], Labels::default());
/// assert_eq!((texts.tag(), texts.dir()), ("he", "rtl"));
/// assert_eq!(texts.text(TextKey::Close), "סגירה");
/// ```
pub struct Texts {
    language: Language,
    /// What the page's own texts are in, if it says so.
    own_tag: String,
    own: Labels,
}

impl Texts {
    /// In the first known language of `wanted` and then `others`; English if none is known. `own` replaces texts.
    pub fn new(wanted: &str, others: &[&str], own: Labels) -> Self {
        let mut tags = std::iter::once(&wanted).chain(others);
        let language = tags.find_map(|tag| Language::from_tag(tag));
        Self {
            language: language.unwrap_or(Language::English),
            own_tag: wanted.into(),
            own,
        }
    }

    /// A text.
    pub fn text(&self, key: TextKey) -> &str {
        let own = self.own.get(key.name());
        // One sentence of the page stands for both places.
        let own = own.or_else(|| match key {
            TextKey::CodeWindow => self.own.get(TextKey::Code.name()),
            _ => None,
        });
        own.unwrap_or_else(|| Frame::of(self.language).get(key))
    }

    /// What stands before a number and after it. A text of the page without a place for it has it at its end.
    pub fn around(&self, key: TextKey) -> (String, &str) {
        let text = self.text(key);
        match text.split_once('#') {
            Some((before, after)) => (before.into(), after),
            None => ([text, " "].concat(), ""),
        }
    }

    /// The value of `lang`: the page's own texts are in the language that they name.
    pub fn tag(&self) -> &str {
        match self.own.is_empty() || self.own_tag.is_empty() {
            true => self.language.tag(),
            false => &self.own_tag,
        }
    }

    /// The value of `dir`.
    pub fn dir(&self) -> &'static str {
        direction(self.tag())
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn own(name: &str, text: &str) -> Labels {
        Labels::from_iter([(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn the_first_known_language_counts() {
        let tag = |wanted, others: &[&str]| {
            let texts = Texts::new(wanted, others, Labels::default());
            (texts.tag().to_owned(), texts.dir())
        };
        assert_eq!(tag("iw_IL", &["ar"]), ("he".into(), "rtl"));
        assert_eq!(tag("fr", &["AR-eg", "en"]), ("ar".into(), "rtl"));
        assert_eq!(tag("", &["", "xx", "arc"]), ("en".into(), "ltr"));
        assert_eq!(tag("en-GB", &["he"]), ("en".into(), "ltr"));
    }

    #[test]
    fn own_texts_are_in_the_language_that_the_page_names() {
        let texts = Texts::new("fa-IR", &["en"], own("close", "بستن"));
        assert_eq!((texts.tag(), texts.dir()), ("fa-IR", "rtl"));
        assert_eq!(texts.text(TextKey::Close), "بستن");
        let texts = Texts::new("", &["en"], own("close", "Shut"));
        assert_eq!((texts.tag(), texts.dir()), ("en", "ltr"));
    }

    #[test]
    fn a_number_has_its_place_in_every_text() {
        for language in Language::ALL {
            for key in TextKey::ALL {
                let (tag, name, text) = (language.tag(), key.name(), Frame::of(language).get(key));
                assert!(!text.trim().is_empty(), "{tag} {name}");
                let holds = matches!(key, TextKey::Code | TextKey::CodeWindow);
                assert_eq!(
                    text.matches('#').count(),
                    usize::from(holds),
                    "{tag} {name}"
                );
            }
        }
        let texts = Texts::new("en", &[], Labels::default());
        let around = texts.around(TextKey::Code);
        assert_eq!(around, ("Check that your phone shows ".into(), ""));
        let texts = Texts::new("en", &[], own("code", "The same:"));
        assert_eq!(texts.around(TextKey::CodeWindow), ("The same: ".into(), ""));
        let texts = Texts::new("en", &[], own("code", "Is # there?"));
        assert_eq!(texts.around(TextKey::Code), ("Is ".into(), " there?"));
    }

    #[test]
    fn the_declared_labels_are_the_labels() {
        let types = include_str!("../../../pkg-template/index.d.ts");
        let (_, labels) = types.split_once("export interface FrameLabels {").unwrap();
        let (labels, _) = labels.split_once("\n}").unwrap();
        let members = labels
            .lines()
            .filter_map(|line| line.trim().strip_suffix("?: string | undefined;"));
        let members: Vec<_> = members.collect();
        assert_eq!(members, TextKey::ALL.map(TextKey::name));
        for key in TextKey::ALL {
            let text = Frame::of(Language::English).get(key);
            assert!(labels.contains(&["\"", text, "\""].concat()), "{text}");
        }
    }
}

//! What stands around the connect page. `#` stands for a number.

use crate::core::labels::Labels;
pub use pos_connect_texts::frame::Word;
use pos_connect_texts::{Frame, Language, direction};

/// The texts of one frame.
///
/// ```
/// use pos_connect::frame::words::{Word, Words};
/// use pos_connect::labels::Labels;
///
/// let words = Words::new("", &["he-IL"], Labels::default());
/// assert_eq!((words.tag(), words.dir()), ("he", "rtl"));
/// assert_eq!(words.text(Word::Close), "סגירה");
/// ```
pub struct Words {
    language: Language,
    /// What the page's own texts are in, if it says so.
    own_tag: String,
    own: Labels,
}

impl Words {
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
    pub fn text(&self, word: Word) -> &str {
        let own = self.own.get(word.name());
        // One sentence of the page stands for both places.
        let own = own.or_else(|| match word {
            Word::CodeWindow => self.own.get(Word::Code.name()),
            _ => None,
        });
        own.unwrap_or_else(|| Frame::of(self.language).get(word))
    }

    /// What stands before a number and after it. A text of the page without a place for it has it at its end.
    pub fn around(&self, word: Word) -> (String, &str) {
        let text = self.text(word);
        match text.split_once('#') {
            Some((before, after)) => (before.into(), after),
            None => ([text, " "].concat(), ""),
        }
    }

    /// For `lang`: the page's own texts are in the language that it names.
    pub fn tag(&self) -> &str {
        match self.own.is_empty() || self.own_tag.is_empty() {
            true => self.language.tag(),
            false => &self.own_tag,
        }
    }

    /// For `dir`.
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
            let words = Words::new(wanted, others, Labels::default());
            (words.tag().to_owned(), words.dir())
        };
        assert_eq!(tag("iw_IL", &["ar"]), ("he".into(), "rtl"));
        assert_eq!(tag("fr", &["AR-eg", "en"]), ("ar".into(), "rtl"));
        assert_eq!(tag("", &["", "xx", "arc"]), ("en".into(), "ltr"));
        assert_eq!(tag("en-GB", &["he"]), ("en".into(), "ltr"));
    }

    #[test]
    fn own_texts_are_in_the_language_that_the_page_names() {
        let words = Words::new("fa-IR", &["en"], own("close", "بستن"));
        assert_eq!((words.tag(), words.dir()), ("fa-IR", "rtl"));
        assert_eq!(words.text(Word::Close), "بستن");
        let words = Words::new("", &["en"], own("close", "Shut"));
        assert_eq!((words.tag(), words.dir()), ("en", "ltr"));
    }

    #[test]
    fn a_number_has_its_place_in_every_text() {
        for language in Language::ALL {
            for word in Word::ALL {
                let (tag, name, text) =
                    (language.tag(), word.name(), Frame::of(language).get(word));
                assert!(!text.trim().is_empty(), "{tag} {name}");
                let holds = matches!(word, Word::Code | Word::CodeWindow);
                assert_eq!(
                    text.matches('#').count(),
                    usize::from(holds),
                    "{tag} {name}"
                );
            }
        }
        let words = Words::new("en", &[], Labels::default());
        let around = words.around(Word::Code);
        assert_eq!(around, ("Check that your phone shows ".into(), ""));
        let words = Words::new("en", &[], own("code", "The same:"));
        assert_eq!(words.around(Word::CodeWindow), ("The same: ".into(), ""));
        let words = Words::new("en", &[], own("code", "Is # there?"));
        assert_eq!(words.around(Word::Code), ("Is ".into(), " there?"));
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
        assert_eq!(members, Word::ALL.map(Word::name));
        for word in Word::ALL {
            let text = Frame::of(Language::English).get(word);
            assert!(labels.contains(&["\"", text, "\""].concat()), "{text}");
        }
    }
}

//! What the keypad says. `#` stands for a number.

pub use pos_connect_texts::keypad::Word;
use pos_connect_texts::{Keypad, Language};

/// The texts of one keypad.
///
/// ```
/// use pos_connect::keypad::words::{Word, Words};
///
/// let mut words = Words::new("", &["he-IL".into()]);
/// assert_eq!(words.locale(), "he");
/// words.replace(Word::Count, "# typed".into());
/// assert_eq!(words.with(Word::Count, "5"), "5 typed");
/// ```
pub struct Words {
    language: Language,
    /// The host's own texts.
    own: Vec<(Word, String)>,
}

impl Words {
    /// In the first known language of `wanted` and then `others`; English if none is known.
    pub fn new(wanted: &str, others: &[String]) -> Self {
        let other = || others.iter().find_map(|tag| Language::from_tag(tag));
        let language = Language::from_tag(wanted).or_else(other);
        Self {
            language: language.unwrap_or(Language::English),
            own: Vec::new(),
        }
    }

    /// The tag of the language.
    pub fn locale(&self) -> &'static str {
        self.language.tag()
    }

    /// Whether it is written from right to left.
    pub fn is_rtl(&self) -> bool {
        self.language.direction() == "rtl"
    }

    /// Puts the host's own text in the place of one.
    pub fn replace(&mut self, word: Word, text: String) {
        self.own.push((word, text));
    }

    /// A text.
    pub fn get(&self, word: Word) -> &str {
        let own = self.own.iter().find(|(own, _)| *own == word);
        own.map_or_else(
            || Keypad::of(self.language).get(word),
            |(_, text)| text.as_str(),
        )
    }

    /// A text with a number in it.
    pub fn with(&self, word: Word, number: &str) -> String {
        let text = self.get(word);
        // A label without a place for the number gets it at its end.
        let (before, after) = text.split_once('#').unwrap_or((text, ""));
        [before, number, after].concat()
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn locale(wanted: &[&str]) -> &'static str {
        let wanted: Vec<String> = wanted.iter().map(|tag| (*tag).into()).collect();
        Words::new("", &wanted).locale()
    }

    #[test]
    fn the_first_known_language_is_chosen() {
        assert_eq!(locale(&["he-IL"]), "he");
        assert_eq!(locale(&["iw"]), "he");
        assert_eq!(locale(&["AR_eg"]), "ar");
        assert_eq!(locale(&["en-GB"]), "en");
        assert_eq!(locale(&["fr", "he", "en"]), "he");
        assert_eq!(locale(&["arc", "heb", "", "é", "xx"]), "en");
        assert_eq!(locale(&[]), "en");
        assert_eq!(Words::new("ar", &["he".into()]).locale(), "ar");
    }

    #[test]
    fn every_text_is_there_and_holds_a_number_where_it_should() {
        for language in Language::ALL {
            for word in Word::ALL {
                let (locale, name, text) =
                    (language.tag(), word.name(), Keypad::of(language).get(word));
                assert!(!text.trim().is_empty(), "{locale} {name}");
                let numbers = [
                    "suggestion",
                    "sent",
                    "accepted",
                    "idle",
                    "idleNone",
                    "count",
                ];
                let holds = numbers.contains(&name);
                assert_eq!(
                    text.matches('#').count(),
                    usize::from(holds),
                    "{locale} {name}"
                );
            }
        }
        assert_eq!(Word::Consent as usize, Word::ALL.len() - 1);
    }

    #[test]
    fn the_declared_labels_are_the_labels() {
        let types = include_str!("../../pkg-template/index.d.ts");
        let (_, labels) = types
            .split_once("export interface ReceiptLabels {")
            .unwrap();
        let (labels, _) = labels.split_once("\n}").unwrap();
        let members = labels
            .lines()
            .filter_map(|line| line.trim().strip_suffix(": string;"));
        let members: Vec<_> = members.collect();
        let place = "ReceiptLabels in pkg-template/index.d.ts, in the order of Word";
        assert_eq!(members, Word::ALL.map(Word::name), "{place}");
        for word in Word::ALL {
            let text = Keypad::of(Language::English).get(word);
            assert!(labels.contains(&["\"", text, "\""].concat()), "{text}");
        }
    }

    #[test]
    fn numbers_are_put_into_texts() {
        let mut words = Words::new("", &[]);
        assert_eq!(words.with(Word::Count, "5"), "5 digits");
        words.replace(Word::Count, "é".into());
        assert_eq!(words.with(Word::Count, "5"), "é5");
    }
}

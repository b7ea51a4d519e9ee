//! What the keypad says, and in which language. `#` stands for a number.

use crate::core::labels::Labels;
pub use pos_connect_texts::keypad::Word;
use pos_connect_texts::{Keypad, Language, direction};
use std::cell::Cell;

/// Longer than any tag of a language, a script and a region.
const LONGEST_TAG: usize = 35;

/// A language that the shopper can choose.
#[derive(Clone, Copy, PartialEq)]
enum Choice {
    /// The host's: its own texts, and ours where it has none.
    Host,
    /// One of ours.
    Ours(Language),
}

/// The texts of one keypad.
///
/// ```
/// use pos_connect::keypad::words::{Word, Words};
/// use pos_connect::labels::Labels;
///
/// let own = Labels::from_iter([("count".to_owned(), "# typed".to_owned())]);
/// let words = Words::new("", &["he-IL".into()], own, &[])?;
/// assert_eq!((words.tag(), words.dir()), ("he", "rtl"));
/// assert_eq!(words.with(Word::Count, "5"), "5 typed");
/// # Ok::<(), &str>(())
/// ```
pub struct Words {
    language: Language,
    /// The host's own texts, and under `lang` and `dir` what they are written in.
    own: Labels,
    /// What the shopper can choose, the host's first; empty if there is no choice.
    choices: Vec<Choice>,
    shown: Cell<usize>,
}

impl Words {
    /// In the first known language of `wanted`, that of the labels, and then `others`; English if none is known. The
    /// shopper can choose among `offered`, if there are two. An error names the option that is wrong.
    pub fn new(
        wanted: &str,
        others: &[String],
        own: Labels,
        offered: &[String],
    ) -> Result<Self, &'static str> {
        let lang = own.get("lang");
        if !lang.is_none_or(is_tag) {
            return Err("labels.lang: is no language tag");
        }
        if !matches!(own.get("dir"), None | Some("ltr" | "rtl")) {
            return Err("labels.dir: is neither ltr nor rtl");
        }
        let language = Language::from_tag(wanted)
            .or_else(|| Language::from_tag(lang?))
            .or_else(|| others.iter().find_map(|tag| Language::from_tag(tag)))
            .unwrap_or(Language::English);
        let mut ours = Vec::new();
        for tag in offered {
            let offered = Language::from_tag(tag);
            let offered = offered.ok_or("languages: has one that the keypad does not speak")?;
            if !ours.contains(&offered) {
                ours.push(offered);
            }
        }
        let mut choices = Vec::new();
        if ours.len() > 1 {
            let host = lang.map_or(Some(language), Language::from_tag);
            let others = ours.into_iter().filter(|ours| host != Some(*ours));
            choices.push(Choice::Host);
            choices.extend(others.map(Choice::Ours));
        }
        Ok(Self {
            language,
            own,
            choices,
            shown: Cell::new(0),
        })
    }

    fn choice(&self) -> Choice {
        let choice = self.choices.get(self.shown.get());
        choice.copied().unwrap_or(Choice::Host)
    }

    /// The host's own text of that name, while its language is shown.
    fn own(&self, name: &str) -> Option<&str> {
        let own = self.own.get(name);
        own.filter(|_| self.choice() == Choice::Host)
    }

    fn tag_of(&self, choice: Choice) -> &str {
        match choice {
            Choice::Host => self.own.get("lang").unwrap_or(self.language.tag()),
            Choice::Ours(language) => language.tag(),
        }
    }

    /// For `lang`, and for the consent: the language that is shown.
    pub fn tag(&self) -> &str {
        self.tag_of(self.choice())
    }

    /// For `dir`.
    pub fn dir(&self) -> &'static str {
        match self.own("dir") {
            Some("rtl") => "rtl",
            Some(_) => "ltr",
            None => direction(self.tag()),
        }
    }

    /// The tag of the language that the shopper would choose, if there is a choice.
    pub fn next(&self) -> Option<&str> {
        let next = self.choices.get(self.next_place())?;
        Some(self.tag_of(*next))
    }

    /// Chooses it. Returns whether there is a choice.
    pub fn turn(&self) -> bool {
        self.shown.set(self.next_place());
        !self.choices.is_empty()
    }

    fn next_place(&self) -> usize {
        let next = self.shown.get() + 1;
        if next < self.choices.len() { next } else { 0 }
    }

    /// A text.
    pub fn get(&self, word: Word) -> &str {
        let language = match self.choice() {
            Choice::Host => self.language,
            Choice::Ours(language) => language,
        };
        let own = self.own(word.name());
        own.unwrap_or_else(|| Keypad::of(language).get(word))
    }

    /// A text with a number in it.
    pub fn with(&self, word: Word, number: &str) -> String {
        let text = self.get(word);
        // A label without a place for the number gets it at its end.
        let (before, after) = text.split_once('#').unwrap_or((text, ""));
        [before, number, after].concat()
    }
}

/// The name of a language in itself: ours, or what the browser knows.
pub fn own_name(tag: &str, of_browser: impl FnOnce(&str) -> Option<String>) -> String {
    match Language::from_tag(tag) {
        Some(language) => language.own_name().into(),
        None => of_browser(tag).unwrap_or_else(|| tag.into()),
    }
}

/// Whether a text has the form of a language tag (BCP 47).
fn is_tag(text: &str) -> bool {
    let is_subtag = |subtag: &str| {
        (1..=8).contains(&subtag.len()) && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let mut subtags = text.split('-');
    let language = subtags.next().unwrap_or_default();
    (2..=8).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.len() <= LONGEST_TAG
        && subtags.all(is_subtag)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

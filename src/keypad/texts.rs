//! What the keypad says, and in which language. `#` stands for a number.

use crate::core::labels::Labels;
use crate::core::options::alternatives;
pub use pos_connect_texts::keypad::TextKey;
use pos_connect_texts::{Keypad, Language, direction, is_tag};
use std::cell::Cell;

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
/// use pos_connect::keypad::texts::{TextKey, Texts};
/// use pos_connect::core::labels::Labels;
///
/// let own = Labels::from_iter([("count".to_owned(), "# typed".to_owned())]);
/// let texts = Texts::new("", &["he-IL".into()], own, &[])?;
/// assert_eq!((texts.tag(), texts.dir()), ("he", "rtl"));
/// assert_eq!(texts.with(TextKey::Count, "5"), "5 typed");
/// # Ok::<(), String>(())
/// ```
pub struct Texts {
    language: Language,
    /// The host's own texts, and under `lang` and `dir` what they are written in.
    own: Labels,
    /// What the shopper can choose, the host's first; empty if there is no choice.
    choices: Vec<Choice>,
    shown: Cell<usize>,
}

impl Texts {
    /// In the first known language of `wanted`, that of the labels, and then `others`; English if none is known. The
    /// shopper can choose among `offered`, if there are two. An error names the option that is wrong.
    pub fn new(
        wanted: &str,
        others: &[String],
        own: Labels,
        offered: &[String],
    ) -> Result<Self, String> {
        let lang = own.get("lang");
        if !lang.is_none_or(is_tag) {
            return Err("labels.lang: is no language tag".into());
        }
        if !matches!(own.get("dir"), None | Some("ltr" | "rtl")) {
            return Err("labels.dir: is neither ltr nor rtl".into());
        }
        let language = Language::from_tag(wanted)
            .or_else(|| Language::from_tag(lang?))
            .or_else(|| others.iter().find_map(|tag| Language::from_tag(tag)))
            .unwrap_or(Language::English);
        let mut ours = Vec::new();
        for tag in offered {
            let offered = Language::from_tag(tag).ok_or_else(|| unspoken(tag))?;
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

    /// The language that is shown: the value of `lang`, and that of the consent.
    pub fn tag(&self) -> &str {
        self.tag_of(self.choice())
    }

    /// The value of `dir`.
    pub fn dir(&self) -> &'static str {
        match self.own("dir") {
            Some("rtl") => "rtl",
            Some(_) => "ltr",
            None => direction(self.tag()),
        }
    }

    /// How many languages the shopper can choose; 0 if there is no choice.
    pub fn count(&self) -> usize {
        self.choices.len()
    }

    /// The tag of the language at a place of these, of which the first is the host's.
    pub fn offered(&self, place: usize) -> Option<&str> {
        let choice = self.choices.get(place)?;
        Some(self.tag_of(*choice))
    }

    /// The place of the language that is shown.
    pub fn shown(&self) -> usize {
        self.shown.get()
    }

    /// Shows the language at that place. Returns whether there is one.
    pub fn show(&self, place: usize) -> bool {
        let is_there = place < self.choices.len();
        if is_there {
            self.shown.set(place);
        }
        is_there
    }

    /// A text.
    pub fn get(&self, key: TextKey) -> &str {
        let language = match self.choice() {
            Choice::Host => self.language,
            Choice::Ours(language) => language,
        };
        let own = self.own(key.name());
        own.unwrap_or_else(|| Keypad::of(language).get(key))
    }

    /// A text with a number in it.
    pub fn with(&self, key: TextKey, number: &str) -> String {
        let text = self.get(key);
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

/// What is wrong with a language that is not among ours. What is no tag at all may be anything.
fn unspoken(tag: &str) -> String {
    let tag = if is_tag(tag) { tag } else { "one" };
    let ours = alternatives(&Language::ALL.map(Language::tag));
    ["languages: ", tag, " is not ", &ours].concat()
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

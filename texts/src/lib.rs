//! What shoppers and merchants read, in each language.
//!
//! There is one table for each surface, and one constant of each table for each language: a language that lacks a text
//! does not compile. Who wants a table asks it for one surface and one language, so that a program carries no other.
//!
//! To add a language, copy `en.rs`, translate it, and add a row to `languages!` below. The SDK and the service then
//! have it.

#[macro_use]
mod table;

pub mod connect;
mod direction;
pub mod frame;
pub mod keypad;
pub mod page;
pub mod receipt;

pub use connect::Connect;
pub use direction::direction;
pub use frame::Frame;
pub use keypad::Keypad;
pub use receipt::Receipt;

languages! {
    English en "en" "English",
    Hebrew he "he" "עברית",
    Arabic ar "ar" "العربية",
    Spanish es "es" "Español",
}

impl Language {
    /// The language of a tag such as `he-IL`, if it is one of ours.
    ///
    /// ```
    /// use pos_connect_texts::Language;
    ///
    /// assert_eq!(Language::from_tag("he-IL"), Some(Language::Hebrew));
    /// assert_eq!(Language::from_tag("arc"), None);
    /// ```
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = primary(tag.trim());
        let is = |code: &str| primary.eq_ignore_ascii_case(code);
        // "iw" is what Java and older browsers call Hebrew.
        if is("iw") {
            return Some(Self::Hebrew);
        }
        Self::ALL.into_iter().find(|language| is(language.tag()))
    }

    /// For `dir` attributes.
    pub fn direction(self) -> &'static str {
        direction(self.tag())
    }
}

/// The language of a tag, without a region or a script.
fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or_default()
}

/// Longer than any tag of a language, a script and a region.
const LONGEST_TAG: usize = 35;

/// Whether a text has the form of a language tag (BCP 47).
///
/// ```
/// use pos_connect_texts::is_tag;
///
/// assert!(is_tag("he-IL"));
/// assert!(!is_tag("") && !is_tag("he?x=1"));
/// ```
pub fn is_tag(text: &str) -> bool {
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
mod tests;

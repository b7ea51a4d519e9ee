//! Texts as the service takes them. Somebody typed or imported them, and no cashier can mend them: a line break in the
//! name of an article must not cost a sale.

use pos_connect_protocol::order::{
    LONGEST_CONSENT, LONGEST_NAME, LONGEST_NUMBER, LONGEST_PAYMENT, LONGEST_UNIT,
};
use pos_connect_protocol::store;
use pos_connect_protocol::text::is_control;

/// The texts of one object, by name: how many characters each may have, and what stands for an empty one (`None`: it is
/// left out). IDs are never changed; a number or an address that is cut would be another one.
pub type Limits = &'static [(&'static str, usize, Option<&'static str>)];

/// The texts of an order itself.
pub const ORDER: Limits = &[
    ("displayNumber", LONGEST_NUMBER, None),
    ("payment", LONGEST_PAYMENT, None),
];
/// The texts of a line of an order.
pub const LINE: Limits = &[
    ("name", LONGEST_NAME, Some("-")),
    ("unit", LONGEST_UNIT, None),
];
/// The texts of what a shopper agreed to.
pub const CONSENT: Limits = &[("text", LONGEST_CONSENT, None)];
/// The texts of a customer.
pub const CUSTOMER: Limits = &[
    ("name", LONGEST_NAME, Some("")),
    ("phone", usize::MAX, Some("")),
    ("email", usize::MAX, Some("")),
];
/// The texts of a store's profile.
pub const PROFILE: Limits = &[
    ("name", store::LONGEST, Some("")),
    ("phone", usize::MAX, Some("")),
    ("website", usize::MAX, Some("")),
];
/// The texts of a store's address.
pub const ADDRESS: Limits = &[
    ("street", store::LONGEST, Some("")),
    ("city", store::LONGEST, Some("")),
    ("region", store::LONGEST, Some("")),
    ("postalCode", store::LONGEST, Some("")),
];

/// The text with one space in the place of control characters, cut to so many characters.
pub fn clean(text: &str, longest: usize) -> String {
    let mut clean = String::new();
    let mut is_gap = false;
    for character in text.chars() {
        if is_control(character) {
            is_gap = !clean.is_empty() && !clean.ends_with(' ');
        } else {
            if is_gap && character != ' ' {
                clean.push(' ');
            }
            is_gap = false;
            clean.push(character);
        }
    }
    if let Some(end) = end(&clean, longest) {
        clean.truncate(end);
    }
    clean
}

/// Where to cut a text that is too long: before a letter or an emoji that would lose a part of itself.
fn end(text: &str, longest: usize) -> Option<usize> {
    let (mut end, mut before, mut flags) = (0, ZERO_WIDTH_JOINER, 0);
    for (count, (at, next)) in text.char_indices().enumerate() {
        let is_second_half = is_half_flag(next) && flags % 2 == 1;
        flags = if is_half_flag(next) { flags + 1 } else { 0 };
        if before != ZERO_WIDTH_JOINER && !is_second_half && !belongs_to_the_one_before(next) {
            end = at;
        }
        if count == longest {
            // A single one that is too long is cut anyway.
            return Some(if end == 0 { at } else { end });
        }
        before = next;
    }
    None
}

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Two of them make a flag.
fn is_half_flag(character: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&character)
}

/// Marks on Latin, Hebrew and Arabic letters, and what modifies an emoji. The whole table of Unicode (UAX #29) would be
/// larger than all the rest of the SDK's texts.
fn belongs_to_the_one_before(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{200d}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_a_space() {
        for (text, clean_text) in [
            ("Bread", "Bread"),
            (" Rye  bread ", " Rye  bread "),
            ("Coffee\nlarge", "Coffee large"),
            ("\tCoffee\r\n\tlarge\u{7f}", "Coffee large"),
            ("Coffee\n large \t", "Coffee large "),
            ("חלב\u{85}3%", "חלב 3%"),
            ("Coffee\u{2028}large\u{2029}\0", "Coffee large"),
            ("10\u{202e}lmth.exe\u{202c}", "10 lmth.exe"),
            ("\u{2067}מאפייה\u{2069} \u{200f}2", "מאפייה \u{200f}2"),
            ("\n\t", ""),
            ("", ""),
        ] {
            assert_eq!(clean(text, 20), clean_text, "{text:?}");
        }
    }

    #[test]
    fn it_is_cut_between_letters_and_never_within_an_emoji() {
        let family = "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        let (israel, spain) = ("\u{1f1ee}\u{1f1f1}", "\u{1f1ea}\u{1f1f8}");
        for (text, longest, cut) in [
            ("abcd", 4, "abcd"),
            ("abcd", 3, "abc"),
            ("\u{e9}\u{e9}\u{e9}", 2, "\u{e9}\u{e9}"),
            ("a\nbc", 3, "a b"),
            (&["a", family, "b"].concat(), 6, &["a", family].concat()),
            (&["a", family, "b"].concat(), 5, "a"),
            (&["a", family, "b"].concat(), 2, "a"),
            ("a\u{1f44d}\u{1f3fd}", 2, "a"),
            ("a\u{2615}\u{fe0f}", 2, "a"),
            (&[israel, spain].concat(), 3, israel),
            (&[israel, spain].concat(), 2, israel),
            ("cafe\u{301}", 4, "caf"),
            ("\u{5e9}\u{5dc}\u{5b8}", 2, "\u{5e9}"),
            // There is nothing before it to keep.
            (family, 3, "\u{1f469}\u{200d}\u{1f469}"),
        ] {
            assert_eq!(clean(text, longest), cut, "{text} at {longest}");
        }
    }
}

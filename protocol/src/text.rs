//! What a text may hold that one person writes and another one reads.

/// Whether a character shows nothing and changes how others are read: a control character, the end of a line or a
/// paragraph, or a change of direction (UAX #9), with which a file's name, `10<U+202E>lmth.exe`, reads `10exe.html`.
/// The marks of direction stay (U+200E, U+200F, U+061C): they change no letter, and Hebrew and Arabic need them.
pub fn is_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether people can read and tell apart a text that is a name: it shows something, and has no control character, nor
/// a space at an end.
pub fn is_name(text: &str) -> bool {
    text.trim() == text && !text.contains(is_control) && text.contains(is_visible)
}

/// Whether a character shows something by itself: no space, none of Unicode's `Default_Ignorable_Code_Point`, and not
/// the empty pattern of Braille.
const fn is_visible(character: char) -> bool {
    let is_ignorable = matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !is_ignorable && !character.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_shows_something() {
        for name in [
            "7",
            "Bäckerei Süd",
            "שלום",
            "שלום\u{200f}!",
            "👩\u{200d}🍳",
            "a\u{a0}b",
        ] {
            assert!(is_name(name), "{name:?}");
        }
        for other in [
            "",
            " ",
            "\u{a0}",
            "\u{200b}",
            "\u{3164}",
            "\u{2800}",
            "\u{feff}\u{e0041}",
            "\u{ad} \u{200f}",
            " a",
            "a ",
            "a\u{3000}",
            "a\nb",
            "a\u{202e}b",
        ] {
            assert!(!is_name(other), "{other:?}");
        }
    }
}

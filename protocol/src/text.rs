//! What a text may hold that one person writes and another one reads.

/// Whether a character shows nothing and changes how others are read: a control character, the end of a line or a
/// paragraph, or a change of direction (UAX #9), with which a file's name, `10<U+202E>lmth.exe`, reads `10exe.html`.
/// The marks of direction stay (U+200E, U+200F, U+061C): they change no letter, and Hebrew and Arabic need them.
pub fn is_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

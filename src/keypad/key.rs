//! What a key of a keyboard means to the keypad.

use crate::phone;

/// A key that was pressed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Key {
    /// `0`–`9` or a plus.
    Symbol(u8),
    /// Another printable character. It is not typed, but a scanner's code may hold it.
    Character,
    /// Sends.
    Enter,
    /// A scanner's codes may end so; else it is none of ours.
    Tab,
    /// Prints instead.
    Escape,
    /// Backspace and Delete.
    Back,
    /// An arrow: so many keys on in the grid of three columns.
    Move(i8),
    /// None of ours.
    Other,
}

impl Key {
    /// Whether the page does not hear of it.
    pub fn is_ours(self) -> bool {
        !matches!(self, Self::Tab | Self::Other)
    }
}

/// Reads `KeyboardEvent.key`, and `code` for a numpad whose lock is off.
pub fn read(key: &str, code: &str) -> Key {
    // Without the lock, "7" says Home; a cashier means 7 all the same.
    let numpad = code
        .strip_prefix("Numpad")
        .and_then(|name| name.as_bytes().first())
        .filter(|digit| digit.is_ascii_digit() && code.len() == 7);
    if let Some(digit) = numpad {
        return Key::Symbol(*digit);
    }
    let mut characters = key.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return symbol(character).map_or(Key::Character, Key::Symbol);
    }
    match key {
        "Enter" => Key::Enter,
        "Tab" => Key::Tab,
        "Escape" => Key::Escape,
        "Backspace" | "Delete" => Key::Back,
        "ArrowLeft" => Key::Move(-1),
        "ArrowRight" => Key::Move(1),
        "ArrowUp" => Key::Move(-3),
        "ArrowDown" => Key::Move(3),
        _ => Key::Other,
    }
}

/// A digit in any script that a till's keyboard may have, or a plus.
pub fn symbol(character: char) -> Option<u8> {
    let character = u32::from(character);
    if let Some(digit) = phone::digit(character) {
        return Some(b'0' + digit);
    }
    matches!(character, 0x2B | 0xFF0B).then_some(b'+')
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_are_digits() {
        for digits in [
            "0123456789",
            "٠١٢٣٤٥٦٧٨٩",
            "۰۱۲۳۴۵۶۷۸۹",
            "０１２３４５６７８９",
        ] {
            for (value, digit) in (b'0'..).zip(digits.chars()) {
                assert_eq!(read(&digit.to_string(), ""), Key::Symbol(value), "{digit}");
            }
        }
        for plus in ["+", "＋"] {
            assert_eq!(read(plus, ""), Key::Symbol(b'+'));
        }
    }

    #[test]
    fn neighbors_of_digits_are_no_digits() {
        for character in [
            "/", ":", "\u{65f}", "\u{66a}", "\u{6ef}", "\u{6fa}", "a", " ", "-", "²",
        ] {
            assert_eq!(read(character, ""), Key::Character, "{character}");
        }
    }

    #[test]
    fn the_numpad_types_digits_with_and_without_its_lock() {
        assert_eq!(read("7", "Numpad7"), Key::Symbol(b'7'));
        assert_eq!(read("Home", "Numpad7"), Key::Symbol(b'7'));
        assert_eq!(read("+", "NumpadAdd"), Key::Symbol(b'+'));
        assert_eq!(read("Enter", "NumpadEnter"), Key::Enter);
        assert_eq!(read("Delete", "NumpadDecimal"), Key::Back);
        assert_eq!(read("Home", "Home"), Key::Other);
    }

    #[test]
    fn named_keys() {
        for (name, key) in [
            ("Enter", Key::Enter),
            ("Escape", Key::Escape),
            ("Backspace", Key::Back),
            ("ArrowLeft", Key::Move(-1)),
            ("ArrowDown", Key::Move(3)),
            ("Tab", Key::Tab),
            ("F1", Key::Other),
            ("Dead", Key::Other),
            ("", Key::Other),
        ] {
            assert_eq!(read(name, ""), key, "{name}");
        }
    }
}

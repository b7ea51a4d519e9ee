//! The elements of the keypad that events come from.

/// The grid's keys: 1–9, plus, 0, delete.
pub const KEYS: usize = 12;

/// An element that can be pressed, or that has the focus.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// The number; what a keyboard types into.
    Display,
    /// A key of the grid, by its place: row by row, from 0.
    Key(usize),
    /// Takes everything back.
    Clear,
    /// Takes the suggested number.
    Suggestion,
    /// Sends.
    Send,
    /// Prints instead.
    Print,
    /// Shows the code.
    Scan,
    /// Takes it away.
    Done,
    /// Neither.
    None,
    /// Shows the other language of two, or the list of them.
    Language,
    /// A language in the list, by its place.
    Offered(usize),
}

/// The symbol of one of the grid's keys; the last one has none, and takes one back.
///
/// ```
/// use pos_connect::keypad::part::{KEYS, symbol};
///
/// assert_eq!(symbol(0), Some(b'1'));
/// assert_eq!(symbol(KEYS - 1), None);
/// ```
pub fn symbol(key: usize) -> Option<u8> {
    b"123456789+0".get(key).copied()
}

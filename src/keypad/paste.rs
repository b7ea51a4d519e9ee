//! The number in a text that was pasted.

use super::key::symbol;
use crate::phone::{self, Region, Verdict};

/// Digits after which a slash or a bracket parts no area code from the rest: a note or another number begins.
const LEAST_DIGITS: usize = 7;
/// E.164 has no more.
const MOST_DIGITS: usize = 15;

/// The first mobile number that is written in a text, as it is typed. Else the text itself, if it is a number of
/// another kind or a wrong one, so that the shopper can correct it. Never the digits of two things together.
///
/// ```
/// use pos_connect::keypad::paste::number;
/// use pos_connect::phone::Region;
///
/// let israel = Region::parse("IL").unwrap_or_default();
/// assert_eq!(number("Dana: 050-234-5678 (2)", israel).as_deref(), Some("0502345678"));
/// assert_eq!(number("05.12.2026, 11.90", israel), None);
/// ```
pub fn number(text: &str, region: Region) -> Option<String> {
    let mut plain: Vec<u8> = text.trim().chars().map(plain).collect();
    for word in plain.split_mut(|byte| matches!(*byte, b' ' | BREAK)) {
        let (start, end) = bare(word).unwrap_or_default();
        let filler = match word {
            [b'-' | b'/'] => b'/',
            _ if end > 0 => b' ',
            _ => BREAK,
        };
        for (place, byte) in word.iter_mut().enumerate() {
            if place < start || place >= end {
                *byte = filler;
            }
        }
    }
    let mut rows = plain.split(|byte| *byte == BREAK);
    let found = rows.find_map(|row| in_row(row, region));
    found.or_else(|| alone(&plain))
}

/// Parts two numbers for certain.
const BREAK: u8 = b';';
/// Makes another thing of the digits beside it: a letter, or the sign of an order, of a person or of money.
const BOUND: u8 = b'a';
/// Anything else that is in no number, such as a quote.
const OTHER: u8 = b'!';

/// What a character means here.
fn plain(char: char) -> u8 {
    match char {
        ' ' | '\u{a0}' => b' ',
        '\0'..='\x1f' | ',' | ';' | '|' => BREAK,
        'a'..='z' | 'A'..='Z' | '_' | '#' | '*' | '@' | '%' | '$' | '£' | '¥' | '€' | '₪' => {
            BOUND
        }
        '.' | '/' | '(' => char as u8,
        '-' | ')' | '\u{ad}' | '\u{61c}' | '\u{2000}'..='\u{2015}' | '\u{2028}'..='\u{202f}' => {
            b'-'
        }
        '\u{2060}'..='\u{2069}' | '\u{2212}' | '\u{3000}' | '\u{feff}' => b'-',
        _ => symbol(char).unwrap_or(OTHER),
    }
}

/// Where the number is in a word, without quotes and labels such as `tel:` around it.
fn bare(word: &[u8]) -> Option<(usize, usize)> {
    let start = word
        .iter()
        .position(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'('))?;
    let end = word.iter().rposition(u8::is_ascii_digit)? + 1;
    let inside = word.get(start..end)?;
    let is_number = !inside.iter().any(|byte| matches!(*byte, BOUND | OTHER))
        && word.get(..start)?.last() != Some(&BOUND)
        && word.get(end) != Some(&BOUND);
    (is_number && !is_date_or_amount(inside)).then_some((start, end))
}

/// The words of a row together, or the first one that is a number alone and stands where one begins.
fn in_row(row: &[u8], region: Region) -> Option<String> {
    let words = row.split(|byte| *byte == b' ');
    let words = words.filter(|word| !word.is_empty()).enumerate();
    let mut first =
        words.filter(|(place, word)| *place == 0 || matches!(word.first(), Some(b'+' | b'0')));
    read(row, region).or_else(|| first.find_map(|(_, word)| read(word, region)))
}

/// What is typed for a text that begins with a valid number, or with one that has a suggestion.
fn read(text: &[u8], region: Region) -> Option<String> {
    let number = str::from_utf8(until_note(text)).ok()?;
    let phone = phone::parse(number, Some(region));
    let is_one = phone.verdict == Verdict::Valid || phone.suggestion.is_some();
    is_one.then(|| typed(until_note(text)))
}

/// A number without what follows it.
fn until_note(text: &[u8]) -> &[u8] {
    let mut digits = 0;
    let end = text.iter().position(|byte| {
        digits += usize::from(byte.is_ascii_digit());
        *byte == b'+' && digits > 0 || digits >= LEAST_DIGITS && matches!(byte, b'/' | b'(')
    });
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// A text that is nothing but one number.
fn alone(text: &[u8]) -> Option<String> {
    let typed = typed(text);
    let is_number = until_note(text).len() == text.len() && !text.contains(&BREAK);
    (is_number && (LEAST_DIGITS..=MOST_DIGITS).contains(&typed.len())).then_some(typed)
}

fn typed(text: &[u8]) -> String {
    let symbols = text
        .iter()
        .copied()
        .filter(|byte| matches!(byte, b'0'..=b'9' | b'+'));
    symbols.map(char::from).collect()
}

fn is_date_or_amount(word: &[u8]) -> bool {
    let separator = word.iter().find(|byte| matches!(byte, b'.' | b'/' | b'-'));
    let Some(separator) = separator else {
        return false;
    };
    let mut groups = word.split(|byte| byte == separator).map(group);
    let mut next = || groups.next().unwrap_or(NO_GROUP);
    match [next(), next(), next(), next()] {
        [YEAR, month, day, NO_GROUP] | [day, month, YEAR | 0..=99, NO_GROUP] => {
            day.min(month) <= 12 && day.max(month) <= 31
        }
        [whole, 0..=99, NO_GROUP, _] => *separator == b'.' && whole < NO_GROUP,
        _ => false,
    }
}

/// There is none, or it has other characters.
const NO_GROUP: usize = usize::MAX;
/// Four digits.
const YEAR: usize = 104;

/// The value of one or two digits; else how many there are, beyond 100.
fn group(digits: &[u8]) -> usize {
    if !digits.iter().all(u8::is_ascii_digit) {
        return NO_GROUP;
    }
    match digits {
        [] => NO_GROUP,
        [one] => usize::from(one - b'0'),
        [ten, one] => usize::from(ten - b'0') * 10 + usize::from(one - b'0'),
        _ => 100 + digits.len(),
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

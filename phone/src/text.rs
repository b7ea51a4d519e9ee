//! From a text to the digits of a number: what libphonenumber's `parse` does before it looks at any metadata.
//!
//! Each character becomes a byte of its kind, on which upstream's patterns are matched.

use super::digit::digit;
use super::number::Typed;

/// Longer input is refused by upstream, too.
const LONGEST_INPUT: usize = 250;

/// Punctuation between digits that has no other meaning.
const PUNCTUATION: u8 = b'_';
const NO_BREAK_SPACE: u8 = b'&';
const WIDE_TILDE: u8 = b'^';
/// Punctuation that is a letter: it is taken off nowhere.
const LONG_VOWEL: u8 = b'"';
/// What a digit beyond ASCII has more than one of ASCII.
const OTHER_DIGIT: u8 = 0x80;
const WIDE_HASH: u8 = b'|';
/// The accent of an `o` that has it apart.
const ACUTE: u8 = b'\'';
/// What is in no number. Upstream takes it off the end of a text.
const SIGN: u8 = b'!';
/// What is in no number, and is a letter or a number: it is taken off nowhere.
const LETTER: u8 = b'?';
/// The first of the letters of full width, which have capitals.
const WIDE: u8 = b'A';

/// The kinds of characters beyond ASCII; the first that fits counts. For signs these are their blocks, without those
/// that have a few.
const KINDS: [(u16, u16, u8); 55] = [
    (0x80, 0x9f, SIGN),
    (0xa0, 0xa0, NO_BREAK_SPACE),
    (0xad, 0xad, PUNCTUATION),
    (0xa1, 0xa9, SIGN),
    (0xab, 0xb1, SIGN),
    (0xb4, 0xb4, SIGN),
    (0xb6, 0xb8, SIGN),
    (0xbb, 0xbb, SIGN),
    (0xd3, 0xd3, 4),
    (0xd7, 0xd7, SIGN),
    (0xf3, 0xf3, 4),
    (0x301, 0x301, ACUTE),
    (0x300, 0x36f, SIGN),
    (0x411, 0x411, 3),
    (0x414, 0x414, 1),
    (0x41e, 0x41e, 2),
    (0x431, 0x431, 3),
    (0x434, 0x434, 1),
    (0x43e, 0x43e, 2),
    (0x589, 0x5c7, SIGN),
    (0x5f3, 0x61f, SIGN),
    (0x64b, 0x66d, SIGN),
    (0x6d4, 0x6d4, SIGN),
    (0x964, 0x965, SIGN),
    (0x200b, 0x200b, PUNCTUATION),
    (0x2010, 0x2015, PUNCTUATION),
    (0x2053, 0x2053, PUNCTUATION),
    (0x2060, 0x2060, PUNCTUATION),
    (0x2000, 0x206f, SIGN),
    (0x20a0, 0x20ff, SIGN),
    (0x2212, 0x2212, PUNCTUATION),
    (0x223c, 0x223c, PUNCTUATION),
    (0x2190, 0x245f, SIGN),
    (0x2500, 0x2775, SIGN),
    (0x2794, 0x2bff, SIGN),
    (0x3000, 0x3000, PUNCTUATION),
    (0x3001, 0x3004, SIGN),
    (0x3008, 0x3020, SIGN),
    (0x30fb, 0x30fb, SIGN),
    (0x30fc, 0x30fc, LONG_VOWEL),
    (0xe000, 0xf8ff, SIGN),
    (0xfe00, 0xfe6f, SIGN),
    (0xfeff, 0xfeff, SIGN),
    (0xff03, 0xff03, WIDE_HASH),
    (0xff08, 0xff09, PUNCTUATION),
    (0xff0b, 0xff0b, b'+'),
    (0xff0e, 0xff0e, b'.'),
    (0xff0d, 0xff0f, PUNCTUATION),
    (0xff21, 0xff3a, WIDE),
    (0xff3c, 0xff3c, SIGN),
    (0xff3b, 0xff3d, PUNCTUATION),
    (0xff41, 0xff5a, WIDE),
    (0xff5e, 0xff5e, WIDE_TILDE),
    (0xff01, 0xff65, SIGN),
    (0xffe0, 0xfffd, SIGN),
];

/// At least three digits, and what may stand between and after them. In patterns, capitals are classes (see `is`), but
/// for those of `EXTENSIONS` that are of full width.
const VIABLE: &[u8] = b"+*Q*DQ*DQ*DR*";
/// So few digits that it may become a number.
const BEGUN: &[u8] = b"+*Q*D?Q*D?Q*";
/// How an extension is written, and the most digits that it then has; in the order in which upstream tries them.
const EXTENSIONS: [(usize, &[u8]); 14] = [
    (20, b";ext=DD*"),
    (20, b"P*e?xtensio'?n?:?C*DD*#?"),
    (20, b"P*e?xtensi\x04n?:?C*DD*#?"),
    (20, b"P*e?xtn?:?C*DD*#?"),
    (20, b"P*E?XTN?:?C*DD*#?"),
    (20, b"P*\x01\x02\x03:?C*DD*#?"),
    (20, b"P*anexo:?C*DD*#?"),
    (9, b"P*H:?C*DD*#?"),
    (9, b"P*int:?C*DD*#?"),
    (9, b"P*INT:?C*DD*#?"),
    (6, b"BB*DD*#"),
    (15, b"W*,,:?C*DD*#?"),
    (15, b"W*;:?C*DD*#?"),
    (9, b"W*,,*:?C*DD*#?"),
];

/// The digits that stand for `a` to `z` on a telephone.
const LETTERS: &[u8; 26] = b"22233344455566677778889999";

impl Typed {
    /// None if it is no number, and cannot become one.
    pub fn read(input: &str) -> Option<Self> {
        Self::of_ascii(input).or_else(|| Self::of_kinds(input))
    }

    /// A text as nearly all are, which needs no pattern: digits of ASCII, with spaces, hyphens and brackets between
    /// them, and perhaps a plus before them.
    pub fn of_ascii(text: &str) -> Option<Self> {
        let mut digits = Vec::with_capacity(text.len());
        let national = text.strip_prefix('+');
        for byte in national.unwrap_or(text).bytes() {
            match byte {
                b'0'..=b'9' => digits.push(byte & 15),
                b' ' | b'-' | b'(' | b')' => {}
                _ => return None,
            }
        }
        (text.len() <= LONGEST_INPUT).then_some(Self {
            digits,
            plus: national.is_some(),
            extension: Vec::new(),
            is_plain: true,
        })
    }

    /// Any text, as upstream reads it.
    pub fn of_kinds(input: &str) -> Option<Self> {
        let kinds = kinds(input);
        if kinds.len() > LONGEST_INPUT {
            return None;
        }
        let is_plain = matches(b"%*", &kinds);
        // Those of a URI in small letters only.
        let has = |word: &[u8]| {
            let mut parts = input.as_bytes().windows(word.len());
            parts.any(|part| part == word)
        };
        let words = [has(b"tel:"), has(b";phone-context="), has(b";isub=")];
        let kinds = part(&kinds, words)?;
        let (number, extension) = match extension(&kinds) {
            Some(start) => kinds.split_at_checked(start)?,
            None if matches(VIABLE, &kinds) || matches(BEGUN, &kinds) => (&*kinds, &[] as &[u8]),
            None => return None,
        };
        Some(Self {
            digits: digits(number),
            plus: number.first() == Some(&b'+'),
            extension: extension
                .iter()
                .filter(|kind| is_digit(**kind))
                .map(|kind| kind & !OTHER_DIGIT)
                .collect(),
            is_plain,
        })
    }
}

/// The digits of a number, also of one in letters, as on a telephone.
fn digits(number: &[u8]) -> Vec<u8> {
    let letters = number.iter().filter(|kind| kind.is_ascii_lowercase());
    let has_letters = letters.count() >= 3;
    let mut digits = Vec::with_capacity(number.len());
    for kind in number {
        // Beside letters, upstream has digits of ASCII only.
        if is_digit(*kind) && !(has_letters && *kind >= OTHER_DIGIT) {
            digits.push(kind & 15);
        } else if let Some(digit) = LETTERS.get(usize::from(kind.wrapping_sub(b'a')))
            && has_letters
        {
            digits.push(digit - b'0');
        }
    }
    digits
}

#[inline(never)]
fn kinds(text: &str) -> Vec<u8> {
    text.chars().map(kind).collect()
}

/// The part of a text in which a number may stand; of a URI, after the number that it is relative to.
fn part(all: &[u8], [is_uri, has_context, has_address]: [bool; 3]) -> Option<Vec<u8>> {
    let mut part = Vec::with_capacity(all.len());
    if let Some(at) = find(all, b";phone-context=Y*").filter(|_| has_context) {
        let (before, after) = all.split_at_checked(at)?;
        let context = after.get(15..)?;
        let context = context.split(|kind| *kind == b';').next()?;
        if context.first() == Some(&b'+') {
            part.extend_from_slice(context);
        }
        if !is_context(context) {
            return None;
        }
        let scheme = find(before, b"tel:Y*")
            .filter(|_| is_uri)
            .map_or(0, |at| at + 4);
        part.extend_from_slice(before.get(scheme..)?);
    } else {
        let start = all.iter().position(|kind| is(b'S', *kind));
        // Without one, a number may follow.
        let begun = all.get(start.unwrap_or(all.len())..)?;
        let end = begun.iter().rposition(|kind| is(b'$', *kind));
        part.extend_from_slice(begun.get(..end.map_or(begun.len(), |end| end + 1))?);
        // "x302/x303" are two numbers.
        part.truncate(find(&part, b"Z *xY*").unwrap_or(part.len()));
    }
    if has_address {
        part.truncate(find(&part, b";isub=Y*").unwrap_or(part.len()));
    }
    Some(part)
}

/// Where a pattern begins that goes on to the end.
#[inline(never)]
fn find(kinds: &[u8], pattern: &[u8]) -> Option<usize> {
    (0..kinds.len()).find(|start| matches(pattern, kinds.get(*start..).unwrap_or_default()))
}

/// Where the extension begins that a number ends with.
#[inline(never)]
fn extension(kinds: &[u8]) -> Option<usize> {
    if matches(b"%*", kinds) {
        return None;
    }
    let end = kinds.strip_suffix(b"#").unwrap_or(kinds);
    let count = end.iter().rev().take_while(|kind| is_digit(**kind)).count();
    let fitting = EXTENSIONS.iter().filter(|(most, _)| count <= *most);
    let start = fitting
        .filter_map(|(_, pattern)| find(kinds, pattern))
        .min()?;
    let number = kinds.get(..start)?;
    (matches(VIABLE, number) || matches(b"DD", number)).then_some(start)
}

/// Whether a pattern is all of a text. `*` is any number of the class or byte before it, `?` one or none.
#[inline(never)]
fn matches(pattern: &[u8], kinds: &[u8]) -> bool {
    let Some((class, rest)) = pattern.split_first() else {
        return kinds.is_empty();
    };
    let (least, most, after) = match rest.split_first() {
        Some((b'*', after)) => (0, usize::MAX, after),
        Some((b'?', after)) => (0, 1, after),
        _ => (1, 1, rest),
    };
    let run = kinds.iter().take_while(|kind| is(*class, **kind)).count();
    (least..=run.min(most)).any(|taken| matches(after, kinds.get(taken..).unwrap_or_default()))
}

/// Whether a kind is of a class of the patterns.
#[inline(never)]
fn is(class: u8, kind: u8) -> bool {
    let (list, with_digits, with_letters): (&[u8], bool, bool) = match class {
        b'D' => (b"", true, false),
        // The start and the end of a number.
        b'S' => (b"+", true, false),
        b'$' => (b"#?\"\x01\x02\x03\x04", true, true),
        b'%' => (b"+ -./()_&\"", true, false),
        b'Q' => (b" -./()_&\"*x~", false, false),
        b'R' => (b" -./()_&\"*x~", true, true),
        b'P' => (b" \t&,", false, false),
        b'C' => (b" \t&,-", false, false),
        b'B' => (b" -", false, false),
        b'W' => (b" \t&", false, false),
        b'H' => (b"xX#|~^", false, false),
        b'Z' => (b"/\\", false, false),
        b'A' => (b"", true, true),
        b'L' => (b"-", true, true),
        b'G' => (b"-.()", true, false),
        b':' => (b":.", false, false),
        b'Y' => return true,
        _ => return class == kind,
    };
    let is_letter = kind.is_ascii_lowercase() || class == b'$' && kind.is_ascii_uppercase();
    list.contains(&kind) || with_digits && is_digit(kind) || with_letters && is_letter
}

fn is_digit(kind: u8) -> bool {
    (kind & !OTHER_DIGIT).is_ascii_digit()
}

/// The kind of a character.
fn kind(char: char) -> u8 {
    let code = u32::from(char);
    if let Some(digit) = digit(code) {
        return (b'0' + digit) | if code < 128 { 0 } else { OTHER_DIGIT };
    }
    if let Ok(ascii) = u8::try_from(code)
        && ascii < 128
    {
        return match ascii {
            b'[' | b']' => PUNCTUATION,
            _ if b"+ \t,;:=#*.-/\\~()".contains(&ascii) => ascii,
            _ if ascii.is_ascii_alphabetic() => ascii | 32,
            _ => SIGN,
        };
    }
    let found = KINDS
        .iter()
        .find(|(first, last, _)| (u32::from(*first)..=u32::from(*last)).contains(&code));
    match found {
        Some((first, _, WIDE)) => WIDE + (code - u32::from(*first)) as u8,
        Some((_, _, kind)) => *kind,
        None if (0x1f10d..=0x1faff).contains(&code) => SIGN,
        None => LETTER,
    }
}

/// Whether a URI's context has the form that RFC 3966 asks for: a number with its plus, or a domain.
#[inline(never)]
fn is_context(context: &[u8]) -> bool {
    if matches(b"+G*DG*", context) {
        return true;
    }
    let domain = context.strip_suffix(b".").unwrap_or(context);
    let mut labels = domain.split(|kind| *kind == b'.');
    let top = domain.rsplit(|kind| *kind == b'.').next();
    labels.all(|label| matches(b"A", label) || matches(b"AL*A", label))
        && top
            .and_then(<[u8]>::first)
            .is_some_and(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_ascii_is_read_as_any_other() {
        let mut texts = vec![String::new()];
        for _ in 0..6 {
            texts = texts
                .iter()
                .flat_map(|text| "05+ -()".chars().map(move |char| format!("{text}{char}")))
                .chain([String::new()])
                .collect();
            for text in &texts {
                if let Some(ours) = Typed::of_ascii(text) {
                    let theirs = Typed::of_kinds(text).unwrap();
                    let read =
                        |typed: Typed| (typed.digits, typed.plus, typed.extension, typed.is_plain);
                    assert_eq!(read(ours), read(theirs), "{text}");
                }
            }
        }
    }
}

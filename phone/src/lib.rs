//! Mobile phone numbers: what libphonenumber calls valid, in all its regions, from a table of 9 KB.
//!
//! No regular expressions: those of the browser remember the last number that they matched. Digits stay on the heap,
//! and none are kept between calls.

#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub mod cover;
mod data;
mod digit;
mod example;
mod format;
mod future;
mod model;
mod number;
mod table;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod text;
mod walk;

use data::{Table, at, entry, table};
pub use digit::digit;
pub use example::example;
use format::Style;
use number::{Number, Typed};

/// The release of libphonenumber that the table was made from.
pub const METADATA_VERSION: &str = table::VERSION;

/// A region that has phone numbers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Region(u8);

impl Region {
    /// Reads ISO 3166-1 alpha-2, in whatever case.
    pub fn parse(code: &str) -> Option<Self> {
        Self::of(code.as_bytes())
    }

    /// Likewise, of its letters.
    pub fn of(letters: &[u8]) -> Option<Self> {
        let number = table().region(letters)?;
        Some(Self(number as u8))
    }

    /// ISO 3166-1 alpha-2, or `001` for a satellite network.
    pub fn code(self) -> &'static str {
        let start = usize::from(self.0) * 2;
        match table::REGIONS.get(start..start + 2) {
            Some(code) if code != "00" => code,
            _ => "001",
        }
    }

    /// The country calling code.
    pub fn calling_code(self) -> u16 {
        let table = table();
        table.code(table.code_of(usize::from(self.0))) as u16
    }
}

/// How good a number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A mobile number, or one that may be.
    Valid,
    /// As long as a mobile number, but of no range that is known for them.
    Possible,
    /// Anything else.
    Invalid,
}

impl Verdict {
    /// The word for JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Possible => "possible",
            Self::Invalid => "invalid",
        }
    }
}

/// What a valid number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A mobile number.
    Mobile,
    /// Where the two cannot be told apart, as in the United States.
    FixedLineOrMobile,
}

impl Kind {
    /// The word for JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mobile => "mobile",
            Self::FixedLineOrMobile => "fixed_line_or_mobile",
        }
    }
}

/// What was typed, understood. No `Debug`: it is a person's number.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub struct Phone {
    /// How good it is.
    pub verdict: Verdict,
    /// `+972502345678`: of valid and possible numbers.
    pub e164: Option<String>,
    /// `050-234-5678`: of valid numbers, as are all that follow.
    pub national: Option<String>,
    /// `+972 50-234-5678`
    pub international: Option<String>,
    /// Where the number belongs to.
    pub region: Option<Region>,
    /// What it is.
    pub kind: Option<Kind>,
    /// A valid number that may have been meant instead.
    pub suggestion: Option<Box<Phone>>,
    /// No more digits can make this a valid number.
    pub dead_end: bool,
    /// The digits that are dialed once the call is answered, if there are any: `3` of `ext. 3`. No format has them.
    pub extension: Option<String>,
}

/// Reads a number as typed in a region. Without one, it must begin with `+`.
///
/// ```
/// use pos_connect_phone::{Region, Verdict, parse};
///
/// let phone = parse("0502345678", Region::parse("IL"));
/// assert_eq!(phone.verdict, Verdict::Valid);
/// assert_eq!(phone.e164.as_deref(), Some("+972502345678"));
/// assert_eq!(phone.national.as_deref(), Some("050-234-5678"));
/// ```
pub fn parse(input: &str, region: Option<Region>) -> Phone {
    let Some(typed) = Typed::read(input) else {
        return Phone::invalid(true);
    };
    let number = typed.number(region);
    let mut phone = match &number {
        Some(number) => Phone::of(number),
        None => Phone::invalid(false),
    };
    if !typed.extension.is_empty() {
        phone.extension = String::from_utf8(typed.extension.clone()).ok();
    }
    if phone.verdict != Verdict::Valid {
        phone.dead_end = !typed.may_become_valid(region);
        phone.suggestion = suggestion(&typed, number, region);
        // While it can become a number of this region, it is read as one.
        if phone.dead_end && phone.suggestion.is_none() {
            phone.suggestion = from_abroad(&typed);
        }
    }
    phone
}

/// Groups the digits as they are typed. All of them stay, in their order; a valid number ends as upstream writes it.
pub fn format_as_you_type(input: &str, region: Option<Region>) -> String {
    match Typed::read(input) {
        Some(typed) if typed.is_plain => typed.grouped(region),
        _ => String::from(input),
    }
}

/// A label of the table: what is known of a complete mobile number.
struct Label {
    region: Region,
    kind: Kind,
    /// The national layout; after a `|` the international one, if that cannot be derived.
    layout: &'static [u8],
}

impl Table {
    /// The labels of mobile numbers that may go with a label of a tree, by their place among `layouts`.
    fn label(&self, code: usize, label: u32) -> std::ops::Range<usize> {
        let first = (entry(&self.codes, code) >> 20) + label;
        let start = |label| entry(&self.labels, label as usize) as usize;
        start(first)..start(first + 1)
    }

    fn layout_of(&self, number: usize) -> &'static [u8] {
        self.layout(at(self.layouts, number) >> 1)
    }

    fn find(&self, number: &Number) -> Option<Label> {
        let walk = walk::walk(self, number.code, &number.national);
        let mut found = None;
        for label in &walk.labels {
            for place in self.label(number.code, *label) {
                if format::lengths(self.layout_of(place)).0 == number.national.len() {
                    found = Some(place);
                }
            }
        }
        let place = found?;
        let kind = at(self.kinds, place);
        Some(Label {
            region: Region((self.main_region(number.code) + (kind >> 1)) as u8),
            kind: if kind & 1 == 1 {
                Kind::FixedLineOrMobile
            } else {
                Kind::Mobile
            },
            layout: self.layout_of(place),
        })
    }
}

impl Phone {
    fn invalid(dead_end: bool) -> Self {
        Self {
            verdict: Verdict::Invalid,
            e164: None,
            national: None,
            international: None,
            region: None,
            kind: None,
            suggestion: None,
            dead_end,
            extension: None,
        }
    }

    fn of(number: &Number) -> Self {
        let table = table();
        let mut phone = Self::invalid(false);
        let mut e164 = format::code(table.code(number.code));
        if let Some(label) = table.find(number) {
            phone.verdict = Verdict::Valid;
            phone.region = Some(label.region);
            phone.kind = Some(label.kind);
            let write = |international: bool, mut text: String| {
                let style = Style {
                    international,
                    typed: false,
                };
                format::write(label.layout, style, &number.national, &mut text);
                Some(text)
            };
            let mut start = format::text(&e164);
            start += " ";
            phone.international = write(true, start);
            phone.national = write(false, format::text(""));
        } else if table.has_length(at(table.mobile_lengths, number.code), number.national.len()) {
            phone.verdict = Verdict::Possible;
        } else {
            return phone;
        }
        format::digits(&number.national, &mut e164);
        phone.e164 = Some(e164);
        phone
    }
}

/// A valid number that people mean by one that is not.
fn suggestion(typed: &Typed, number: Option<Number>, region: Option<Region>) -> Option<Box<Phone>> {
    let number = number?;
    let table = table();
    // +49 without the +, in Germany, is long enough for a number of its own; likewise elsewhere.
    if let Some(region) = region
        && !typed.plus
        && let Some((code, rest)) = table.split_code(&typed.digits)
        && code == table.code_of(usize::from(region.0))
        && let Some(suggestion) = valid(code, &[], rest)
    {
        return Some(suggestion);
    }
    let national = number.national.as_slice();
    let (first, nine, rest) = match (table.code(number.code), national) {
        // Argentina: a 9 before the area code makes it mobile.
        (54, [_, _, _, _, _, _, _, _, _, _]) => (0, true, 0),
        // Brazil: mobile numbers have a 9 before the eight digits that they once had.
        (55, [_, _, 6..=9, _, _, _, _, _, _, _]) => (2, true, 2),
        // Mexico: a 1 before mobile numbers was given up.
        (52, [1, _, _, _, _, _, _, _, _, _, _]) => (0, false, 1),
        _ => return None,
    };
    let mut start = national.get(..first)?.to_vec();
    if nine {
        start.push(9);
    }
    valid(number.code, &start, national.get(rest..)?)
}

/// With these people call abroad, wherever they come from.
const EXIT_CODES: [&[u8]; 9] = [
    &[0, 0],
    &[0, 1, 1],
    &[0, 0, 1, 1],
    &[8, 1, 0],
    &[0, 0, 1],
    &[0, 0, 2],
    &[0, 1, 0],
    &[0, 0, 9],
    &[1, 1, 9],
];
/// A calling code and a number, without the `+`. Shorter ones are a number with a wrong digit.
const LEAST_WITH_CODE: usize = 11;

/// A foreign number as it is dialed in another region than this one, or without its `+`.
fn from_abroad(typed: &Typed) -> Option<Box<Phone>> {
    if typed.plus {
        return None;
    }
    let digits = typed.digits.as_slice();
    let dialed = EXIT_CODES
        .iter()
        .filter_map(|exit| digits.strip_prefix(*exit));
    let bare = (digits.len() >= LEAST_WITH_CODE).then_some(digits);
    dialed.chain(bare).find_map(|rest| {
        let (code, _) = table().split_code(rest)?;
        let typed = Typed {
            digits: rest.to_vec(),
            plus: true,
            extension: Vec::new(),
            is_plain: true,
        };
        let number = typed.number(None)?;
        // Not what is left when the calling code is none.
        (number.code == code).then(|| valid(code, &[], &number.national))?
    })
}

fn valid(code: usize, start: &[u8], rest: &[u8]) -> Option<Box<Phone>> {
    let mut national = start.to_vec();
    national.extend_from_slice(rest);
    let phone = Phone::of(&Number { code, national });
    (phone.verdict == Verdict::Valid).then(|| Box::new(phone))
}

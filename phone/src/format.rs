//! Writes numbers in layouts.
//!
//! A layout is a text. `a`–`q` stand for the next 1–17 digits, `A`–`Q` for as many that are left out, and
//! anything else for itself. After a `|` stands the international layout, if it cannot be derived.

use super::Region;
use super::data::{Table, table};
use super::number::Typed;
use super::walk::{first_label, walk};

/// How a number is to be written.
#[derive(Clone, Copy)]
pub struct Style {
    pub international: bool,
    /// The digits are those that were typed, with what the layout itself writes; not those of the number.
    pub typed: bool,
}

/// One part of a layout.
enum Part {
    Digits(usize),
    LeftOut(usize),
    Text(u8),
}

fn part(byte: u8) -> Part {
    let count = usize::from(byte & 31);
    match byte {
        b'a'..=b'z' => Part::Digits(count),
        b'A'..=b'Z' => Part::LeftOut(count),
        _ => Part::Text(byte),
    }
}

/// How many digits a number of this layout has, and how many are typed in the national format.
pub fn lengths(layout: &[u8]) -> (usize, usize) {
    let (mut number, mut typed) = (0, 0);
    for byte in layout {
        match part(*byte) {
            Part::Digits(count) => {
                number += count;
                typed += count;
            }
            Part::LeftOut(count) => number += count,
            Part::Text(b'|') => break,
            Part::Text(byte) => typed += usize::from(byte.is_ascii_digit()),
        }
    }
    (number, typed)
}

/// A text with room for any mobile number: each time one grows it is moved, and what it was is wiped.
pub fn text(start: &str) -> String {
    let mut text = String::with_capacity(start.len() + 32);
    text.push_str(start);
    text
}

/// `+972`
pub fn code(code: u32) -> String {
    let mut text = text("+");
    for power in &[100, 10, 1] {
        if code >= *power {
            digits(&[(code / *power % 10) as u8], &mut text);
        }
    }
    text
}

pub fn digits(digits: &[u8], text: &mut String) {
    for digit in digits {
        text.push(char::from(b'0' + digit % 10));
    }
}

/// Writes digits in a layout: what is between them only before another one, and what is too much at the end.
pub fn write(layout: &[u8], style: Style, number: &[u8], text: &mut String) {
    let bar = layout.iter().position(|byte| *byte == b'|');
    let (home, abroad) = layout
        .split_at_checked(bar.unwrap_or(layout.len()))
        .unwrap_or_default();
    let derived = style.international && abroad.is_empty();
    let layout = if style.international && !derived {
        abroad.get(1..).unwrap_or_default()
    } else {
        home
    };
    let mut rest = number;
    let mut take = |count: usize| {
        let (taken, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        rest = after;
        taken
    };
    let mut end = text.len();
    // The international format has no national prefix, and no parentheses.
    let mut skipping = derived;
    for byte in layout {
        let taken = match part(*byte) {
            Part::LeftOut(count) => {
                take(if style.typed { 0 } else { count });
                continue;
            }
            Part::Digits(count) => take(count),
            Part::Text(_) if skipping => continue,
            Part::Text(b')') if derived => continue,
            Part::Text(byte) if style.typed && byte.is_ascii_digit() => take(1),
            Part::Text(byte) => {
                text.push(char::from(byte));
                continue;
            }
        };
        skipping = false;
        if taken.is_empty() {
            break;
        }
        digits(taken, text);
        end = text.len();
    }
    text.truncate(end);
    digits(take(usize::MAX), text);
}

impl Typed {
    /// The digits in groups.
    pub fn grouped(&self, region: Option<Region>) -> String {
        let table = table();
        let all = self.digits.as_slice();
        let mut text = text(if self.plus { "+" } else { "" });
        let home = region.map(|region| usize::from(region.0));
        let abroad = if self.plus {
            Some(all.to_vec())
        } else {
            home.and_then(|region| table.after_international_prefix(region, all))
        };
        if let Some(rest) = &abroad
            && let Some((code, national)) = table.split_code(rest)
        {
            let prefix = all.len() - rest.len();
            let code_end = all.len() - national.len();
            digits(all.get(..prefix).unwrap_or_default(), &mut text);
            if prefix > 0 {
                text += " ";
            }
            digits(all.get(prefix..code_end).unwrap_or_default(), &mut text);
            if !national.is_empty() {
                text += " ";
                let (layout, _) = table.expected(code, national);
                let style = Style {
                    international: true,
                    typed: true,
                };
                write(layout, style, national, &mut text);
            }
            return text;
        }
        match home {
            Some(region) if !self.plus => table.group_at_home(region, all, &mut text),
            _ => digits(all, &mut text),
        }
        text
    }
}

impl Table {
    /// The layout of the number that digits may become, and how many of them lead there.
    fn expected(&self, code: usize, national: &[u8]) -> (&'static [u8], usize) {
        let walk = walk(self, code, national);
        let label = match walk.labels.last() {
            Some(label) => *label,
            None => first_label(self, walk.node),
        };
        let alive = walk.inside || !walk.labels.is_empty();
        let mut layout: &[u8] = b"";
        let mut good = 0;
        for place in self.label(code, label) {
            layout = self.layout_of(place);
            if lengths(layout).0 >= national.len() {
                good = if alive { national.len() } else { 0 };
                break;
            }
        }
        (layout, good)
    }

    fn group_at_home(&self, region: usize, all: &[u8], text: &mut String) {
        let code = self.code_of(region);
        let short = self.without_prefixes(region, all);
        let national = match &short {
            Some(short)
                if short.len() <= all.len()
                    && self.expected(code, short).1 >= self.expected(code, all).1 =>
            {
                short
            }
            _ => all,
        };
        let (layout, _) = self.expected(code, national);
        let (length, typed) = lengths(layout);
        let extra = all.len() - national.len();
        let mut digits_in_layout = national;
        let mut international = typed != length;
        if national.is_empty() || extra > 0 && !all.ends_with(national) && extra + length != typed {
            return digits(all, text);
        }
        if extra + length == typed {
            // The national prefix is a part of the layout.
            digits_in_layout = all;
            international = false;
        } else if extra > 0 {
            digits(all.get(..extra).unwrap_or_default(), text);
            *text += " ";
        }
        let style = Style {
            international,
            typed: true,
        };
        write(layout, style, digits_in_layout, text);
    }
}

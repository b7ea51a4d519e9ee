//! The spec gives `expiration` no format (§2.5). Reads RFC 3339, Unix seconds and Unix milliseconds.

use crate::loose::Loose;

/// When the access token expires.
pub enum Expiration {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    At(f64),
    /// What was sent, when it can't be read as a time.
    Unreadable(Loose),
    /// Nothing was sent.
    Missing,
}

/// From here on a number is milliseconds: as seconds it would be the year 5138, as milliseconds it is 1973.
const MILLISECONDS_FROM: f64 = 1e11;
/// The largest time a JavaScript `Date` can hold.
const LATEST_MS: f64 = 8.64e15;
/// In digits, so that it fits an `i64`. More of them are beyond any `Date`.
const LONGEST_NUMBER: usize = 18;

/// Reads the member; never fails.
pub fn read(member: Loose) -> Expiration {
    let ms = match &member {
        Loose::Missing => return Expiration::Missing,
        Loose::Number(number) => from_number(*number),
        Loose::Text(text) => from_text(text.trim_ascii()),
        Loose::Bool(_) | Loose::Members(_) | Loose::Other => None,
    };
    match ms {
        Some(ms) => Expiration::At(ms),
        None => Expiration::Unreadable(member),
    }
}

fn from_number(number: f64) -> Option<f64> {
    let ms = if number < MILLISECONDS_FROM {
        number * 1000.0
    } else {
        number
    };
    (number > 0.0 && ms <= LATEST_MS).then_some(ms)
}

fn from_text(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let number = bytes.strip_prefix(b"+").unwrap_or(bytes);
    // Not `parse::<f64>`: its tables alone are 10 KB of the module.
    if number.len() <= LONGEST_NUMBER
        && let Some(number) = digits(number, 0, number.len())
    {
        #[allow(clippy::cast_precision_loss)]
        // Milliseconds of any year that a Date can hold are below 2^53.
        return from_number(number as f64);
    }
    rfc3339(bytes)
}

/// RFC 3339 §5.6, with the lower-case and space forms its notes allow.
fn rfc3339(bytes: &[u8]) -> Option<f64> {
    let year = digits(bytes, 0, 4)?;
    let month = digits(bytes, 5, 2)?;
    let day = digits(bytes, 8, 2)?;
    let hour = digits(bytes, 11, 2)?;
    let minute = digits(bytes, 14, 2)?;
    let second = digits(bytes, 17, 2)?;
    let separators = [(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")];
    if !separators
        .iter()
        .all(|&(at, allowed)| is_one_of(bytes, at, allowed))
    {
        return None;
    }
    if day < 1 || day > days_in_month(year, month)? || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction_ms, zone_at) = fraction(bytes, 19)?;
    let offset_minutes = offset(bytes, zone_at)?;
    let days = days_since_1970(year, month, day);
    let seconds = ((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second;
    #[allow(clippy::cast_precision_loss)] // Four-digit years: far below 2^53.
    let ms = seconds as f64 * 1000.0 + fraction_ms;
    Some(ms)
}

fn is_one_of(bytes: &[u8], at: usize, allowed: &str) -> bool {
    bytes
        .get(at)
        .is_some_and(|byte| allowed.bytes().any(|other| other == *byte))
}

fn digits(bytes: &[u8], at: usize, count: usize) -> Option<i64> {
    let mut value = 0;
    for byte in bytes.get(at..at.checked_add(count)?)? {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(byte - b'0');
    }
    Some(value)
}

/// Milliseconds of the fraction at `at`, and where the zone begins. What is finer than a millisecond is dropped.
fn fraction(bytes: &[u8], at: usize) -> Option<(f64, usize)> {
    if bytes.get(at) != Some(&b'.') {
        return Some((0.0, at));
    }
    let mut end = at + 1;
    let mut ms = 0.0;
    let mut weight = 100.0;
    while let Some(digit) = digits(bytes, end, 1) {
        #[allow(clippy::cast_precision_loss)] // One digit.
        let digit = digit as f64;
        if weight >= 1.0 {
            ms += digit * weight;
        }
        weight /= 10.0;
        end += 1;
    }
    (end > at + 1).then_some((ms, end))
}

/// Minutes east of UTC of the zone at `at`, which must end the text.
fn offset(bytes: &[u8], at: usize) -> Option<i64> {
    let sign = match bytes.get(at)? {
        b'Z' | b'z' => return (bytes.len() == at + 1).then_some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(bytes, at + 1, 2)?;
    let minutes = digits(bytes, at + 4, 2)?;
    let whole = bytes.len() == at + 6 && is_one_of(bytes, at + 3, ":");
    (whole && hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in_month(year: i64, month: i64) -> Option<i64> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if is_leap(year) { 29 } else { 28 }),
        _ => None,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar, for years 0 to 9999.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Counting years from March puts the leap day last, so month lengths follow one formula.
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let before = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    before + day_of_year - 719_468
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(member: Loose) -> Option<f64> {
        match read(member) {
            Expiration::At(ms) => Some(ms),
            Expiration::Unreadable(_) | Expiration::Missing => None,
        }
    }

    fn text(text: &str) -> Option<f64> {
        at(Loose::Text(text.to_owned()))
    }

    #[test]
    fn rfc3339_in_its_forms() {
        for (written, ms) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2026-11-21T10:30:00Z", 1_795_257_000_000.0),
            ("2026-11-21t10:30:00z", 1_795_257_000_000.0),
            ("2026-11-21 10:30:00Z", 1_795_257_000_000.0),
            ("2026-11-21T12:30:00+02:00", 1_795_257_000_000.0),
            ("2026-11-21T05:00:00-05:30", 1_795_257_000_000.0),
            ("2026-11-21T10:30:00.25Z", 1_795_257_000_250.0),
            ("2026-11-21T10:30:00.123456789Z", 1_795_257_000_123.0),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000.0),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000.0),
            ("1969-12-31T23:59:59Z", -1000.0),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000.0),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000.0),
        ] {
            assert_eq!(text(written), Some(ms), "{written}");
        }
    }

    #[test]
    fn numbers_are_seconds_or_milliseconds() {
        for (number, ms) in [
            (1_795_257_000.0, 1_795_257_000_000.0),
            (1_795_257_000_000.0, 1_795_257_000_000.0),
            (1_795_257_000.5, 1_795_257_000_500.0),
        ] {
            assert_eq!(at(Loose::Number(number)), Some(ms));
        }
        assert_eq!(text("1795257000"), Some(1_795_257_000_000.0));
        assert_eq!(text("1795257000000"), Some(1_795_257_000_000.0));
        assert_eq!(text("+1795257000"), Some(1_795_257_000_000.0));
    }

    #[test]
    fn what_cannot_be_read_is_kept_as_text() {
        for written in [
            "",
            "soon",
            "2026-11-21",
            "2026-11-21T10:30:00",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T10:30:00Zx",
            "2026-11-21T10:30:00.Z",
            "2026-11-21T10:30:00+2:00",
            "2026/11/21T10:30:00Z",
            "é2026-11-21",
            "99999999999999999999999999",
        ] {
            let kept = read(Loose::Text(written.to_owned()));
            assert!(
                matches!(kept, Expiration::Unreadable(Loose::Text(text)) if text == written),
                "{written}"
            );
        }
        for member in [
            Loose::Number(-5.0),
            Loose::Number(9e15),
            Loose::Bool(true),
            Loose::Other,
        ] {
            assert!(matches!(read(member), Expiration::Unreadable(_)));
        }
        assert!(matches!(read(Loose::Missing), Expiration::Missing));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_kept(written in any::<String>()) {
            match read(Loose::Text(written.clone())) {
                Expiration::At(ms) => prop_assert!(ms.is_finite()),
                Expiration::Unreadable(Loose::Text(kept)) => prop_assert_eq!(kept, written),
                _ => prop_assert!(false),
            }
        }
    }
}

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
/// Digits of a number that still fits a `Date`, with room for zeros in front.
const LONGEST_NUMBER: usize = 18;
/// RFC 3339 up to the seconds. `0` stands for a digit, `T` for what may stand between date and time.
const DATE_TIME: &[u8] = b"0000-00-00T00:00:00";
const ZONE: &[u8] = b"00:00";

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
    let digits = match bytes {
        [b'+', digits @ ..] => digits,
        _ => bytes,
    };
    // Not `parse::<f64>`: its tables alone are 10 KB of the module.
    let mut number = 0.0;
    for byte in digits {
        match digit(*byte) {
            Some(digit) => number = number * 10.0 + f64::from(digit),
            None => return rfc3339(bytes),
        }
    }
    from_number(number).filter(|_| digits.len() <= LONGEST_NUMBER)
}

/// RFC 3339 §5.6, with the lower-case and space forms its notes allow.
fn rfc3339(bytes: &[u8]) -> Option<f64> {
    let (date_time, rest) = bytes.split_at_checked(DATE_TIME.len())?;
    let [year, month, day, hour, minute, second] = numbers(DATE_TIME, date_time)?;
    let before = days_since_1970(year, month);
    let days = days_since_1970(year, month + 1) - before;
    let is_date = (1..=12).contains(&month) && (1..=days).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction_ms, zone) = fraction(rest)?;
    let hours = f64::from((before + day - 1) * 24 + hour);
    let minutes = hours * 60.0 + f64::from(minute - offset(zone)?);
    Some((minutes * 60.0 + f64::from(second)) * 1000.0 + f64::from(fraction_ms))
}

fn digit(byte: u8) -> Option<i32> {
    byte.is_ascii_digit().then(|| i32::from(byte - b'0'))
}

/// The numbers in a text of this form.
fn numbers(form: &[u8], text: &[u8]) -> Option<[i32; 6]> {
    let mut all = [0; 6];
    let mut numbers = all.iter_mut();
    let mut number = numbers.next()?;
    for (at, byte) in text.iter().enumerate() {
        match form.get(at)? {
            b'0' => *number = *number * 10 + digit(*byte)?,
            b'T' if matches!(byte, b't' | b' ') => number = numbers.next()?,
            wanted if wanted == byte => number = numbers.next()?,
            _ => return None,
        }
    }
    (form.len() == text.len()).then_some(all)
}

/// Milliseconds of the fraction that may come first, and what follows it. What is finer than a millisecond is dropped.
fn fraction(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let [b'.', rest @ ..] = bytes else {
        return Some((0, bytes));
    };
    let (mut rest, mut ms, mut weight) = (rest, 0, 1000);
    while let Some((byte, after)) = rest.split_first()
        && let Some(digit) = digit(*byte)
    {
        weight /= 10;
        ms += digit * weight;
        rest = after;
    }
    (weight < 1000).then_some((ms, rest))
}

/// Minutes east of UTC.
fn offset(zone: &[u8]) -> Option<i32> {
    let (sign, zone) = match zone {
        b"Z" | b"z" => return Some(0),
        [b'+', zone @ ..] => (1, zone),
        [b'-', zone @ ..] => (-1, zone),
        _ => return None,
    };
    let [hours, minutes, ..] = numbers(ZONE, zone)?;
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

/// Days from 1970-01-01 to the first day of a month, in the proleptic Gregorian calendar, for years 0 to 9999; month 13 is the next January.
fn days_since_1970(year: i32, month: i32) -> i32 {
    // Counting years from March puts the leap day last, so month lengths follow one formula. 400 years more keep all above zero.
    let year = if month <= 2 { year + 399 } else { year + 400 };
    let month_from_march = (month + 9) % 12;
    let before = year * 365 + year / 4 - year / 100 + year / 400;
    before + (153 * month_from_march + 2) / 5 - 719_468 - 146_097
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

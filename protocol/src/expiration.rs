//! The specification gives `expiration` no format (§2.5). Reads RFC 3339, Unix seconds and Unix milliseconds.

use crate::{Field, MemberProblem, Number, Scalar};

/// When the access token expires.
#[derive(Clone, PartialEq)]
pub enum Expiration {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    At(f64),
    /// What was sent, if it cannot be read as a time; `None` if it was neither a text nor a number.
    Unreadable(Option<Scalar>),
    /// Nothing was sent.
    Missing,
}

/// The least number that is milliseconds: as seconds it would be the year 5138, as milliseconds it is 1973.
const MILLISECONDS_FROM: f64 = 1e11;
/// The latest time that a JavaScript `Date` can hold.
const LATEST_MS: f64 = 8.64e15;
/// Digits of a number that still fits a `Date`, with room for leading zeros.
const LONGEST_NUMBER: usize = 18;
/// RFC 3339 up to the seconds. `0` stands for a digit, `T` for what may stand between date and time.
const DATE_TIME: &[u8] = b"0000-00-00T00:00:00";
/// The hours and minutes of an offset.
const ZONE: &[u8] = b"00:00";

/// Reads the member; never fails.
pub fn read(member: Field<Scalar>) -> Expiration {
    let sent = match member.required() {
        Ok(sent) => sent,
        Err(MemberProblem::Missing) => return Expiration::Missing,
        Err(MemberProblem::WrongType | MemberProblem::Unreadable) => {
            return Expiration::Unreadable(None);
        }
    };
    let ms = match &sent {
        Scalar::Number(Number(number)) => from_number(*number),
        Scalar::Text(text) => from_text(text.trim_ascii()),
    };
    match ms {
        Some(ms) => Expiration::At(ms),
        None => Expiration::Unreadable(Some(sent)),
    }
}

/// Milliseconds for a number of seconds or of milliseconds.
fn from_number(number: f64) -> Option<f64> {
    let ms = if number < MILLISECONDS_FROM {
        number * 1000.0
    } else {
        number
    };
    (number > 0.0 && ms <= LATEST_MS).then_some(ms)
}

/// Milliseconds since 1970 of a text in RFC 3339; `None` for any other.
pub fn unix_ms(text: &str) -> Option<f64> {
    rfc3339(text.as_bytes())
}

fn from_text(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return rfc3339(text.as_bytes());
    }
    // Not `parse::<f64>`: its tables alone are 10 KB of the SDK's module.
    let number: u64 = digits.parse().ok()?;
    from_number(number as f64).filter(|_| digits.len() <= LONGEST_NUMBER)
}

/// RFC 3339 §5.6, with the lower-case and space forms that its notes allow. A leap second is the next minute's first.
fn rfc3339(text: &[u8]) -> Option<f64> {
    let (date_time, rest) = text.split_at_checked(DATE_TIME.len())?;
    let [year, month, day, hour, minute, second] = numbers(DATE_TIME, date_time)?;
    let first_of_month = days_since_1970(year, month);
    let days_in_month = days_since_1970(year, month + 1) - first_of_month;
    let is_date = (1..=12).contains(&month) && (1..=days_in_month).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction_ms, zone) = fraction(rest)?;
    let hours = f64::from((first_of_month + day - 1) * 24 + hour);
    let minutes = hours * 60.0 + f64::from(minute - offset(zone)?);
    Some((minutes * 60.0 + f64::from(second)) * 1000.0 + f64::from(fraction_ms))
}

fn digit(byte: u8) -> Option<i32> {
    byte.is_ascii_digit().then(|| i32::from(byte - b'0'))
}

/// The numbers in a text of this form, and zeros up to six.
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

/// Milliseconds of the fraction, if there is one, and what follows it. What is finer than a millisecond is dropped.
fn fraction(text: &[u8]) -> Option<(i32, &[u8])> {
    let [b'.', rest @ ..] = text else {
        return Some((0, text));
    };
    let (mut rest, mut ms, mut weight) = (rest, 0, 1000);
    while let Some((byte, after)) = rest.split_first()
        && let Some(digit) = digit(*byte)
    {
        weight /= 10;
        ms += digit * weight;
        rest = after;
    }
    let has_digits = weight < 1000;
    has_digits.then_some((ms, rest))
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

/// Days from 1970-01-01 to the first day of a month, in the proleptic Gregorian calendar, for the years 0 to 9999.
/// Month 13 is the next January.
fn days_since_1970(year: i32, month: i32) -> i32 {
    // A year that begins in March ends with the leap day, so one formula gives all month lengths.
    // 400 years more keep every number above zero.
    let year = if month <= 2 { year + 399 } else { year + 400 };
    let month_from_march = (month + 9) % 12;
    let first_of_march = year * 365 + year / 4 - year / 100 + year / 400;
    first_of_march + (153 * month_from_march + 2) / 5 - 719_468 - 146_097
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn sent(json: Value) -> Expiration {
        read(serde_json::from_value(json).unwrap())
    }

    fn at(json: Value) -> Option<f64> {
        match sent(json) {
            Expiration::At(ms) => Some(ms),
            Expiration::Unreadable(_) | Expiration::Missing => None,
        }
    }

    #[test]
    fn rfc3339_in_its_forms() {
        for (written, ms) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2026-11-21T10:30:00Z", 1_795_257_000_000.0),
            (" 2026-11-21T10:30:00Z\n", 1_795_257_000_000.0),
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
            assert_eq!(at(json!(written)), Some(ms), "{written}");
        }
    }

    #[test]
    fn numbers_are_seconds_or_milliseconds() {
        for (number, ms) in [
            (json!(1_795_257_000), 1_795_257_000_000.0),
            (json!(1_795_257_000_000.0), 1_795_257_000_000.0),
            (json!(1_795_257_000.5), 1_795_257_000_500.0),
            (json!("1795257000"), 1_795_257_000_000.0),
            (json!("1795257000000"), 1_795_257_000_000.0),
            (json!("+1795257000"), 1_795_257_000_000.0),
            (json!("000000001795257000"), 1_795_257_000_000.0),
            (json!(99_999_999_999_u64), 99_999_999_999_000.0),
            (json!(100_000_000_000_u64), 100_000_000_000.0),
            (json!(8_640_000_000_000_000_u64), 8_640_000_000_000_000.0),
        ] {
            assert_eq!(at(number.clone()), Some(ms), "{number}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_kept_as_it_was_sent() {
        for written in [
            "",
            "0",
            "+",
            "++1795257000",
            "soon",
            "2026-11-21",
            "2026-11-21T10:30:00",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-00T00:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T10:60:00Z",
            "2026-11-21T10:30:61Z",
            "2026-11-21T10:30:00Zx",
            "2026-11-21T10:30:00.Z",
            "2026-11-21T10:30:00+2:00",
            "2026-11-21T10:30:00+24:00",
            "2026/11/21T10:30:00Z",
            "é2026-11-21",
            "0000000001795257000",
            "99999999999999999999999999",
        ] {
            let kept = Expiration::Unreadable(Some(Scalar::Text(written.to_owned())));
            assert!(sent(json!(written)) == kept, "{written}");
        }
        for number in [-5.0, 0.0, 9e15] {
            let kept = Expiration::Unreadable(Some(Scalar::Number(Number(number))));
            assert!(sent(json!(number)) == kept, "{number}");
        }
        for other in [json!(true), json!([1_795_257_000]), json!({"at": 1})] {
            assert!(sent(other) == Expiration::Unreadable(None));
        }
        assert!(sent(Value::Null) == Expiration::Missing);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_kept(written in any::<String>()) {
            match sent(json!(written)) {
                Expiration::At(ms) => prop_assert!(ms.is_finite()),
                Expiration::Unreadable(Some(Scalar::Text(kept))) => prop_assert_eq!(kept, written),
                _ => prop_assert!(false),
            }
        }

        #[test]
        fn every_second_that_rfc3339_can_write_is_read(seconds in -62_167_219_200_i64..253_402_300_800) {
            prop_assert_eq!(at(json!(civil(seconds))), Some(seconds as f64 * 1000.0));
        }
    }

    /// Writes a time by counting days, one year and one month at a time.
    fn civil(seconds: i64) -> String {
        let is_leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let mut days = (seconds + 62_167_219_200).div_euclid(86_400);
        let second = seconds.rem_euclid(86_400);
        let mut year = 0;
        while days >= 365 + i64::from(is_leap(year)) {
            days -= 365 + i64::from(is_leap(year));
            year += 1;
        }
        let february = 28 + i64::from(is_leap(year));
        let mut month = 1;
        for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if days < length {
                break;
            }
            days -= length;
            month += 1;
        }
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!(
            "{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z",
            days + 1
        )
    }
}

//! The day and the minute of a time, as each language writes them (CLDR, long dates, short times). Digits are 0 to 9 in
//! all of them.

use crate::clock::{Timestamp, days};
use pos_connect_protocol::expiration::unix_ms;
use pos_connect_texts::Language;

const ENGLISH: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const HEBREW: [&str; 12] = [
    "ינואר",
    "פברואר",
    "מרץ",
    "אפריל",
    "מאי",
    "יוני",
    "יולי",
    "אוגוסט",
    "ספטמבר",
    "אוקטובר",
    "נובמבר",
    "דצמבר",
];
const ARABIC: [&str; 12] = [
    "يناير",
    "فبراير",
    "مارس",
    "أبريل",
    "مايو",
    "يونيو",
    "يوليو",
    "أغسطس",
    "سبتمبر",
    "أكتوبر",
    "نوفمبر",
    "ديسمبر",
];
const SPANISH: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// `November 23, 2026, 10:30 AM` from an RFC 3339 time: as it was where its offset counts.
pub(crate) fn written(time: &str, language: Language) -> String {
    let comma = match language {
        Language::Arabic => "،",
        Language::English | Language::Hebrew | Language::Spanish => ",",
    };
    let minute = minute(time, language).unwrap_or_default();
    [&day(time, language), comma, " ", &minute].concat()
}

fn minute(time: &str, language: Language) -> Option<String> {
    let (hour, minutes): (usize, &str) = (time.get(11..13)?.parse().ok()?, time.get(13..16)?);
    let halves = match language {
        Language::English => ["AM", "PM"],
        Language::Arabic => ["ص", "م"],
        Language::Hebrew | Language::Spanish => return Some(format!("{hour}{minutes}")),
    };
    let half = halves[usize::from(hour >= 12)];
    Some(format!("{}{minutes}\u{a0}{half}", (hour + 11) % 12 + 1))
}

/// The last whole day before a moment, where the offset of an RFC 3339 time counts.
pub(crate) fn last_day(end: Timestamp, time: &str, language: Language) -> String {
    let read_as_utc = time
        .get(..19)
        .and_then(|local| unix_ms(&[local, "Z"].concat()));
    let offset = read_as_utc
        .zip(unix_ms(time))
        .map_or(0.0, |(local, utc)| local - utc);
    let last = Timestamp(end.0 + offset as i64).before(days(1));
    day(&last.to_string(), language)
}

/// `November 23, 2026` from an RFC 3339 time.
pub(crate) fn day(time: &str, language: Language) -> String {
    let number = |range| time.get(range).and_then(|digits: &str| digits.parse().ok());
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return time.to_owned();
    };
    let (year, month, day): (usize, usize, usize) = (year, month, day);
    let name = |names: [&'static str; 12]| names[month.clamp(1, 12) - 1];
    match language {
        Language::English => format!("{} {day}, {year}", name(ENGLISH)),
        Language::Hebrew => format!("{day} ב{} {year}", name(HEBREW)),
        Language::Arabic => format!("{day} {} {year}", name(ARABIC)),
        Language::Spanish => format!("{day} de {} de {year}", name(SPANISH)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_and_the_minute_are_the_stores() {
        for (language, text) in [
            (Language::English, "November 3, 2026, 12:30\u{a0}AM"),
            (Language::Hebrew, "3 בנובמבר 2026, 0:30"),
            (Language::Arabic, "3 نوفمبر 2026، 12:30\u{a0}ص"),
            (Language::Spanish, "3 de noviembre de 2026, 0:30"),
        ] {
            assert_eq!(written("2026-11-03T00:30:00+02:00", language), text);
        }
        assert_eq!(
            written("2026-01-23 12:05:59.5Z", Language::English),
            "January 23, 2026, 12:05\u{a0}PM"
        );
    }

    #[test]
    fn the_last_day_is_whole_where_the_store_is() {
        // 2027-02-21T08:30:00Z.
        let end = Timestamp(1_803_198_600_000);
        for (time, expected) in [
            ("2026-11-23T10:30:00+02:00", "February 20, 2027"),
            ("2026-11-23 08:30:00.5Z", "February 20, 2027"),
            ("2026-11-22T22:30:00-10:00", "February 19, 2027"),
            ("2026-11-23T22:30:00+14:00", "February 20, 2027"),
        ] {
            assert_eq!(last_day(end, time, Language::English), expected, "{time}");
        }
        let midnight = Timestamp(1_803_168_000_000);
        let day = last_day(midnight, "2026-11-23T10:30:00Z", Language::Spanish);
        assert_eq!(day, "20 de febrero de 2027");
    }
}

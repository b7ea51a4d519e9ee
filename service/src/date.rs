//! The day and the minute of a time, as each language writes them (CLDR, long dates). Digits are 0 to 9 in all of them.

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

/// `November 23, 2026, 10:30` from an RFC 3339 time: as it was where its offset counts.
pub(crate) fn written(time: &str, language: Language) -> String {
    let number = |range| time.get(range).and_then(|digits: &str| digits.parse().ok());
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return time.to_owned();
    };
    let (year, month, day): (usize, usize, usize) = (year, month, day);
    let minute = time.get(11..16).unwrap_or_default();
    let name = |names: [&'static str; 12]| names[month.clamp(1, 12) - 1];
    match language {
        Language::English => format!("{} {day}, {year}, {minute}", name(ENGLISH)),
        Language::Hebrew => format!("{day} ב{} {year}, {minute}", name(HEBREW)),
        Language::Arabic => format!("{day} {} {year}، {minute}", name(ARABIC)),
        Language::Spanish => format!("{day} de {} de {year}, {minute}", name(SPANISH)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_and_the_minute_are_the_stores() {
        for (language, text) in [
            (Language::English, "November 3, 2026, 00:30"),
            (Language::Hebrew, "3 בנובמבר 2026, 00:30"),
            (Language::Arabic, "3 نوفمبر 2026، 00:30"),
            (Language::Spanish, "3 de noviembre de 2026, 00:30"),
        ] {
            assert_eq!(written("2026-11-03T00:30:00+02:00", language), text);
        }
        assert_eq!(
            written("2026-01-23 08:05:59.5Z", Language::English),
            "January 23, 2026, 08:05"
        );
    }
}

//! Amounts as people write them: from integers in the minor unit of a currency.

use iso_currency::Currency;
use pos_connect_texts::Language;

/// How one language writes amounts of one currency.
pub(super) struct Amounts {
    decimals: u32,
    group: char,
    point: char,
    /// How many digits a number has at least before they are grouped (CLDR, `minimumGroupingDigits`).
    grouped_from: usize,
}

impl Amounts {
    /// Amounts of an ISO 4217 code; one that is not known has no decimals.
    pub(super) fn of(code: &str, language: Language) -> Self {
        let currency = Currency::from_code(code);
        let (group, point, grouped_from) = match language {
            Language::English | Language::Hebrew | Language::Arabic => (',', '.', 4),
            Language::Spanish => ('.', ',', 5),
        };
        Self {
            decimals: currency.and_then(Currency::exponent).map_or(0, u32::from),
            group,
            point,
            grouped_from,
        }
    }

    /// An amount without its currency, which stands on the receipt once: `-1,234.50`.
    pub(super) fn written(&self, amount: i64) -> String {
        let unit = 10_u64.pow(self.decimals);
        let (whole, rest) = (amount.unsigned_abs() / unit, amount.unsigned_abs() % unit);
        let sign = if amount < 0 { "-" } else { "" };
        let mut text = format!("{sign}{}", self.grouped(whole));
        if self.decimals > 0 {
            let width = self.decimals as usize;
            text += &format!("{}{rest:0width$}", self.point);
        }
        text
    }

    fn grouped(&self, number: u64) -> String {
        let digits = number.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            let is_group = at > 0 && (digits.len() - at).is_multiple_of(3);
            if is_group && digits.len() >= self.grouped_from {
                text.push(self.group);
            }
            text.push(digit);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_currency_has_its_decimals() {
        for (code, amount, text) in [
            ("ILS", 1191, "11.91"),
            ("USD", -5, "-0.05"),
            ("EUR", 123_456_789, "1,234,567.89"),
            ("JPY", 1191, "1,191"),
            ("KWD", 1191, "1.191"),
            ("CLF", 1191, "0.1191"),
            ("XXX", 0, "0"),
            ("USD", i64::MIN, "-92,233,720,368,547,758.08"),
            ("USD", i64::MAX, "92,233,720,368,547,758.07"),
        ] {
            assert_eq!(Amounts::of(code, Language::English).written(amount), text);
        }
    }

    #[test]
    fn each_language_has_its_separators() {
        for (amount, text) in [
            (1191, "11,91"),
            (123_450, "1234,50"),
            (1_234_567, "12.345,67"),
        ] {
            assert_eq!(Amounts::of("EUR", Language::Spanish).written(amount), text);
        }
        assert_eq!(
            Amounts::of("ILS", Language::Hebrew).written(123_450),
            "1,234.50"
        );
    }
}

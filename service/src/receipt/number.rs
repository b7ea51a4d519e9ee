//! Numbers as people write them: amounts, from integers in the minor unit of a currency, and quantities.

use iso_currency::Currency;
use pos_connect_protocol::quantity::Quantity;
use pos_connect_texts::Language;

/// How one language writes numbers, and amounts of one currency (CLDR). Digits are 0 to 9 and a minus is a hyphen in all
/// of them.
pub(super) struct Numbers {
    /// Decimals of the currency.
    decimals: usize,
    group: char,
    point: char,
    /// How many digits a number has at least before they are grouped (CLDR, `minimumGroupingDigits`).
    grouped_from: usize,
}

impl Numbers {
    /// Numbers of a language, and amounts of an ISO 4217 code; one that is not known has no decimals.
    pub(super) fn of(language: Language, currency: &str) -> Self {
        let currency = Currency::from_code(currency);
        let (group, point, grouped_from) = match language {
            Language::English | Language::Hebrew | Language::Arabic => (',', '.', 4),
            Language::Spanish => ('.', ',', 5),
        };
        Self {
            decimals: currency.and_then(Currency::exponent).map_or(0, usize::from),
            group,
            point,
            grouped_from,
        }
    }

    /// An amount without its currency, which stands on the receipt once: `-1,234.50`.
    pub(super) fn amount(&self, amount: i64) -> String {
        let (whole, fraction) = self.split(amount, self.decimals);
        self.joined(whole, &fraction)
    }

    /// A quantity without zeros at its end: `0.355`, `-1`.
    pub(super) fn quantity(&self, quantity: Quantity) -> String {
        let (whole, fraction) = self.split(quantity.thousandths(), Quantity::DECIMALS);
        self.joined(whole, fraction.trim_end_matches('0'))
    }

    /// What stands before the point, and the digits after it.
    fn split(&self, value: i64, decimals: usize) -> (String, String) {
        let digits = format!("{:0width$}", value.unsigned_abs(), width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let sign = if value < 0 { "-" } else { "" };
        ([sign, &self.grouped(whole)].concat(), fraction.to_owned())
    }

    fn joined(&self, mut whole: String, fraction: &str) -> String {
        if !fraction.is_empty() {
            whole.push(self.point);
        }
        whole + fraction
    }

    fn grouped(&self, digits: &str) -> String {
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
            assert_eq!(Numbers::of(Language::English, code).amount(amount), text);
        }
    }

    /// What `Intl.NumberFormat` writes for `en`, `he`, `ar-AE` and `es`.
    #[test]
    fn each_language_has_its_separators() {
        for (language, amounts, quantities) in [
            (
                Language::English,
                ["11.91", "-1,234.50", "12,345.67"],
                ["0.355", "-0.05", "2", "-1", "1,234.5", "12,345.678"],
            ),
            (
                Language::Hebrew,
                ["11.91", "-1,234.50", "12,345.67"],
                ["0.355", "-0.05", "2", "-1", "1,234.5", "12,345.678"],
            ),
            (
                Language::Arabic,
                ["11.91", "-1,234.50", "12,345.67"],
                ["0.355", "-0.05", "2", "-1", "1,234.5", "12,345.678"],
            ),
            (
                Language::Spanish,
                ["11,91", "-1234,50", "12.345,67"],
                ["0,355", "-0,05", "2", "-1", "1234,5", "12.345,678"],
            ),
        ] {
            let numbers = Numbers::of(language, "EUR");
            let written = [1191, -123_450, 1_234_567].map(|amount| numbers.amount(amount));
            assert_eq!(written, amounts, "{language:?}");
            let written = ["0.355", "-0.05", "2", "-1", "1234.5", "12345.678"]
                .map(|text| numbers.quantity(serde_json::from_str(text).unwrap()));
            assert_eq!(written, quantities, "{language:?}");
        }
    }
}

//! Amounts as people write them: from integers in the minor unit of a currency.

use iso_currency::Currency;

/// How amounts of one currency are written.
pub(super) struct Amounts {
    code: String,
    decimals: u32,
}

impl Amounts {
    /// Of an ISO 4217 code; one that is not known has no decimals.
    pub(super) fn of(code: &str) -> Self {
        let currency = Currency::from_code(code);
        Self {
            code: code.to_owned(),
            decimals: currency.and_then(Currency::exponent).map_or(0, u32::from),
        }
    }

    /// `-1,234.50 ILS`: digits that every language of ours reads, and a code that no two currencies share.
    pub(super) fn written(&self, amount: i64) -> String {
        let unit = 10_u64.pow(self.decimals);
        let (whole, rest) = (amount.unsigned_abs() / unit, amount.unsigned_abs() % unit);
        let sign = if amount < 0 { "-" } else { "" };
        let mut text = format!("{sign}{}", grouped(whole));
        if self.decimals > 0 {
            text += &format!(".{rest:0width$}", width = self.decimals as usize);
        }
        format!("{text} {}", self.code)
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_currency_has_its_decimals() {
        for (code, amount, text) in [
            ("ILS", 1191, "11.91 ILS"),
            ("USD", -5, "-0.05 USD"),
            ("EUR", 123_456_789, "1,234,567.89 EUR"),
            ("JPY", 1191, "1,191 JPY"),
            ("KWD", 1191, "1.191 KWD"),
            ("CLF", 1191, "0.1191 CLF"),
            ("XXX", 0, "0 XXX"),
            ("USD", i64::MIN, "-92,233,720,368,547,758.08 USD"),
            ("USD", i64::MAX, "92,233,720,368,547,758.07 USD"),
        ] {
            assert_eq!(Amounts::of(code).written(amount), text);
        }
    }
}

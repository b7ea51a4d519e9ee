//! Numbers as people write them: amounts, from integers in the minor unit of a currency, and quantities.

use iso_currency::Currency;
use pos_connect_protocol::quantity::Quantity;
use pos_connect_texts::Language;

/// How one language writes numbers in one region, and amounts of one currency. Digits are 0 to 9 and a minus is a
/// hyphen in all of them.
pub(super) struct Numbers {
    /// Decimals of the currency.
    decimals: usize,
    separators: Separators,
    /// What stands with a price: the sign of its currency, or the code of one without a sign.
    sign: String,
    /// Whether that sign stands before the number: `$21.60`, not `21,60 €`.
    is_sign_first: bool,
}

/// What stands between the digits of a number.
#[derive(Clone, Copy, PartialEq)]
struct Separators {
    group: char,
    decimal: char,
    /// How many digits a number has at least before they are grouped (CLDR, `minimumGroupingDigits`).
    grouped_from: usize,
}

const POINT: Separators = Separators::new(',', '.', 4);
const COMMA: Separators = Separators::new('.', ',', 4);
const SPACED_COMMA: Separators = Separators::new('\u{a0}', ',', 4);
const NARROW_COMMA: Separators = Separators::new('\u{202f}', ',', 4);
const SPAIN: Separators = Separators::new('.', ',', 5);

/// The regions that write a language's numbers otherwise than most (CLDR 48, `symbols-numberSystem-latn` of `en`, `ar`
/// and `es`; 419 is Latin America).
const REGIONS: &[(Language, &str, Separators)] = &[
    (Language::English, "AT BE DE DK ES ID IT NL PL RO SI", COMMA),
    (
        Language::English,
        "CZ EE FI HU LT LV NO PT SE SK UA ZA",
        SPACED_COMMA,
    ),
    (Language::English, "FR GE", NARROW_COMMA),
    (Language::English, "CH", Separators::new('\'', '.', 4)),
    (Language::Arabic, "DZ LB LY MA MR TN", COMMA),
    (Language::Spanish, "AR BO CL CO EC PY UY VE", COMMA),
    (Language::Spanish, "CR", SPACED_COMMA),
    (
        Language::Spanish,
        "419 BR BZ CU DO GT HN MX NI PA PE PR SV US",
        POINT,
    ),
];

/// Signs of currencies (CLDR 48, `symbol-alt-narrow`). A receipt is read where its dollar is the only one.
const SIGNS: &[(&str, &str)] = &[
    ("$", "ARS AUD CAD CLP COP HKD MXN NZD SGD USD UYU"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("₪", "ILS"),
    ("₹", "INR"),
    ("¥", "JPY"),
];

impl Separators {
    const fn new(group: char, decimal: char, grouped_from: usize) -> Self {
        Self {
            group,
            decimal,
            grouped_from,
        }
    }

    fn of(language: Language, region: &str) -> Self {
        let found = REGIONS
            .iter()
            .find(|(spoken, regions, _)| *spoken == language && names(regions, region));
        match (found, language) {
            (Some((_, _, separators)), _) => *separators,
            (None, Language::Spanish) => SPAIN,
            (None, Language::English | Language::Hebrew | Language::Arabic) => POINT,
        }
    }
}

/// Whether a list of codes has one.
fn names(list: &str, code: &str) -> bool {
    list.split(' ').any(|one| one.eq_ignore_ascii_case(code))
}

/// The region of a BCP 47 tag, such as `MX` of `es-MX`; nothing after a singleton is one.
pub(super) fn region(tag: &str) -> Option<&str> {
    let subtags = tag.split(['-', '_']).take_while(|part| part.len() > 1);
    subtags.skip(1).find(|part| match part.len() {
        2 => part.bytes().all(|byte| byte.is_ascii_alphabetic()),
        3 => part.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    })
}

impl Numbers {
    /// Numbers of a language in a region (ISO 3166-1 or UN M49; empty if it is not known), and amounts of an ISO 4217
    /// code; one that is not known has no decimals.
    pub(super) fn of(language: Language, region: &str, code: &str) -> Self {
        let currency = Currency::from_code(code);
        let separators = Separators::of(language, region);
        let sign = SIGNS.iter().find(|(_, codes)| names(codes, code));
        let is_first = match language {
            Language::English => true,
            Language::Spanish => separators != SPAIN,
            Language::Hebrew | Language::Arabic => false,
        };
        Self {
            decimals: currency.and_then(Currency::exponent).map_or(0, usize::from),
            separators,
            sign: sign.map_or(code, |(sign, _)| sign).into(),
            is_sign_first: sign.is_some() && is_first,
        }
    }

    /// A price, and what stands behind it: (`-$1,234.50`, ``) or (`-1234,50`, `€`).
    pub(super) fn price(&self, amount: i64) -> (String, &str) {
        let number = self.amount(amount);
        if !self.is_sign_first {
            return (number, &self.sign);
        }
        let price = match number.strip_prefix('-') {
            Some(number) => ["-", &self.sign, number].concat(),
            None => [&self.sign, &*number].concat(),
        };
        (price, "")
    }

    /// An amount without its currency: `-1,234.50`.
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
            whole.push(self.separators.decimal);
        }
        whole + fraction
    }

    fn grouped(&self, digits: &str) -> String {
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            let is_group = at > 0 && (digits.len() - at).is_multiple_of(3);
            if is_group && digits.len() >= self.separators.grouped_from {
                text.push(self.separators.group);
            }
            text.push(digit);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: Language = Language::English;
    const HE: Language = Language::Hebrew;
    const AR: Language = Language::Arabic;
    const ES: Language = Language::Spanish;

    /// What `Intl.NumberFormat` writes, with the digits of `nu-latn` and without the marks of direction.
    #[test]
    fn amounts_have_their_currencys_decimals_and_their_regions_separators() {
        for (language, region, code, amount, text) in [
            (EN, "", "ILS", 1191, "11.91"),
            (EN, "", "USD", -5, "-0.05"),
            (EN, "US", "EUR", 123_456_789, "1,234,567.89"),
            (EN, "", "JPY", 1191, "1,191"),
            (EN, "", "KWD", 1191, "1.191"),
            (EN, "", "CLF", 1191, "0.1191"),
            (EN, "", "XXX", 0, "0"),
            (EN, "", "USD", i64::MIN, "-92,233,720,368,547,758.08"),
            (EN, "", "USD", i64::MAX, "92,233,720,368,547,758.07"),
            (EN, "DE", "EUR", -123_450, "-1.234,50"),
            (EN, "CH", "CHF", 123_450, "1'234.50"),
            (EN, "FR", "EUR", 123_450, "1\u{202f}234,50"),
            (EN, "ZA", "ZAR", 123_450, "1\u{a0}234,50"),
            (HE, "IL", "ILS", -123_450, "-1,234.50"),
            (AR, "", "EUR", 123_450, "1,234.50"),
            (AR, "IL", "ILS", 123_450, "1,234.50"),
            (AR, "MA", "MAD", 123_450, "1.234,50"),
            (ES, "", "EUR", -123_450, "-1234,50"),
            (ES, "ES", "EUR", 1_234_567, "12.345,67"),
            (ES, "419", "USD", 123_450, "1,234.50"),
            (ES, "mx", "MXN", -123_450, "-1,234.50"),
            (ES, "US", "USD", 1191, "11.91"),
            (ES, "AR", "ARS", 123_450, "1.234,50"),
            (ES, "CR", "CRC", 123_450, "1\u{a0}234,50"),
        ] {
            let written = Numbers::of(language, region, code).amount(amount);
            assert_eq!(written, text, "{language:?} {region}");
        }
    }

    /// What `Intl.NumberFormat` writes with `narrowSymbol`.
    #[test]
    fn a_price_has_its_currencys_sign_where_its_language_writes_it() {
        for (language, region, code, expected) in [
            (EN, "US", "USD", ("-$1,234.50", "")),
            (EN, "DE", "EUR", ("-€1.234,50", "")),
            (EN, "", "CHF", ("-1,234.50", "CHF")),
            (HE, "IL", "ILS", ("-1,234.50", "₪")),
            (AR, "", "EUR", ("-1,234.50", "€")),
            (ES, "", "EUR", ("-1234,50", "€")),
            (ES, "MX", "MXN", ("-$1,234.50", "")),
        ] {
            let numbers = Numbers::of(language, region, code);
            let (price, after) = numbers.price(-123_450);
            assert_eq!((&*price, after), expected, "{language:?} {region}");
        }
        assert_eq!(Numbers::of(EN, "", "ILS").price(1191).0, "₪11.91");
    }

    #[test]
    fn quantities_have_the_same_separators_and_no_zeros_at_their_end() {
        let numbers = Numbers::of(ES, "ES", "JPY");
        let written = ["0.355", "-0.05", "2", "-1", "1234.5", "12345.678"]
            .map(|text| numbers.quantity(serde_json::from_str(text).unwrap()));
        let expected = ["0,355", "-0,05", "2", "-1", "1234,5", "12.345,678"];
        assert_eq!(written, expected);
    }

    #[test]
    fn a_tag_has_one_region_or_none() {
        for (tag, expected) in [
            ("es-MX", Some("MX")),
            ("es_mx", Some("mx")),
            ("es-Latn-419", Some("419")),
            ("es", None),
            ("es-u-nu-latn", None),
            ("", None),
        ] {
            assert_eq!(region(tag), expected, "{tag}");
        }
    }
}

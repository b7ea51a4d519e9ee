//! How many, or how much: pieces, and goods that are weighed or measured (extension).

use crate::body::{BodyFault, Members};
use crate::json::Json;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// Thousandths in one.
const THOUSAND: i64 = 1000;
/// Most thousandths. Far below 2^53: each quantity has a double of its own.
const MOST: i64 = 999_999_999_999;
const RULE: &str = "a number with up to three decimals, such as 0.355, and below 1,000,000,000";

/// A quantity in whole thousandths, as scales have it. Negative for what is returned.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Quantity(i64);

impl Quantity {
    /// One piece.
    pub const ONE: Self = Self(THOUSAND);

    /// Decimals of a thousandth.
    pub const DECIMALS: usize = 3;

    /// How many thousandths it is.
    pub const fn thousandths(self) -> i64 {
        self.0
    }

    /// Reads a member that must be there.
    pub(crate) fn read(members: &mut Members<'_>, name: &'static str) -> Result<Self, BodyFault> {
        let quantity = match members.required(name)? {
            Json::Integer(value) => Self::of_integer(*value),
            Json::Number(value) => Self::of_double(*value),
            _ => None,
        };
        quantity.ok_or_else(|| members.invalid(name, RULE))
    }

    fn of_integer(value: i64) -> Option<Self> {
        value.checked_mul(THOUSAND).and_then(Self::of_thousandths)
    }

    /// A number with a fraction comes as the double that is nearest to its text, in the service as in the page. It is a
    /// quantity if that is also the double nearest to some whole thousandths: a division has just that result (IEEE
    /// 754), and each quantity has a double of its own. So `0.355` is 355 thousandths, exactly, and `0.3555` is none.
    fn of_double(value: f64) -> Option<Self> {
        let thousandths = (value * THOUSAND as f64).round_ties_even();
        let is_exact = thousandths / THOUSAND as f64 == value;
        Self::of_thousandths(thousandths as i64).filter(|_| is_exact)
    }

    fn of_thousandths(thousandths: i64) -> Option<Self> {
        (-MOST..=MOST)
            .contains(&thousandths)
            .then_some(Self(thousandths))
    }
}

/// A whole one is written as an integer, so that `2` and `2.0` are the same order.
impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % THOUSAND {
            0 => serializer.serialize_i64(self.0 / THOUSAND),
            _ => serializer.serialize_f64(self.0 as f64 / THOUSAND as f64),
        }
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl Visitor<'_> for Reader {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(RULE)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Quantity, E> {
        Quantity::of_integer(value).ok_or_else(|| E::custom(RULE))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Quantity, E> {
        self.visit_i64(i64::try_from(value).unwrap_or(i64::MAX))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Quantity, E> {
        Quantity::of_double(value).ok_or_else(|| E::custom(RULE))
    }
}

#[cfg(feature = "openapi")]
impl schemars::JsonSchema for Quantity {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Quantity".into()
    }

    /// Not `multipleOf`: of 0.355 and 0.001, readers that divide doubles say no.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "number",
            "exclusiveMinimum": -1_000_000_000, "exclusiveMaximum": 1_000_000_000,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Quantity, BodyFault> {
        let body: Json = serde_json::from_str(&format!(r#"{{"quantity":{text}}}"#)).unwrap();
        Quantity::read(&mut Members::of(&body, "/lines/0").unwrap(), "quantity")
    }

    #[test]
    fn it_is_read_and_written_exactly() {
        for (text, thousandths, written) in [
            ("1", 1000, "1"),
            ("0", 0, "0"),
            ("-0.0", 0, "0"),
            ("1e2", 100_000, "100"),
            ("2.0", 2000, "2"),
            ("0.355", 355, "0.355"),
            ("2.5", 2500, "2.5"),
            ("3.55e-1", 355, "0.355"),
            ("0.35500", 355, "0.355"),
            ("1e-3", 1, "0.001"),
            ("-1", -1000, "-1"),
            ("-0.05", -50, "-0.05"),
            ("999999999.999", 999_999_999_999, "999999999.999"),
        ] {
            let quantity = read(text).unwrap();
            assert_eq!(quantity, Quantity(thousandths), "{text}");
            assert_eq!(serde_json::to_string(&quantity).unwrap(), written);
            assert_eq!(
                serde_json::from_str::<Quantity>(written).unwrap(),
                quantity,
                "as it is stored"
            );
        }
    }

    #[test]
    fn what_is_none_is_refused_with_the_rule() {
        for text in [
            "0.3555",
            "1e-7",
            "0.0004",
            "0.1234567890123",
            "1000000000",
            "-1e9",
            "999999999.9995",
            "9223372036854775807",
            "18446744073709551615",
            "1e300",
            "\"1\"",
            "true",
            "[]",
        ] {
            let fault = read(text).unwrap_err();
            assert_eq!(
                (&*fault.pointer, &*fault.rule),
                ("/lines/0/quantity", RULE),
                "{text}"
            );
            assert!(serde_json::from_str::<Quantity>(text).is_err(), "{text}");
        }
    }

    proptest! {
        /// The text that a sender writes, the double that every reader makes of it, and the text that it writes.
        #[test]
        fn all_of_them_come_back(thousandths in -MOST..=MOST) {
            let (sign, size) = (if thousandths < 0 { "-" } else { "" }, thousandths.abs());
            let text = format!("{sign}{}.{:03}", size / THOUSAND, size % THOUSAND);
            prop_assert_eq!(read(&text).unwrap(), Quantity(thousandths));
            let written = serde_json::to_string(&Quantity(thousandths)).unwrap();
            prop_assert_eq!(read(&written).unwrap(), Quantity(thousandths));
        }

        #[test]
        fn a_fourth_decimal_is_seen(thousandths in 0..=MOST, digit in 1..=9) {
            let text = format!("{}.{:03}{digit}", thousandths / THOUSAND, thousandths % THOUSAND);
            prop_assert!(read(&text).is_err());
        }
    }
}

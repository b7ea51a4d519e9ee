//! A JSON text as it was sent. [`serde_json::Value`] would drop what a strict reader must see: that a member is
//! repeated. Whether a number is whole does not depend on how it is written: senders that have doubles write `1.0`.
//!
//! [`serde_json::Value`]: https://docs.rs/serde_json/latest/serde_json/enum.Value.html

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Any JSON value. No `Debug`: it may hold personal data.
#[derive(Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number: one that fits 64 bits, or, with a fraction or an exponent, one that a double holds exactly.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// An array.
    List(Vec<Self>),
    /// An object: its members in the order in which they were sent, repeated ones included.
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Applies a JSON merge patch (RFC 7396 §2): members of `patch` replace those of the same name, `null` removes.
    #[must_use]
    pub fn merged(self, patch: Self) -> Self {
        let Self::Object(changes) = patch else {
            return patch;
        };
        let mut members = match self {
            Self::Object(members) => members,
            _ => Vec::new(),
        };
        for (name, change) in changes {
            let at = members.iter().position(|(known, _)| *known == name);
            let old = at.map(|at| members.remove(at).1);
            if change == Self::Null {
                continue;
            }
            let new = old.unwrap_or(Self::Null).merged(change);
            members.insert(at.unwrap_or(members.len()), (name, new));
        }
        Self::Object(members)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// Above it, neighboring integers are one double (RFC 8259 §6).
const LARGEST_EXACT: f64 = 9_007_199_254_740_991.0;

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(i64::try_from(value).map_or(Json::Number(value as f64), Json::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        let is_whole = value.fract() == 0.0 && value.abs() <= LARGEST_EXACT;
        Ok(match is_whole {
            true => Json::Integer(value as i64),
            false => Json::Number(value),
        })
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Json::Object(object))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json(text: &str) -> Json {
        serde_json::from_str(text).unwrap()
    }

    fn text(json: &Json) -> String {
        serde_json::to_string(json).unwrap()
    }

    #[test]
    fn what_other_readers_drop_is_kept() {
        let sent = r#"{"b":1,"a":1.5,"b":[null,true,"x",-9223372036854775808,{}]}"#;
        assert_eq!(text(&json(sent)), sent);
        assert!(json("9223372036854775807") == Json::Integer(i64::MAX));
        assert!(matches!(json("9223372036854775808"), Json::Number(_)));
    }

    #[test]
    fn a_whole_number_is_an_integer_however_it_is_written() {
        for (text, value) in [
            ("1191.0", 1191),
            ("1.0", 1),
            ("1e3", 1000),
            ("1E+3", 1000),
            ("11.91e2", 1191),
            ("-0.0", 0),
            ("-1191.00", -1191),
            ("9007199254740991.0", 9_007_199_254_740_991),
        ] {
            assert!(json(text) == Json::Integer(value), "{text}");
        }
        for text in [
            "11.91",
            "0.5",
            "-1.5",
            "1e-3",
            "9007199254740992.0",
            "1e19",
            "1e300",
        ] {
            assert!(matches!(json(text), Json::Number(_)), "{text}");
        }
    }

    /// The cases of RFC 7396, appendix A.
    #[test]
    fn a_merge_patch_does_what_the_rfc_says() {
        for (original, patch, result) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (
                r#"{"a":{"b":"c"}}"#,
                r#"{"a":{"b":"d","c":null}}"#,
                r#"{"a":{"b":"d"}}"#,
            ),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            assert_eq!(
                text(&json(original).merged(json(patch))),
                result,
                "{original} {patch}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_text_comes_back(value in any::<String>(), number in any::<i64>()) {
            let both = Json::List(vec![Json::Text(value), Json::Integer(number)]);
            prop_assert!(json(&text(&both)) == both);
        }
    }
}

//! What stands in a member, before anybody asks for a type.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// What stands in a member. No `Debug`: it may be a token.
pub enum Raw {
    /// `null`, or `undefined` in JavaScript.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
    /// The members of an object. An object among them is [`Raw::Other`], so hostile nesting uses no stack.
    Object(Vec<(String, Raw)>),
    /// Anything else.
    Other,
}

/// Reads any value; an array, and an object inside an object, is skipped.
pub(super) struct Reader {
    pub(super) is_nested: bool,
}

impl<'de> DeserializeSeed<'de> for Reader {
    type Value = Raw;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Raw;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Raw, E> {
        Ok(Raw::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Raw, E> {
        Ok(Raw::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Raw, E> {
        Ok(if number.is_finite() {
            Raw::Number(number)
        } else {
            Raw::Other
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Raw, E> {
        Ok(Raw::Text(text))
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Raw, E> {
        Ok(Raw::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Raw::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        if self.is_nested {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Raw::Other);
        }
        let mut members = Vec::new();
        while let Some(name) = map.next_key()? {
            members.push((name, map.next_value_seed(Reader { is_nested: true })?));
        }
        Ok(Raw::Object(members))
    }
}

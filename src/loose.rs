//! A JSON body whose types are not trusted yet. Reading a member never fails, so a fault in one can be named instead of hiding the rest.
//!
//! One reader for every body, instead of a derived one for each: in WebAssembly each of those is 2 KB.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;

/// The members of a JSON object. No `Debug`: a token answer is one.
#[derive(Clone, Default, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub struct Members(Vec<(String, Loose)>);

impl Members {
    /// Takes a member out; `Missing` if there is none. The last of several counts, as in `JSON.parse`.
    pub fn take(&mut self, name: &str) -> Loose {
        self.0
            .iter_mut()
            .rfind(|(key, _)| key == name)
            .map(|(_, value)| std::mem::take(value))
            .unwrap_or_default()
    }
}

/// Whatever stood there. No `Debug`: it may be a token.
#[derive(Clone, Default, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub enum Loose {
    /// The member is not there, or is `null`.
    #[default]
    Missing,
    /// `true` or `false`.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// Text.
    Text(String),
    /// An object.
    Members(Members),
    /// An array, or what lies deeper than an object in the body: nothing of ours does, so no depth can hurt.
    Other,
}

impl Loose {
    /// The number, if it is a finite one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) if number.is_finite() => Some(*number),
            _ => None,
        }
    }

    /// Whether it is the boolean `true`.
    pub fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader { depth: 0 })
    }
}

/// How many objects may lie in one another: the body, and `account` in it.
const DEEPEST: u8 = 2;

#[derive(Clone, Copy)]
struct Reader {
    depth: u8,
}

impl<'de> DeserializeSeed<'de> for Reader {
    type Value = Loose;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Loose, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Loose;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Loose, E> {
        Ok(Loose::Bool(value))
    }
    #[allow(clippy::cast_precision_loss)] // A number on the wire is an f64 to a browser anyway.
    fn visit_i64<E>(self, value: i64) -> Result<Loose, E> {
        Ok(Loose::Number(value as f64))
    }
    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E>(self, value: u64) -> Result<Loose, E> {
        Ok(Loose::Number(value as f64))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Loose, E> {
        Ok(Loose::Number(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<Loose, E> {
        Ok(Loose::Text(String::from(value)))
    }
    fn visit_string<E>(self, value: String) -> Result<Loose, E> {
        Ok(Loose::Text(value))
    }
    fn visit_unit<E>(self) -> Result<Loose, E> {
        Ok(Loose::Missing)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Loose, A::Error> {
        // serde_json refuses an array that is not read to its end.
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Loose, A::Error> {
        if self.depth >= DEEPEST {
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Loose::Other);
        }
        let inner = Self {
            depth: self.depth + 1,
        };
        let mut members = Vec::new();
        while let Some(name) = entries.next_key_seed(inner)? {
            let value = entries.next_value_seed(inner)?;
            if let Loose::Text(name) = name {
                members.push((name, value));
            }
        }
        Ok(Loose::Members(Members(members)))
    }
}

//! A member of a JSON body whose type is not trusted yet.
//!
//! Reading a [`Field`] never fails because of the member's type, so one odd member cannot cost the rest of an answer,
//! and the fault can be named. One visitor that is not generic reads every member; [`Member`] then picks the type.

mod raw;
#[cfg(feature = "openapi")]
mod schema;

pub use raw::Raw;

use crate::Named;
use raw::Reader;
use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// A member of a body. `Debug` never shows the value: it may be a token.
///
/// Each field of a struct has `#[serde(default, skip_serializing_if = "Field::is_missing")]`: it may be absent, and a
/// missing one is not written.
#[derive(Clone, Default, PartialEq)]
pub enum Field<T> {
    /// The member is absent, `null`, or an empty text where a word belongs.
    #[default]
    Missing,
    /// The member has another type.
    WrongType,
    /// The member is a text, but none of the words it may be.
    Unreadable,
    /// The member has the right type.
    Value(T),
}

/// What is wrong with a member.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MemberProblem {
    /// It is absent, `null` or an empty text.
    Missing,
    /// It has another type than the specification gives it.
    WrongType,
    /// It has the right type and a value that the specification does not know.
    Unreadable,
}

impl MemberProblem {
    /// The word for messages and for the `faults` of a token set.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::Unreadable => "unreadable",
        }
    }
}

impl<T> Field<T> {
    /// The value, if the member has the right type.
    pub fn value(self) -> Option<T> {
        self.required().ok()
    }

    /// The value, or what is wrong with the member.
    pub fn required(self) -> Result<T, MemberProblem> {
        match self {
            Self::Missing => Err(MemberProblem::Missing),
            Self::WrongType => Err(MemberProblem::WrongType),
            Self::Unreadable => Err(MemberProblem::Unreadable),
            Self::Value(value) => Ok(value),
        }
    }

    /// The same member, borrowed.
    pub const fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Missing => Field::Missing,
            Self::WrongType => Field::WrongType,
            Self::Unreadable => Field::Unreadable,
            Self::Value(value) => Field::Value(value),
        }
    }

    /// The same member with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Self::Missing => Field::Missing,
            Self::WrongType => Field::WrongType,
            Self::Unreadable => Field::Unreadable,
            Self::Value(value) => Field::Value(change(value)),
        }
    }

    /// Whether there is nothing.
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

impl Field<bool> {
    /// Whether the member is the boolean `true`.
    pub const fn is_true(&self) -> bool {
        matches!(self, Self::Value(true))
    }
}

impl Field<String> {
    /// The text, unless it is empty: that counts as missing.
    pub fn filled(self) -> Result<String, MemberProblem> {
        match self.required() {
            Ok(text) if text.is_empty() => Err(MemberProblem::Missing),
            other => other,
        }
    }
}

impl<T> From<T> for Field<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> From<Option<T>> for Field<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Self::Value)
    }
}

impl From<&str> for Field<String> {
    fn from(text: &str) -> Self {
        Self::Value(text.to_owned())
    }
}

impl From<Option<&str>> for Field<String> {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Missing, Self::from)
    }
}

impl<T> fmt::Debug for Field<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Missing => "Missing",
            Self::WrongType => "WrongType",
            Self::Unreadable => "Unreadable",
            Self::Value(_) => "Value(..)",
        })
    }
}

impl<T: Serialize> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Missing | Self::WrongType | Self::Unreadable => serializer.serialize_unit(),
        }
    }
}

impl<'de, T: Member> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Reader { is_nested: false }
            .deserialize(deserializer)
            .map(Self::read)
    }
}

impl<T: Member> Field<T> {
    /// Picks the type of a member.
    pub fn read(raw: Raw) -> Self {
        match raw {
            Raw::Null => Self::Missing,
            raw => T::read(raw),
        }
    }
}

/// A type that a [`Field`] can hold.
pub trait Member: Sized {
    /// Takes what stands there; `null` never comes here.
    fn read(raw: Raw) -> Field<Self>;
}

impl Member for bool {
    fn read(raw: Raw) -> Field<Self> {
        match raw {
            Raw::Bool(value) => Field::Value(value),
            _ => Field::WrongType,
        }
    }
}

impl Member for String {
    fn read(raw: Raw) -> Field<Self> {
        match raw {
            Raw::Text(text) => Field::Value(text),
            _ => Field::WrongType,
        }
    }
}

macro_rules! numbers {
    ($($kind:ty),+) => {$(
        impl From<$kind> for Field<Number> {
            fn from(number: $kind) -> Self {
                Self::Value(Number(number as f64))
            }
        }
        impl From<Option<$kind>> for Field<Number> {
            fn from(number: Option<$kind>) -> Self {
                number.map_or(Self::Missing, Self::from)
            }
        }
    )+};
}

numbers!(u16, u32, u64, f64);

/// A finite number. A whole one is written without a fraction, so that it is the same text as an integer's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f64);

/// The least number from which on an `f64` does not hold every whole one.
const WHOLE_BELOW: f64 = 9_007_199_254_740_992.0;

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < WHOLE_BELOW {
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

impl Member for Number {
    fn read(raw: Raw) -> Field<Self> {
        match raw {
            Raw::Number(number) => Field::Value(Self(number)),
            _ => Field::WrongType,
        }
    }
}

/// A text or a number, where the specification names no type (§2.5).
#[derive(Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A text.
    Text(String),
    /// A finite number.
    Number(Number),
}

impl From<String> for Field<Scalar> {
    fn from(text: String) -> Self {
        Self::Value(Scalar::Text(text))
    }
}

impl From<Option<String>> for Field<Scalar> {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Missing, Self::from)
    }
}

impl Member for Scalar {
    fn read(raw: Raw) -> Field<Self> {
        match raw {
            Raw::Text(text) => Field::Value(Self::Text(text)),
            Raw::Number(number) => Field::Value(Self::Number(Number(number))),
            _ => Field::WrongType,
        }
    }
}

impl Member for Named<Field<String>> {
    fn read(raw: Raw) -> Field<Self> {
        let Raw::Object(members) = raw else {
            return Field::WrongType;
        };
        let mut named = Self::default();
        for (name, member) in members {
            match name.as_str() {
                "id" => named.id = Field::read(member),
                "name" => named.name = Field::read(member),
                _ => {}
            }
        }
        Field::Value(named)
    }
}

#[cfg(test)]
mod tests;

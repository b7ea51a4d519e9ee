//! A JSON body whose types are not trusted yet. Reading a member never fails, so a fault in one can be named instead of hiding the rest.
//!
//! One reader for every body, which asks for the members that it knows. A derived one for each body would be 2 KB each in WebAssembly,
//! and any use of serde there brings the formatting of numbers with it.

/// The members of a JSON object. No `Debug`: a token answer is one.
pub trait Members {
    /// The member; `Missing` if there is none.
    fn get(&self, name: &str) -> Loose;
}

/// Whatever stood there. No `Debug`: it may be a token.
pub enum Loose {
    /// The member is not there, or is `null`.
    Missing,
    /// `true` or `false`.
    Bool(bool),
    /// Any number.
    Number(f64),
    /// Text.
    Text(String),
    /// An object.
    Members(Box<dyn Members>),
    /// An array.
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
        matches!(self, Self::Bool(true))
    }
}

/// JSON as the tests write it.
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{Loose, Members};
    use serde_json::{Map, Value};

    impl Members for Map<String, Value> {
        fn get(&self, name: &str) -> Loose {
            Map::get(self, name).cloned().unwrap_or_default().into()
        }
    }

    impl From<Value> for Loose {
        fn from(value: Value) -> Self {
            match value {
                Value::Null => Self::Missing,
                Value::Bool(value) => Self::Bool(value),
                Value::Number(number) => number.as_f64().map_or(Self::Other, Self::Number),
                Value::String(text) => Self::Text(text),
                Value::Array(_) => Self::Other,
                Value::Object(members) => Self::Members(Box::new(members)),
            }
        }
    }

    #[test]
    fn only_a_finite_number_is_one() {
        assert_eq!(Loose::Number(1.5).number(), Some(1.5));
        assert_eq!(Loose::Number(f64::NAN).number(), None);
        assert_eq!(Loose::Text("1".into()).number(), None);
    }
}

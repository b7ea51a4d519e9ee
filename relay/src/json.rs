//! A JSON object of the service's, as the SDK's readers ask for it: member by member, trusting no type.

use pos_connect::loose::{Loose, Members};
use serde_json::{Map, Value};

/// No `Debug`: it may hold tokens.
pub struct Object(Map<String, Value>);

impl Object {
    /// The whole text as one object.
    pub fn parse(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok().map(Self)
    }
}

impl Members for Object {
    fn get(&self, name: &str) -> Loose {
        match self.0.get(name) {
            None | Some(Value::Null) => Loose::Missing,
            Some(Value::Bool(value)) => Loose::Bool(*value),
            Some(Value::Number(number)) => number.as_f64().map_or(Loose::Other, Loose::Number),
            Some(Value::String(text)) => Loose::Text(text.clone()),
            Some(Value::Array(_)) => Loose::Other,
            Some(Value::Object(members)) => Loose::Members(Box::new(Self(members.clone()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_object_is_one() {
        for other in ["", "[]", "null", r#"{"a":1"#, r#"{"a":1}{}"#] {
            assert!(Object::parse(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn every_type_is_told_apart() {
        let text =
            r#"{"null":null,"yes":true,"one":1.5,"text":"t","list":["t"],"in":{"text":"u"}}"#;
        let object = Object::parse(text.as_bytes()).unwrap();
        assert!(matches!(object.get("none"), Loose::Missing));
        assert!(matches!(object.get("null"), Loose::Missing));
        assert!(object.get("yes").is_true() && !object.get("text").is_true());
        assert_eq!(object.get("one").number(), Some(1.5));
        assert!(matches!(object.get("text"), Loose::Text(text) if text == "t"));
        assert!(matches!(object.get("list"), Loose::Other));
        let Loose::Members(inner) = object.get("in") else {
            panic!("no object");
        };
        assert!(matches!(inner.get("text"), Loose::Text(text) if text == "u"));
    }
}

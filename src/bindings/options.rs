//! Reads an options object of the page's into a struct, and names the member that is wrong.
//!
//! Not `serde_wasm_bindgen::from_value` for the object itself: it lets a throwing getter pass uncaught, ignores
//! misspelled members, and quotes values in its errors.

use crate::browser::failure::{Failure, THREW};
use crate::browser::object::names;
use js_sys::{Error, Object, Reflect};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, MapAccess, Visitor};
use std::cell::Cell;
use std::fmt;
use wasm_bindgen::prelude::*;

/// Reads the options of a call. `undefined` and `null` have no members.
///
/// Fails with `invalid_option` for a value that is no object, a member of another type, and a member that the struct
/// does not have: a misspelled `persistTokens` would keep nothing.
pub fn read<T: DeserializeOwned>(options: &JsValue) -> Result<T, Failure> {
    T::deserialize(Options(options)).map_err(Failure::from)
}

/// `undefined` and `null` count as an empty object.
fn object(options: &JsValue) -> Result<Object, Fault> {
    match options {
        none if none.is_undefined() || none.is_null() => Ok(Object::new()),
        object if object.is_object() => Ok(object.unchecked_ref::<Object>().clone()),
        _ => Err(Fault::new(&["options: is not an object"])),
    }
}

/// A value of the page's, as one member of an options struct.
pub trait FromPage: Sized {
    /// Takes the value, or says what is wrong with it.
    fn from_page(value: JsValue) -> Result<Self, Misfit>;
}

/// What is wrong with a value of the page's.
pub enum Misfit {
    /// Such as `is not a text`.
    Is(&'static str),
    /// A getter threw this.
    Threw(JsValue),
}

impl Misfit {
    /// What an error of serde's says of it; `Fault::of_member` adds what was thrown.
    fn said(self) -> &'static str {
        match self {
            Self::Is(fault) => fault,
            Self::Threw(thrown) => {
                THROWN.set(Some(thrown));
                THREW
            }
        }
    }

    /// The failure of the call that was given it under that name.
    pub fn of(self, name: &str) -> Failure {
        match self {
            Self::Is(fault) => Failure::invalid(&[name, ": ", fault].concat()),
            Self::Threw(thrown) => Failure::unreadable(name, thrown),
        }
    }
}

impl From<&'static str> for Misfit {
    fn from(fault: &'static str) -> Self {
        Self::Is(fault)
    }
}

thread_local! {
    /// What the member that is read now threw: an error of serde's is a text and carries no value.
    static THROWN: Cell<Option<JsValue>> = const { Cell::new(None) };
}

/// Reads one member, for `#[serde(deserialize_with = "given")]`; `undefined` and `null` are `None`.
pub fn given<'de, D: Deserializer<'de>, T: FromPage>(member: D) -> Result<Option<T>, D::Error> {
    let value: JsValue = serde_wasm_bindgen::preserve::deserialize(member)?;
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    let read = T::from_page(value).map(Some);
    read.map_err(|misfit| serde::de::Error::custom(misfit.said()))
}

/// More than any class hierarchy has.
const MOST_LEVELS: usize = 20;

/// What is wrong with an options object.
struct Fault {
    detail: String,
    /// What the page threw.
    cause: Option<JsValue>,
}

impl Fault {
    fn new(parts: &[&str]) -> Self {
        Self {
            detail: parts.concat(),
            cause: None,
        }
    }

    fn thrown(name: &str, cause: JsValue) -> Self {
        Self {
            cause: Some(cause),
            ..Self::new(&[name, ": ", THREW])
        }
    }

    /// The errors of a member's deserializer are those of `given`: they hold no value.
    fn of_member(name: &str, error: serde_wasm_bindgen::Error) -> Self {
        let error: Error = JsValue::from(error).unchecked_into();
        Self {
            // No code of the page's has run since `given` put it there.
            cause: THROWN.take(),
            ..Self::new(&[name, ": ", &String::from(error.message())])
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self {
            cause: fault.cause,
            ..Self::invalid(&fault.detail)
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.detail)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.detail)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::new(&[&text.to_string()])
    }
}

/// The object, as serde wants it.
struct Options<'a>(&'a JsValue);

impl<'de> Deserializer<'de> for Options<'_> {
    type Error = Fault;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(Members::of(self.0, fields)?)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Fault> {
        Err(Fault::new(&["options: is not an object"]))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The object and what it inherits from, such as a class of the page's; without `Object.prototype`, as what a page has
/// put there is no option.
fn levels(object: &Object) -> Result<Vec<Object>, JsValue> {
    let mut levels = vec![object.clone()];
    // A Proxy may give prototypes without an end.
    while let Some(level) = levels.last().filter(|_| levels.len() < MOST_LEVELS) {
        let above = Reflect::get_prototype_of(level)?;
        if above.is_null() || is_root(&above)? {
            break;
        }
        levels.push(above);
    }
    Ok(levels)
}

/// Whether it is `Object.prototype`, of whatever realm. A null-prototype object of the page's own is not.
fn is_root(level: &Object) -> Result<bool, JsValue> {
    let above = Reflect::get_prototype_of(level)?;
    let own = Reflect::get_own_property_descriptor(level, &"hasOwnProperty".into())?;
    Ok(above.is_null() && !own.is_undefined())
}

/// The members that the struct has, in its order.
struct Members {
    levels: Vec<Object>,
    object: Object,
    fields: std::slice::Iter<'static, &'static str>,
    value: Option<(&'static str, JsValue)>,
}

impl Members {
    /// Apart from what is compiled for each struct.
    fn of(options: &JsValue, fields: &'static [&'static str]) -> Result<Self, Fault> {
        let object = object(options)?;
        let threw = |thrown| Fault::thrown("options", thrown);
        let names = names(&object).map_err(threw)?;
        if let Some(name) = names.iter().find(|name| !fields.contains(&name.as_str())) {
            let meant = fields.iter().find(|field| field.eq_ignore_ascii_case(name));
            let ask = meant.map_or(String::new(), |meant| ["; ", meant, " is one"].concat());
            return Err(Fault::new(&[name, ": is not an option", &ask]));
        }
        Ok(Self {
            levels: levels(&object).map_err(threw)?,
            object,
            fields: fields.iter(),
            value: None,
        })
    }

    /// Reads the next member that is there.
    fn advance(&mut self) -> Result<Option<&'static str>, Fault> {
        while let Some(name) = self.fields.next() {
            let value = self.value(&(*name).into());
            let value = value.map_err(|thrown| Fault::thrown(name, thrown))?;
            if !value.is_undefined() {
                self.value = Some((name, value));
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    fn has(&self, name: &JsValue) -> Result<bool, JsValue> {
        for level in &self.levels {
            let found = Reflect::get_own_property_descriptor(level, name)?;
            if !found.is_undefined() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn value(&self, name: &JsValue) -> Result<JsValue, JsValue> {
        match self.has(name)? {
            true => Reflect::get(&self.object, name),
            false => Ok(JsValue::UNDEFINED),
        }
    }
}

impl<'de> MapAccess<'de> for Members {
    type Error = Fault;

    fn next_key_seed<K: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let name = self.advance()?;
        name.map(|name| seed.deserialize(name.into_deserializer()))
            .transpose()
    }

    fn next_value_seed<V: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Fault> {
        let (name, value) = self.value.take().unwrap_or_default();
        let member = serde_wasm_bindgen::Deserializer::from(value);
        seed.deserialize(member)
            .map_err(|error| Fault::of_member(name, error))
    }
}

//! JavaScript objects, in pages whose libraries have added to the prototypes of objects and lists.

use js_sys::{Array, Date, JSON, Object, Reflect};
use pos_connect_protocol::body::joined;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// How deep an object may go that is copied, or made a text.
const MOST_LEVELS: u32 = 10;

#[wasm_bindgen]
extern "C" {
    // js-sys' own do not catch what a Proxy throws.
    #[wasm_bindgen(catch, js_namespace = Object, js_name = keys)]
    fn keys(object: &Object) -> Result<Array, JsValue>;
    #[wasm_bindgen(catch, js_namespace = Array, js_name = isArray)]
    pub fn is_array(value: &JsValue) -> Result<bool, JsValue>;
}

/// An object without a prototype, for what the browser reads members from.
pub fn null_prototype<T: JsCast>() -> T {
    Object::create(&nothing()).unchecked_into()
}

/// An object with these members; one that is undefined is left out.
pub fn of(members: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    fill(&object, members);
    object
}

/// Gives an object these members; one that is undefined is left out.
pub fn fill(object: &Object, members: &[(&str, JsValue)]) {
    for (name, value) in members {
        if !value.is_undefined() {
            set(object, name, value);
        }
    }
}

/// A text, or null.
pub fn text_or_null(text: Option<&str>) -> JsValue {
    text.map_or(JsValue::NULL, JsValue::from)
}

/// An object with the members of a struct; those that are missing are null.
pub fn serialized(members: &impl Serialize) -> Object {
    let serializer = Serializer::new().serialize_missing_as_null(true);
    // Texts, numbers, booleans and what is preserved always serialize.
    let object = members.serialize(&serializer).unwrap_or_default();
    object.unchecked_into()
}

/// A member of a value; `undefined` where it has none, or cannot have any.
pub fn get(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap_or_default()
}

/// A member that is a text; else empty.
pub fn text(value: &JsValue, name: &str) -> String {
    get(value, name).as_string().unwrap_or_default()
}

/// Sets a member of an object of ours, which takes every one.
pub fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

/// A parsed object, read; `None` if it is none, or lacks what has to be there. serde would read a list member by
/// member.
pub fn read<T: DeserializeOwned>(value: JsValue) -> Option<T> {
    let is_object = value.is_object() && !Array::is_array(&value);
    is_object.then(|| serde_wasm_bindgen::from_value(value).ok())?
}

/// The names of an object's own members.
pub fn names(object: &Object) -> Result<Vec<String>, JsValue> {
    let names = keys(object)?;
    Ok(names.iter().filter_map(|name| name.as_string()).collect())
}

/// Why a value of the page could not be copied.
pub struct Unread {
    /// Where in the value (RFC 6901); empty for the value itself.
    pub pointer: String,
    /// What a getter or a Proxy threw; `None` for an object that goes too deep.
    pub thrown: Option<JsValue>,
}

impl Unread {
    /// The fault as seen from the object that has the value as a member.
    fn within(mut self, name: &str) -> Self {
        self.pointer = joined("", name) + &self.pointer;
        self
    }
}

impl From<JsValue> for Unread {
    fn from(thrown: JsValue) -> Self {
        Self {
            pointer: String::new(),
            thrown: Some(thrown),
        }
    }
}

/// A copy of a value of the page, whose objects have own members only, and whose dates are texts, as JSON has them.
/// Not by `JSON.stringify`, which calls whatever `toJSON` the page has put on the prototype.
pub fn copy(value: &JsValue) -> Result<JsValue, Unread> {
    copied(value, MOST_LEVELS)
}

fn copied(value: &JsValue, depth: u32) -> Result<JsValue, Unread> {
    if !value.is_object() || value.is_function() {
        return Ok(value.clone());
    }
    if depth == 0 {
        return Err(Unread {
            pointer: String::new(),
            thrown: None,
        });
    }
    if let Some(date) = value.dyn_ref::<Date>() {
        return Ok(local(date));
    }
    let member = |name: &JsValue, text: &str| {
        let member = Reflect::get(value, name).map_err(Unread::from);
        let copy = member.and_then(|member| copied(&member, depth - 1));
        copy.map_err(|unread| unread.within(text))
    };
    if is_array(value)? {
        let copy = Array::new();
        // A Proxy around an array may give anything.
        let length = Reflect::get(value, &"length".into())?.as_f64();
        for at in 0..length.unwrap_or_default() as u32 {
            copy.push(&member(&at.into(), &at.to_string())?);
        }
        return Ok(copy.into());
    }
    let copy: Object = null_prototype();
    for name in names(value.unchecked_ref())? {
        let member = member(&name.as_str().into(), &name)?;
        Reflect::set(&copy, &name.into(), &member)?;
    }
    Ok(copy.into())
}

/// RFC 3339 with this browser's offset, as a receipt needs it; the shopper's clock shows the same. `null` for no date.
fn local(date: &Date) -> JsValue {
    let offset = date.get_timezone_offset();
    let shifted = Date::new(&(date.get_time() - offset * 60_000.0).into());
    let Some(text) = shifted.to_json().as_string() else {
        return JsValue::NULL;
    };
    // At most a day; whole minutes, as RFC 3339 has no finer offset.
    let minutes = offset.abs() as u32;
    let sign = if offset > 0.0 { "-" } else { "+" };
    let zone = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
    text.replace('Z', &zone).into()
}

/// The JSON text of an object, whatever `toJSON` a library has put on the prototypes, as Prototype 1.6 does for lists.
/// The object is not to be used after that: its lists have no methods.
pub fn stringify(object: &Object) -> Result<String, JsValue> {
    isolate(object, MOST_LEVELS);
    Ok(JSON::stringify(object)?.into())
}

/// Takes the prototype from an object or a list, and from those in it.
fn isolate(value: &JsValue, depth: u32) {
    if depth == 0 || !value.is_object() {
        return;
    }
    let object: &Object = value.unchecked_ref();
    for member in Object::values(object) {
        isolate(&member, depth - 1);
    }
    Object::set_prototype_of(object, &nothing());
}

/// `null`, where js-sys asks for an object.
fn nothing() -> Object {
    JsValue::NULL.unchecked_into()
}

//! Objects of JavaScript's that a polluted `Object.prototype` does not reach.
//!
//! An assignment ends in whatever setter a page has put there, and throws for what is read-only; a missing member is
//! read from there. So our objects get their members defined, and what is read has no prototype.

use js_sys::{Array, JSON, Object};
use serde::Serialize;
use serde_wasm_bindgen::{Serializer, preserve};
use wasm_bindgen::prelude::*;

/// How deep the bodies that are read go; what lies deeper is nobody's member.
const DEPTH: u32 = 4;

/// The members of a struct as a map, whose entries are set by a method instead of an assignment.
#[derive(Serialize)]
struct Entries<'a, T> {
    #[serde(flatten)]
    members: &'a T,
}

/// An object without a prototype, for what the browser reads members from.
pub fn bare<T: JsCast>() -> T {
    Object::create(&nothing()).unchecked_into()
}

/// An object with the members of a struct; those that are missing are null. A member that is a struct itself needs
/// `member`.
pub fn of(members: &impl Serialize) -> Object {
    let serializer = Serializer::new().serialize_missing_as_null(true);
    let entries = Entries { members }.serialize(&serializer);
    // Texts, numbers, booleans and what is preserved always serialize.
    let object = Object::from_entries(&entries.unwrap_or_default());
    object.unwrap_or_default()
}

/// A member that is a struct, for `#[serde(serialize_with = "object::member")]`.
pub fn member<T: Serialize, S: serde::Serializer>(
    member: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match member {
        Some(member) => preserve::serialize(&of(member), serializer),
        None => serializer.serialize_none(),
    }
}

/// What a JSON text says; its objects have own members only.
pub fn parse(text: &str) -> Result<JsValue, JsValue> {
    let value = JSON::parse(text)?;
    isolate(&value, DEPTH);
    Ok(value)
}

/// The JSON text of an object, whatever `toJSON` the page has put on the prototype.
pub fn stringify(object: &Object) -> Result<String, JsValue> {
    isolate(object, DEPTH);
    Ok(JSON::stringify(object)?.into())
}

/// Takes the prototype from an object, and from the objects in it.
fn isolate(value: &JsValue, depth: u32) {
    if depth == 0 || !value.is_object() {
        return;
    }
    let object: &Object = value.unchecked_ref();
    for member in Object::values(object) {
        isolate(&member, depth - 1);
    }
    if !Array::is_array(object) {
        Object::set_prototype_of(object, &nothing());
    }
}

/// `null`, where js-sys asks for an object.
fn nothing() -> Object {
    JsValue::NULL.unchecked_into()
}

//! The JSON texts that the vault keeps.

#[cfg(target_arch = "wasm32")]
use super::StorageError;
#[cfg(target_arch = "wasm32")]
use crate::core::object;
#[cfg(target_arch = "wasm32")]
use js_sys::{Array, JSON};
#[cfg(target_arch = "wasm32")]
use serde::Serialize;
#[cfg(target_arch = "wasm32")]
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// A value of another type counts as missing.
pub fn lenient<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    member: D,
) -> Result<T, D::Error> {
    Ok(T::deserialize(member).unwrap_or_default())
}

/// The JSON text of an entry or a record.
#[cfg(target_arch = "wasm32")]
pub fn to_text<T: Serialize>(kept: &T) -> Result<String, StorageError> {
    Ok(object::stringify(&object::serialized(kept))?)
}

/// An entry or a record from its JSON text; `None` if the text is damaged, or not an object.
#[cfg(target_arch = "wasm32")]
pub fn from_text<T: DeserializeOwned>(text: &str) -> Option<T> {
    let value = JSON::parse(text).ok()?;
    // serde would read an array member by member.
    let is_object = value.is_object() && !Array::is_array(&value);
    is_object.then(|| serde_wasm_bindgen::from_value(value).ok())?
}

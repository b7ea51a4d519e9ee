//! The kinds of values that the options have.

use super::options::{FromPage, Misfit};
use crate::browser::enabled::Enabled;
use crate::browser::failure::Failure;
use crate::browser::object::{get, is_array, names};
use crate::frame::{Sandbox, Theme};
use crate::labels::Labels;
use js_sys::{Function, Object, Reflect};
use serde::de::{Deserializer, Error};
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Element, Node, Url};

/// Of an array; there are fewer languages.
const MOST_TEXTS: f64 = 100.0;

impl FromPage for String {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        let text = value.as_string().ok_or("is not a text")?;
        // A lone surrogate would come back as another character, and name something else.
        match text.contains('\u{fffd}') && !Object::is(&value, &text.as_str().into()) {
            true => Err("is not well-formed Unicode".into()),
            false => Ok(text),
        }
    }
}

impl FromPage for Vec<String> {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        if !is_array(&value).map_err(Misfit::Threw)? {
            return Err("is not an array".into());
        }
        let length = Reflect::get(&value, &"length".into()).map_err(Misfit::Threw)?;
        let length = length.as_f64().unwrap_or_default();
        if length > MOST_TEXTS {
            return Err("is too long".into());
        }
        let text = |place| {
            let text = Reflect::get_u32(&value, place).map_err(Misfit::Threw)?;
            text.as_string().ok_or("is not an array of texts".into())
        };
        // A cast saturates.
        (0..length as u32).map(text).collect()
    }
}

impl FromPage for bool {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        value.as_bool().ok_or_else(|| "is not a boolean".into())
    }
}

impl FromPage for f64 {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        value.as_f64().ok_or_else(|| "is not a number".into())
    }
}

impl FromPage for Function {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        value.dyn_into().map_err(|_| "is not a function".into())
    }
}

impl FromPage for AbortSignal {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        let signal: Self = value.dyn_into().map_err(|_| "is not an AbortSignal")?;
        // Throws for what only inherits from it, as a Proxy around one does.
        Reflect::get(&signal, &"aborted".into()).map_err(Misfit::Threw)?;
        Ok(signal)
    }
}

/// The `theme` option.
impl FromPage for Theme {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        let theme = value.as_string().and_then(|name| Self::named(&name));
        theme.ok_or_else(|| "is neither \"light\" nor \"dark\"".into())
    }
}

/// The `ereceipt` option.
impl FromPage for Enabled {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        if let Some(is_enabled) = value.as_bool() {
            return Ok(Self::Known(is_enabled));
        }
        let function = value.dyn_into().map(Self::Ask);
        function.map_err(|_| "is not a boolean or a function".into())
    }
}

/// An absolute URL: a text, or an instance of `URL`.
impl FromPage for Url {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        let text = match value.is_instance_of::<Url>() {
            true => Reflect::get(&value, &"href".into()).map_err(Misfit::Threw)?,
            false => value,
        };
        let url = text.as_string().and_then(|text| Url::new(&text).ok());
        url.ok_or_else(|| "is not an absolute URL".into())
    }
}

/// An element, or a selector that one matches.
impl FromPage for Element {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        // Of whatever document, whose window has an `Element` of its own.
        if get(&value, "nodeType") == f64::from(Node::ELEMENT_NODE) {
            return Ok(value.unchecked_into());
        }
        // Anything else would be made a text, by code of the page's.
        let Some(selector) = value.as_string() else {
            return Err("is neither an element nor a selector".into());
        };
        let document = crate::browser::global::document();
        let found = document.and_then(|document| document.query_selector(&selector).ok()?);
        found.ok_or_else(|| "no element matches the selector".into())
    }
}

/// Reads the `labels` option: an object of texts, each under one of the `known` names.
pub fn labels(given: Option<JsValue>, known: &[&str]) -> Result<Labels, Failure> {
    let Some(value) = given else {
        return Ok(Labels::default());
    };
    let invalid = |fault: &[&str]| Failure::invalid(&fault.concat());
    if !value.is_object() {
        return Err(invalid(&["labels: is not an object"]));
    }
    let threw = |thrown| Failure::unreadable("labels", thrown);
    let object: Object = value.unchecked_into();
    let mut labels = Vec::new();
    for name in names(&object).map_err(threw)? {
        if !known.contains(&name.as_str()) {
            return Err(invalid(&["labels.", &name, ": is no label"]));
        }
        let text = Reflect::get(&object, &name.as_str().into()).map_err(threw)?;
        if text.is_undefined() || text.is_null() {
            continue;
        }
        match text.as_string() {
            Some(text) => labels.push((name, text)),
            None => return Err(invalid(&["labels.", &name, ": is not a text"])),
        }
    }
    Ok(labels.into_iter().collect())
}

/// Whatever it is: `headers` and `labels`, whose faults are more than a text.
impl FromPage for JsValue {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        Ok(value)
    }
}

/// The `vault` option.
pub enum VaultKind {
    /// Survives a reload.
    IndexedDb,
    /// Does not.
    Memory,
}

impl FromPage for VaultKind {
    fn from_page(value: JsValue) -> Result<Self, Misfit> {
        match value.as_string().as_deref() {
            Some("indexeddb") => Ok(Self::IndexedDb),
            Some("memory") => Ok(Self::Memory),
            _ => Err("is not \"indexeddb\" or \"memory\"".into()),
        }
    }
}

/// Reads `sandbox`, for `#[serde(deserialize_with = "sandbox")]`. Here `null` is not the default, as it is for `given`.
pub fn sandbox<'de, D: Deserializer<'de>>(member: D) -> Result<Sandbox, D::Error> {
    let value: JsValue = serde_wasm_bindgen::preserve::deserialize(member)?;
    match value.as_string() {
        Some(tokens) => Ok(Sandbox::Custom(tokens)),
        None if value.is_null() => Ok(Sandbox::None),
        None => Err(D::Error::custom("is neither a text nor null")),
    }
}

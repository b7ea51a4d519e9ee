//! The kinds of values that the options have.

use super::options::{FromPage, names};
use crate::browser::enabled::Enabled;
use js_sys::{Function, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Element, Url};

impl FromPage for String {
    fn from_page(value: JsValue) -> Result<Self, String> {
        value.as_string().ok_or_else(|| "is not a text".into())
    }
}

impl FromPage for bool {
    fn from_page(value: JsValue) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| "is not a boolean".into())
    }
}

impl FromPage for f64 {
    fn from_page(value: JsValue) -> Result<Self, String> {
        value.as_f64().ok_or_else(|| "is not a number".into())
    }
}

impl FromPage for Function {
    fn from_page(value: JsValue) -> Result<Self, String> {
        value.dyn_into().map_err(|_| "is not a function".into())
    }
}

impl FromPage for AbortSignal {
    fn from_page(value: JsValue) -> Result<Self, String> {
        value.dyn_into().map_err(|_| "is not an AbortSignal".into())
    }
}

/// `ereceipt`
impl FromPage for Enabled {
    fn from_page(value: JsValue) -> Result<Self, String> {
        match value.as_bool() {
            Some(is_enabled) => Ok(Self::Known(is_enabled)),
            None => match value.dyn_into() {
                Ok(function) => Ok(Self::Ask(function)),
                Err(_) => Err("is not a boolean or a function".into()),
            },
        }
    }
}

/// An absolute URL: a text, or an instance of `URL`.
impl FromPage for Url {
    fn from_page(value: JsValue) -> Result<Self, String> {
        let text = match value.dyn_ref::<Url>() {
            Some(url) => Some(url.href()),
            None => value.as_string(),
        };
        let url = text.and_then(|text| Url::new(&text).ok());
        url.ok_or_else(|| "is not an absolute URL".into())
    }
}

/// An element, or a selector that one matches.
impl FromPage for Element {
    fn from_page(value: JsValue) -> Result<Self, String> {
        if let Some(element) = value.dyn_ref::<Element>() {
            return Ok(element.clone());
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

/// `labels`: the texts of the page's own, by name.
#[derive(Clone, Default)]
pub struct Labels(Vec<(String, String)>);

impl Labels {
    /// The text of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let label = self.0.iter().find(|(given, _)| given == name);
        label.map(|(_, text)| text.as_str())
    }
}

impl FromPage for Labels {
    fn from_page(value: JsValue) -> Result<Self, String> {
        if !value.is_object() {
            return Err("is not an object".into());
        }
        let object: Object = value.unchecked_into();
        let mut labels = Vec::new();
        for name in names(&object).map_err(|_| "reading it threw an error")? {
            let text = Reflect::get(&object, &name.as_str().into())
                .map_err(|_| "reading it threw an error")?;
            if text.is_undefined() || text.is_null() {
                continue;
            }
            match text.as_string() {
                Some(text) => labels.push((name, text)),
                None => return Err([".", &name, ": is not a text"].concat()),
            }
        }
        Ok(Self(labels))
    }
}

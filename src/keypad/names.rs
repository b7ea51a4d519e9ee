//! The names of countries and languages, as the browser knows them.

use crate::core::object;
use js_sys::{Intl, Object};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Chromium 81, Firefox 86, Safari 14.1. js-sys' own does not catch what an odd tag of the page throws.
    #[wasm_bindgen(js_namespace = Intl)]
    type DisplayNames;
    #[wasm_bindgen(catch, constructor, js_namespace = Intl)]
    fn new(language: &str, options: &Object) -> Result<DisplayNames, JsValue>;
    #[wasm_bindgen(catch, method)]
    fn of(this: &DisplayNames, code: &str) -> Result<JsValue, JsValue>;
}

/// The name of a country by its code, in a language.
pub fn country(code: &str, language: &str) -> Option<String> {
    // A satellite network is of no country: "world".
    if code == "001" {
        return None;
    }
    named(Intl::DisplayNamesType::Region, code, language)
}

/// The name of a language in itself, by its tag.
pub fn language(tag: &str) -> Option<String> {
    named(Intl::DisplayNamesType::Language, tag, tag)
}

fn named(kind: Intl::DisplayNamesType, code: &str, language: &str) -> Option<String> {
    let options = object::null_prototype::<Intl::DisplayNamesOptions>();
    options.set_type(kind);
    let names = DisplayNames::new(language, &options).ok()?;
    names.of(code).ok()?.as_string()
}

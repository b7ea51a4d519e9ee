//! What the developer is told on the console: our own sentences, and what the page itself threw.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Reports an error of the page's own.
    #[wasm_bindgen(js_namespace = console)]
    pub fn error(sentence: &str, thrown: &JsValue);
    /// Warns the developer.
    #[wasm_bindgen(js_namespace = console)]
    pub fn warn(sentence: &str);
}

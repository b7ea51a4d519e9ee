//! What the developer is told on the console: our own sentences, and what the page itself threw.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = console, js_name = error)]
    fn console_error(sentence: &str, thrown: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(catch, js_namespace = console, js_name = warn)]
    fn console_warn(sentence: &str) -> Result<(), JsValue>;
}

/// Reports an error of the page's own. A console that throws changes nothing.
pub fn error(sentence: &str, thrown: &JsValue) {
    let _ = console_error(sentence, thrown);
}

/// Warns the developer.
pub fn warn(sentence: &str) {
    let _ = console_warn(sentence);
}

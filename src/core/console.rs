//! What the developer is told on the console: our own sentences, and what the page itself threw.

use super::{cancellation, task};
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

/// Reports what a function of the page has thrown, or what its promise rejects with.
pub fn report(function: &'static str, called: Result<JsValue, JsValue>) {
    task::start(async move {
        let settled = match called {
            Ok(value) if value.is_object() => cancellation::settled(&value).await,
            called => called,
        };
        if let Err(thrown) = settled {
            error(&["pos-connect: ", function, " threw"].concat(), &thrown);
        }
    });
}

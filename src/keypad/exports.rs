//! `defineKeypad`.

use super::element;
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::global;
use wasm_bindgen::prelude::*;

/// Registers the keypad's element, and returns its class. See `index.d.ts`.
#[wasm_bindgen(js_name = defineKeypad)]
pub fn define_keypad(name: JsValue) -> Result<JsValue, JsValue> {
    let name = match name.is_undefined() {
        true => element::NAME.into(),
        false => name.as_string().unwrap_or_default(),
    };
    let class = element::define(&name).map_err(|_| {
        if global::is_missing("customElements") {
            return Failure::new(ErrorCode::UnsupportedBrowser);
        }
        let fault = "name: is not the name of a custom element, or somebody else's";
        Failure::invalid(fault)
    });
    let class = class.map_err(|failure| failure.during(Operation::DefineKeypad))?;
    Ok(class.into())
}

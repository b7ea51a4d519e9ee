//! Whether a store offers e-receipts, as the page says.

use super::cancel::settled;
use js_sys::Function;
use wasm_bindgen::JsValue;

/// The `ereceipt` option.
#[derive(Clone)]
pub enum Enabled {
    /// Known in advance.
    Known(bool),
    /// Asked with each order.
    Ask(Function),
}

impl Enabled {
    /// The answer. No, if the page's function fails or gives anything but `true`.
    pub async fn is_enabled(&self) -> bool {
        let answer = match self {
            Self::Known(is_enabled) => return *is_enabled,
            Self::Ask(function) => function.call0(&JsValue::UNDEFINED),
        };
        match answer {
            Ok(value) => settled(&value).await.is_ok_and(|value| value == true),
            Err(_) => false,
        }
    }
}

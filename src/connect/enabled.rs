//! Whether a store offers e-receipts, as the page says.

use crate::core::cancellation::settled;
use crate::core::options::{Options, Row};
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
    /// An option; `None` if it was not given.
    pub fn of(options: &Options, row: &Row) -> Option<Self> {
        match options.page(row) {
            Some(function) => Some(Self::Ask(function)),
            None => options.has(row).then(|| Self::Known(options.flag(row))),
        }
    }

    /// The answer, or what the page's function threw. No, if it gives anything but `true`.
    pub async fn is_enabled(&self) -> Result<bool, JsValue> {
        match self {
            Self::Known(is_enabled) => Ok(*is_enabled),
            Self::Ask(function) => {
                let answer = function.call0(&JsValue::UNDEFINED)?;
                Ok(settled(&answer).await? == true)
            }
        }
    }
}

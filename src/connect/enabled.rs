//! Whether a store offers e-receipts, as the page says.

use crate::core::cancellation::settled;
use crate::core::options::Options;
use crate::http::config::ERECEIPT;
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
    /// The option, of `create` or of a call; `None` if it was not given.
    pub fn of(options: &Options) -> Option<Self> {
        match options.page(&ERECEIPT) {
            Some(function) => Some(Self::Ask(function)),
            None => options
                .has(&ERECEIPT)
                .then(|| Self::Known(options.flag(&ERECEIPT))),
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

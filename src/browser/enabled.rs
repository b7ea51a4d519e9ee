//! Whether a store offers e-receipts, as the page says.

use super::cancellation::settled;
use super::client::Client;
use crate::error::Operation;
use crate::options::{Options, Row};
use js_sys::Function;
use std::rc::Rc;
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

/// Whether the shopper of an order is asked: what the call says, else what `create` was told, else the connection record.
pub async fn of_order(given: Option<Enabled>, client: Rc<Client>) -> Result<bool, JsValue> {
    client.connection.renew_key(false);
    match given.or_else(|| client.ereceipt.clone()) {
        Some(enabled) => enabled.is_enabled().await,
        None => {
            let known = client.connection.has_ereceipts().await;
            known.map_err(|failure| failure.during(Operation::ReceiptFor))
        }
    }
}

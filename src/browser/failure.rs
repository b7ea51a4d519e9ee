//! An error on its way to JavaScript: the decided part, and what the page itself threw or gave as reason.

use crate::error::{Error, ErrorCode, Operation};
use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/js/error.js")]
extern "C" {
    #[wasm_bindgen(js_name = PosConnectError, reexport)]
    type PosConnectError;

    #[wasm_bindgen(constructor, js_class = PosConnectError)]
    fn new(message: &str, fields: &JsValue, cause: &JsValue) -> PosConnectError;
}

/// A failed call.
#[derive(Clone)]
pub struct Failure {
    /// What was decided about it.
    pub error: Error,
    /// The page's own value: an abort reason, or what a callback of its threw. Never the browser's, whose text may hold a URL.
    pub cause: JsValue,
}

impl Failure {
    /// A failure that nothing of the page's caused.
    pub fn new(code: ErrorCode, operation: Operation) -> Self {
        Error::new(code, operation).into()
    }

    /// Adds the page's own value.
    pub fn caused_by(mut self, cause: JsValue) -> Self {
        self.cause = cause;
        self
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            error,
            cause: JsValue::UNDEFINED,
        }
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> Self {
        let Failure { error, cause } = failure;
        let fields = Object::new();
        let set = |name: &str, value: JsValue| {
            // A fresh plain object takes every property.
            let _ = Reflect::set(&fields, &name.into(), &value);
        };
        set("code", error.code.as_str().into());
        set("retryable", error.code.retryable().into());
        set("operation", error.operation.as_str().into());
        if let Some(status) = error.status {
            set("status", status.into());
        }
        if let Some(ms) = error.retry_after_ms {
            set("retryAfterMs", ms.into());
        }
        if let Some(id) = &error.request_id {
            set("requestId", id.into());
        }
        PosConnectError::new(&error.message(), &fields, &cause).into()
    }
}

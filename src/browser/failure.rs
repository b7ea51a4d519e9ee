//! An error on its way to JavaScript: the decided part, and what the page itself threw or gave as reason.

use super::js;
use crate::config::invalid;
use crate::error::{Error, ErrorCode, Operation};
use std::ops::{Deref, DerefMut};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/js/error.js")]
extern "C" {
    #[wasm_bindgen(js_name = PosConnectError, reexport)]
    type PosConnectError;

    #[wasm_bindgen(constructor, js_class = PosConnectError)]
    fn new(message: &str, fields: &JsValue, cause: &JsValue) -> PosConnectError;
}

/// A failed call. One word, because it travels through every `?`.
pub struct Failure(Box<Failed>);

/// Why it failed.
pub struct Failed {
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

    /// A failure with what the page threw.
    pub fn caused(code: ErrorCode, operation: Operation, cause: JsValue) -> Self {
        let mut failure = Self::new(code, operation);
        failure.cause = cause;
        failure
    }

    /// An option of that call that is wrong.
    pub fn invalid(operation: Operation, fault: &str) -> Self {
        Self::during(operation, invalid(&[fault]))
    }

    /// An error, during that call.
    pub fn during(operation: Operation, error: Error) -> Self {
        let mut failure = Self::from(error);
        failure.error.operation = operation;
        failure
    }
}

impl Deref for Failure {
    type Target = Failed;

    fn deref(&self) -> &Failed {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Failed {
        &mut self.0
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(Box::new(Failed {
            error,
            cause: JsValue::UNDEFINED,
        }))
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> Self {
        let Failed { error, cause } = &*failure;
        let fields = js::object();
        js::set_text(&fields, "code", error.code.as_str());
        js::set(&fields, "retryable", error.code.retryable().into());
        js::set_text(&fields, "operation", error.operation.as_str());
        if let Some(status) = error.status {
            js::set(&fields, "status", status.into());
        }
        if let Some(ms) = error.retry_after_ms {
            js::set(&fields, "retryAfterMs", ms.into());
        }
        if let Some(id) = &error.request_id {
            js::set_text(&fields, "requestId", id);
        }
        PosConnectError::new(&error.message(), &fields, cause).into()
    }
}

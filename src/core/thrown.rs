//! Failures between Rust and the page: the errors that it gets, and what it threw itself.

use super::error::{Error, ErrorCode, Operation};
use super::failure::{Failure, Rejection};
use super::{global, object};
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/core/error.js")]
extern "C" {
    #[wasm_bindgen(js_name = PosConnectError, reexport)]
    type PosConnectError;

    #[wasm_bindgen(constructor, js_class = PosConnectError)]
    fn new(message: &str, fields: &JsValue, cause: &JsValue) -> PosConnectError;
}

/// What is wrong with an option that can't be read.
pub const THREW: &str = "reading it threw an error";

/// How engines and libraries word a call that got no answer: Chromium, Firefox, WebKit, Node.
const NO_ANSWER: [&str; 4] = [
    "Failed to fetch",
    "NetworkError when attempting",
    "Load failed",
    "fetch failed",
];

impl Failure {
    /// A failure with what the page threw.
    pub fn caused(code: ErrorCode, cause: JsValue) -> Self {
        Self {
            error: Box::new(Error::new(code)),
            cause: Some(cause),
        }
    }

    /// The failure of a call whose `headers` or `accessToken` function threw or rejected: `code`, or `network` if that
    /// function had no answer to a call of its own.
    pub fn of_callback(code: ErrorCode, thrown: JsValue) -> Self {
        let code = match !global::is_online() || is_no_answer(&thrown) {
            true => ErrorCode::Network,
            false => code,
        };
        Self::caused(code, thrown)
    }

    /// An option, or a member of one, whose getter threw.
    pub fn unreadable(name: &str, thrown: JsValue) -> Self {
        Self {
            cause: Some(thrown),
            ..Self::invalid(&[name, ": ", THREW].concat())
        }
    }

    /// The error that the page gets, named after its call.
    pub fn during(self, operation: Operation) -> JsValue {
        let Self { error, cause } = self;
        let fields = object::of(&[
            ("code", error.code.as_str().into()),
            ("retryable", error.code.retryable().into()),
            ("advice", error.code.advice().as_str().into()),
            ("operation", operation.as_str().into()),
            ("status", error.status.into()),
            ("retryAfterMs", error.retry_after_ms.into()),
            ("requestId", error.request_id.as_deref().into()),
            ("pointer", error.pointer.as_deref().into()),
        ]);
        PosConnectError::new(&error.message(), &fields, &cause.unwrap_or_default()).into()
    }
}

/// Whether a value that was thrown says that the network failed: of `fetch`, of axios, or of a call of ours.
fn is_no_answer(thrown: &JsValue) -> bool {
    let text = |name: &str| Reflect::get(thrown, &name.into()).ok()?.as_string();
    if let Some("ERR_NETWORK" | "network") = text("code").as_deref() {
        return true;
    }
    let message = text("message").filter(|_| text("name").as_deref() == Some("TypeError"));
    message.is_some_and(|message| NO_ANSWER.iter().any(|words| message.starts_with(words)))
}

impl Rejection {
    /// The error that the page gets. A failure is named after the call.
    pub fn during(self, operation: Operation) -> JsValue {
        match self {
            Self::Failed(failure) => failure.during(operation),
            Self::Thrown(thrown) => thrown,
        }
    }
}

impl From<JsValue> for Rejection {
    fn from(thrown: JsValue) -> Self {
        Self::Thrown(thrown)
    }
}

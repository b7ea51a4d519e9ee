//! An error on its way to JavaScript: the decided part, and what the page itself threw or gave as reason.

use super::error::{Error, ErrorCode};

/// A value of the page's: what it threw, or gave as reason. Without a browser there is none.
#[cfg(target_arch = "wasm32")]
pub type Thrown = wasm_bindgen::JsValue;
/// A value of the page's: what it threw, or gave as reason. Without a browser there is none.
#[cfg(not(target_arch = "wasm32"))]
pub type Thrown = std::convert::Infallible;

/// Why a call failed.
pub struct Failure {
    /// What was decided about it. Boxed, because it travels through every `?`.
    pub error: Box<Error>,
    /// The page's own value: an abort reason, or what a callback of the page threw. Never the browser's value,
    /// whose text may hold a URL.
    pub cause: Option<Thrown>,
}

impl Failure {
    /// A failure that nothing of the page caused.
    pub fn new(code: ErrorCode) -> Self {
        Error::new(code).into()
    }

    /// An option that is wrong. `fault` names it, and never holds its value.
    pub fn invalid(fault: &str) -> Self {
        Error::new(ErrorCode::InvalidOption).detail(&[fault]).into()
    }

    /// Why it failed.
    pub fn code(&self) -> ErrorCode {
        self.error.code
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            error: Box::new(error),
            cause: None,
        }
    }
}

/// Why a call rejects.
pub enum Rejection {
    /// The call itself has failed.
    Failed(Failure),
    /// Another call that it waits for has, or a function of the page, and this is the error.
    Thrown(Thrown),
}

impl From<Failure> for Rejection {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

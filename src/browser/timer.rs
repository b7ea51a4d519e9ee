//! Timers that are cleared when they are dropped.

use super::failure::Failure;
use crate::error::{Error, ErrorCode, Operation};
use js_sys::Function;
use wasm_bindgen::prelude::*;

// Not `Window::set_timeout`: a worker has no window, and Node's timer ids are objects.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_name = setTimeout)]
    fn set_timeout(callback: &Function, ms: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = setInterval)]
    fn set_interval(callback: &Function, ms: f64) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(catch, js_name = clearInterval)]
    fn clear_interval(id: &JsValue) -> Result<(), JsValue>;
}

/// The page has replaced its timers by something that throws: what it threw.
pub struct NoTimer(JsValue);

impl NoTimer {
    /// The failure of the call that needed one.
    pub fn during(self, operation: Operation) -> Failure {
        let error = Error::new(ErrorCode::UnsupportedBrowser, operation);
        Failure {
            cause: Some(self.0),
            ..error.detail(&["The page's timers throw."]).into()
        }
    }
}

/// Runs until dropped.
#[must_use = "dropping it clears the timer"]
pub struct Timer {
    id: JsValue,
    is_repeated: bool,
    _callback: Closure<dyn Fn()>,
}

impl Timer {
    /// Calls `callback` once, after `ms` milliseconds.
    pub fn once(ms: f64, callback: impl Fn() + 'static) -> Result<Self, NoTimer> {
        Self::start(ms, false, Closure::new(callback))
    }

    /// Calls `callback` every `ms` milliseconds.
    pub fn every(ms: f64, callback: impl Fn() + 'static) -> Result<Self, NoTimer> {
        Self::start(ms, true, Closure::new(callback))
    }

    fn start(ms: f64, is_repeated: bool, callback: Closure<dyn Fn()>) -> Result<Self, NoTimer> {
        let function = callback.as_ref().unchecked_ref();
        // More does not fit the platform's 32 bits, and would fire at once.
        let ms = ms.min(f64::from(i32::MAX));
        let id = match is_repeated {
            true => set_interval(function, ms),
            false => set_timeout(function, ms),
        };
        Ok(Self {
            id: id.map_err(NoTimer)?,
            is_repeated,
            _callback: callback,
        })
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let _ = match self.is_repeated {
            true => clear_interval(&self.id),
            false => clear_timeout(&self.id),
        };
    }
}

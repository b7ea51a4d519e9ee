//! Timers that are cleared when they are dropped. Global functions: there is no `window` in a worker.

use super::js;
use super::listener::Callback;
use wasm_bindgen::JsValue;

/// Runs until dropped.
#[must_use = "dropping it clears the timer"]
pub struct Timer {
    id: JsValue,
    _callback: Callback,
}

impl Timer {
    /// Calls `callback` once, after `ms` milliseconds.
    pub fn once(ms: f64, callback: Box<dyn FnMut(JsValue)>) -> Self {
        Self::start("setTimeout", ms, callback)
    }

    fn start(function: &str, ms: f64, callback: Box<dyn FnMut(JsValue)>) -> Self {
        let callback = Callback::wrap(callback);
        // More does not fit the platform's 32 bits, and would fire at once.
        let ms = ms.min(f64::from(i32::MAX));
        Self {
            id: js::act(&js::global(), function, callback.as_ref(), &ms.into()),
            _callback: callback,
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // Clears both kinds (HTML §8.6).
        js::act(&js::global(), "clearTimeout", &self.id, js::NONE);
    }
}

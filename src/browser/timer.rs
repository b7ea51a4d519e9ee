//! Timers that are cleared when they are dropped.

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

/// Runs until dropped.
#[must_use = "dropping it clears the timer"]
pub struct Timer {
    id: JsValue,
    is_repeated: bool,
    _callback: Closure<dyn Fn()>,
}

impl Timer {
    /// Calls `callback` once, after `ms` milliseconds.
    pub fn once(ms: f64, callback: impl Fn() + 'static) -> Self {
        let callback = Closure::<dyn Fn()>::new(callback);
        // More does not fit the platform's 32 bits, and would fire at once.
        let ms = ms.min(f64::from(i32::MAX));
        let id = set_timeout(callback.as_ref().unchecked_ref(), ms);
        Self {
            id: id.unwrap_or_default(),
            is_repeated: false,
            _callback: callback,
        }
    }

    /// Calls `callback` every `ms` milliseconds.
    pub fn every(ms: f64, callback: impl Fn() + 'static) -> Self {
        let callback = Closure::<dyn Fn()>::new(callback);
        let id = set_interval(callback.as_ref().unchecked_ref(), ms);
        Self {
            id: id.unwrap_or_default(),
            is_repeated: true,
            _callback: callback,
        }
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

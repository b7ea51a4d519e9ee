//! Timers that are cleared when they are dropped.

use super::object::get;
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

// Not `Window::set_timeout`: a worker has no window, and Node's timer ids are objects.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue);
    #[wasm_bindgen(js_name = clearInterval)]
    fn clear_interval(id: &JsValue);
    /// A zone of zone.js.
    type Zone;
    #[wasm_bindgen(method)]
    fn run(this: &Zone, work: &Function, receiver: &JsValue, arguments: &Array) -> JsValue;
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
        Self::start(ms, false, Closure::new(callback))
    }

    /// Calls `callback` every `ms` milliseconds.
    pub fn every(ms: f64, callback: impl Fn() + 'static) -> Self {
        Self::start(ms, true, Closure::new(callback))
    }

    fn start(ms: f64, is_repeated: bool, callback: Closure<dyn Fn()>) -> Self {
        // More does not fit the platform's 32 bits, and would fire at once.
        let ms = ms.min(f64::from(i32::MAX));
        let global = js_sys::global();
        let name = if is_repeated {
            "setInterval"
        } else {
            "setTimeout"
        };
        let set: Function = get(&global, name).unchecked_into();
        let arguments = Array::of2(callback.as_ref(), &ms.into());
        // In its own zone, Angular would wait for our timers before it calls a page stable.
        let root = get(&get(&global, "Zone"), "root");
        let id = match root.is_object() {
            true => (root.unchecked_ref::<Zone>()).run(&set, &JsValue::UNDEFINED, &arguments),
            false => set
                .apply(&JsValue::UNDEFINED, &arguments)
                .unwrap_or_default(),
        };
        Self {
            id,
            is_repeated,
            _callback: callback,
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        match self.is_repeated {
            true => clear_interval(&self.id),
            false => clear_timeout(&self.id),
        }
    }
}

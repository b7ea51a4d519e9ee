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
    #[wasm_bindgen(thread_local_v2, js_name = Zone)]
    static ZONE: Option<Zone>;
    #[wasm_bindgen(method, getter)]
    fn root(this: &Zone) -> Zone;
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
        let function = callback.as_ref();
        // More does not fit the platform's 32 bits, and would fire at once.
        let ms = ms.min(f64::from(i32::MAX));
        let name = if is_repeated {
            "setInterval"
        } else {
            "setTimeout"
        };
        let set: Function = get(&js_sys::global(), name).unchecked_into();
        let arguments = Array::of2(function, &ms.into());
        let id = match ZONE.with(|zone| zone.as_ref().map(Zone::root)) {
            // Angular would wait for one of its own zone before it calls a page stable.
            Some(root) => root.run(&set, &JsValue::UNDEFINED, &arguments),
            None => set
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

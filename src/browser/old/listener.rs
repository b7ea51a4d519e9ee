//! An event listener that is removed when it is dropped.

use super::js;
use wasm_bindgen::prelude::*;

/// Whatever the browser calls: one type, because each brings glue of its own.
pub type Callback = Closure<dyn FnMut(JsValue)>;

/// Listens until dropped.
#[must_use = "dropping it removes the listener"]
pub struct Listener {
    target: JsValue,
    name: JsValue,
    callback: Callback,
}

impl Listener {
    /// Calls `callback` for each `name` event of `target`.
    pub fn new(target: &JsValue, name: &str, callback: Box<dyn FnMut(JsValue)>) -> Self {
        let listener = Self {
            target: target.clone(),
            name: name.into(),
            callback: Callback::wrap(callback),
        };
        listener.tell("addEventListener");
        listener
    }

    fn tell(&self, method: &str) {
        js::act(&self.target, method, &self.name, self.callback.as_ref());
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.tell("removeEventListener");
    }
}

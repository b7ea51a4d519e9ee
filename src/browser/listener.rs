//! An event listener that is removed when it is dropped.

use wasm_bindgen::prelude::*;
use web_sys::{Event, EventTarget};

/// Listens until dropped.
#[must_use = "dropping it removes the listener"]
pub struct Listener {
    target: EventTarget,
    name: &'static str,
    // `Fn`, because the page may cause an event while one is handled; a re-entered `FnMut` throws.
    callback: Closure<dyn Fn(Event)>,
}

impl Listener {
    /// Calls `callback` for each `name` event of `target`.
    pub fn new(
        target: &EventTarget,
        name: &'static str,
        callback: impl Fn(Event) + 'static,
    ) -> Self {
        let callback = Closure::<dyn Fn(Event)>::new(callback);
        // It throws only for a callback that is no function.
        let _ = target.add_event_listener_with_callback(name, callback.as_ref().unchecked_ref());
        Self {
            target: target.clone(),
            name,
            callback,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let callback = self.callback.as_ref().unchecked_ref();
        let _ = self
            .target
            .remove_event_listener_with_callback(self.name, callback);
    }
}

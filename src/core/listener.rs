//! An event listener that is removed when it is dropped.

use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, EventTarget};

/// The events by which a modal notices that something outside of it was touched.
const OUTSIDE: [&str; 5] = ["pointerdown", "mousedown", "touchstart", "click", "focusin"];

/// Listens until dropped.
#[must_use = "dropping it removes the listener"]
pub struct Listener {
    target: EventTarget,
    name: &'static str,
    is_capturing: bool,
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
        Self::add(target, name, false, Closure::new(callback))
    }

    /// A listener that hears of an event before the elements inside of `target` do.
    pub fn capturing(
        target: &EventTarget,
        name: &'static str,
        callback: impl Fn(Event) + 'static,
    ) -> Self {
        Self::add(target, name, true, Closure::new(callback))
    }

    /// Calls `callback` for each click inside of `element`, before any other script of the page hears of it: other
    /// people's modals stop the clicks outside of them at the document
    /// (https://github.com/focus-trap/focus-trap/issues/268).
    pub fn click(element: &Element, callback: impl Fn(Event) + 'static) -> Self {
        let document = element.owner_document();
        let window = document.and_then(|document| document.default_view());
        let element = element.clone();
        let target = window.map_or_else(|| element.clone().into(), EventTarget::from);
        Self::capturing(&target, "click", move |event| {
            if event.composed_path().includes(&element, 0) {
                callback(event);
            }
        })
    }

    /// Keeps what happens in a dialog from the page: other people's modals close when something outside of them is
    /// touched.
    pub fn contain(dialog: &EventTarget) -> Vec<Self> {
        let contain = |name| Self::new(dialog, name, |event: Event| event.stop_propagation());
        OUTSIDE.map(contain).into()
    }

    fn add(
        target: &EventTarget,
        name: &'static str,
        is_capturing: bool,
        callback: Closure<dyn Fn(Event)>,
    ) -> Self {
        let function = callback.as_ref().unchecked_ref();
        // It throws only for a callback that is not a function.
        let _ = target.add_event_listener_with_callback_and_bool(name, function, is_capturing);
        Self {
            target: target.clone(),
            name,
            is_capturing,
            callback,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let function = self.callback.as_ref().unchecked_ref();
        let (name, is_capturing) = (self.name, self.is_capturing);
        let _ =
            self.target
                .remove_event_listener_with_callback_and_bool(name, function, is_capturing);
    }
}

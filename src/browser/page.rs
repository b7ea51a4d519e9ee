//! What the page tells: the time, whether it is online, and when it wakes up.

use super::listener::Listener;
use js_sys::Reflect;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Document, EventTarget, VisibilityState, Window};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

/// Milliseconds of a clock that nobody sets.
pub fn now() -> f64 {
    performance_now()
}

/// False only where the browser says that there is no network.
pub fn is_online() -> bool {
    global("navigator").is_none_or(|navigator| member(&navigator, "onLine") != JsValue::FALSE)
}

/// The page's own host name; empty where there is no page.
pub fn hostname() -> String {
    global("location")
        .and_then(|location| member(&location, "hostname").as_string())
        .unwrap_or_default()
}

/// The document, where there is one.
pub fn document() -> Option<Document> {
    web_sys::window().as_ref().and_then(Window::document)
}

/// The first global that is missing of those that no call can do without.
pub fn missing_feature() -> Option<&'static str> {
    ["fetch", "AbortController", "URL", "performance", "Promise"]
        .into_iter()
        .find(|name| global(name).is_none())
}

/// Calls `awake` when the page becomes visible, comes online, or comes back from the back/forward cache.
pub fn on_wake(awake: impl Fn() + 'static) -> Vec<Listener> {
    let awake = Rc::new(awake);
    let mut listeners = Vec::new();
    // A worker's global has `online`, too.
    let global: EventTarget = js_sys::global().unchecked_into();
    for name in ["online", "pageshow"] {
        let awake = awake.clone();
        listeners.push(Listener::new(&global, name, move |_| awake()));
    }
    if let Some(document) = document() {
        let target = document.clone();
        listeners.push(Listener::new(&target, "visibilitychange", move |_| {
            if document.visibility_state() == VisibilityState::Visible {
                awake();
            }
        }));
    }
    listeners
}

fn global(name: &str) -> Option<JsValue> {
    let value = member(&js_sys::global(), name);
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

//! What the page, or the worker, that the module runs in has to offer.

use super::listener::Listener;
use super::object::get;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, EventTarget, Location, Navigator, VisibilityState};

#[wasm_bindgen]
extern "C" {
    // A worker has no document, and Node 20 no navigator.
    #[wasm_bindgen(thread_local_v2, js_name = document)]
    static DOCUMENT: Option<Document>;
    #[wasm_bindgen(thread_local_v2, js_name = location)]
    static LOCATION: Option<Location>;
    #[wasm_bindgen(thread_local_v2, js_name = navigator)]
    static NAVIGATOR: Option<Navigator>;
    /// Milliseconds of the monotonic clock.
    #[wasm_bindgen(js_namespace = performance)]
    pub fn now() -> f64;
    // Chromium 105, Firefox 106, Safari 17.4; not in web-sys.
    #[wasm_bindgen(extends = Element)]
    type Checkable;
    #[wasm_bindgen(catch, method, js_name = checkVisibility)]
    fn check_visibility(this: &Checkable) -> Result<bool, JsValue>;
}

/// CSS pixels: no tablet is as narrow.
const PHONE: f64 = 500.0;

/// The page's document; `None` in a worker and in Node.
pub fn document() -> Option<Document> {
    DOCUMENT.with(Clone::clone)
}

/// Whether the page does not show an element; an older browser can't tell.
pub fn is_hidden(element: &Element) -> bool {
    let element: &Checkable = element.unchecked_ref();
    element.check_visibility() == Ok(false)
}

/// The height of the page's window, in CSS pixels; `None` in a worker.
pub fn height() -> Option<f64> {
    get(&js_sys::global(), "innerHeight").as_f64()
}

/// False only if the browser says that there is no network.
pub fn is_online() -> bool {
    NAVIGATOR.with(|navigator| {
        // Node's navigator has no such member, which must not read as false.
        let navigator = navigator.as_ref();
        navigator.is_none_or(|navigator| get(navigator, "onLine") != false)
    })
}

/// The browser's language, such as `he-IL`; empty if it is not known.
pub fn language() -> String {
    NAVIGATOR.with(|navigator| {
        let language = navigator
            .as_ref()
            .and_then(|navigator| get(navigator, "language").as_string());
        language.unwrap_or_default()
    })
}

/// The document's language, such as `he`; empty if it does not say one.
pub fn document_language() -> String {
    let root = document().and_then(|document| document.document_element());
    root.and_then(|root| root.get_attribute("lang"))
        .unwrap_or_default()
}

/// The page's own host name; empty if there is no page.
pub fn hostname() -> String {
    let hostname = LOCATION.with(|location| location.as_ref()?.hostname().ok());
    hostname.unwrap_or_default()
}

/// The page's own origin; empty if there is no page.
pub fn origin() -> String {
    let origin = LOCATION.with(|location| location.as_ref()?.origin().ok());
    origin.unwrap_or_default()
}

/// Whether the screen is a phone's: small, and touched.
pub fn is_phone() -> bool {
    let width = get(&get(&js_sys::global(), "screen"), "width");
    width.as_f64() < Some(PHONE)
        && NAVIGATOR.with(|navigator| {
            let navigator = navigator.as_ref();
            navigator.is_some_and(|navigator| get(navigator, "maxTouchPoints").is_truthy())
        })
}

/// False only if the browser says that the page's context is not secure (W3C Secure Contexts).
pub fn is_secure_context() -> bool {
    get(&js_sys::global(), "isSecureContext") != false
}

/// The first missing feature of those that every call needs.
pub fn missing_feature() -> Option<&'static str> {
    let features = ["fetch", "AbortController", "URL", "performance", "Promise"];
    features.into_iter().find(|name| is_missing(&[name]))
}

/// The first missing feature of those that the vault needs.
pub fn missing_storage() -> Option<&'static str> {
    if is_missing(&["indexedDB"]) {
        return Some("indexedDB");
    }
    if is_missing(&["crypto", "subtle"]) {
        return Some("crypto.subtle");
    }
    is_missing(&["navigator", "locks"]).then_some("navigator.locks")
}

/// Whether the global object lacks a member of a member.
pub fn is_missing(path: &[&str]) -> bool {
    let mut value = JsValue::from(js_sys::global());
    for name in path {
        value = get(&value, name);
        if value.is_undefined() || value.is_null() {
            return true;
        }
    }
    false
}

/// Calls `awake` when the page becomes visible, comes online, or comes back from the back/forward cache.
pub fn on_wake(awake: Rc<dyn Fn()>) -> Vec<Listener> {
    let listen = |target: &EventTarget, name| {
        let awake = awake.clone();
        Listener::new(target, name, move |_| {
            let is_hidden = document()
                .is_some_and(|document| document.visibility_state() == VisibilityState::Hidden);
            if !is_hidden {
                awake();
            }
        })
    };
    // A worker's global object has `online`, too.
    let global = target();
    let mut listeners = vec![listen(&global, "online"), listen(&global, "pageshow")];
    listeners.extend(document().map(|document| listen(&document, "visibilitychange")));
    listeners
}

/// The global object as the target of events.
pub fn target() -> EventTarget {
    js_sys::global().unchecked_into()
}

//! What the page, or the worker, that the module runs in has to offer.

use super::error::{Error, ErrorCode};
use super::failure::Failure;
use super::listener::Listener;
use super::object::get;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, EventTarget, VisibilityState};

#[wasm_bindgen]
extern "C" {
    // A worker has no document.
    #[wasm_bindgen(thread_local_v2, js_name = document)]
    static DOCUMENT: Option<Document>;
    /// Milliseconds of the monotonic clock.
    #[wasm_bindgen(js_namespace = performance)]
    pub fn now() -> f64;
    // Chromium 105, Firefox 106, Safari 17.4; not in web-sys.
    #[wasm_bindgen(extends = Element)]
    type Checkable;
    #[wasm_bindgen(catch, method, js_name = checkVisibility)]
    fn check_visibility(this: &Checkable) -> Result<bool, JsValue>;
}

/// A member of the global object, or one of its members, such as `navigator.locks`; undefined where one is missing.
pub fn at(path: &str) -> JsValue {
    let global = JsValue::from(js_sys::global());
    path.split('.')
        .fold(global, |value, name| get(&value, name))
}

/// The text at this path, or an empty one.
fn text_at(path: &str) -> String {
    at(path).as_string().unwrap_or_default()
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
    at("innerHeight").as_f64()
}

/// False only if the browser says that there is no network.
pub fn is_online() -> bool {
    at("navigator.onLine") != false
}

/// The browser's language, such as `he-IL`; empty if it is not known.
pub fn language() -> String {
    text_at("navigator.language")
}

/// The document's language, such as `he`; empty if it does not say one.
pub fn document_language() -> String {
    let root = document().and_then(|document| document.document_element());
    root.and_then(|root| root.get_attribute("lang"))
        .unwrap_or_default()
}

/// The page's own host name; empty if there is no page.
pub fn hostname() -> String {
    text_at("location.hostname")
}

/// The page's own origin; empty if there is no page.
pub fn origin() -> String {
    text_at("location.origin")
}

/// Whether the screen is a phone's: small, and touched.
pub fn is_phone() -> bool {
    at("screen.width").as_f64() < Some(PHONE) && at("navigator.maxTouchPoints").is_truthy()
}

/// False only if the browser says that the page's context is not secure (W3C Secure Contexts).
pub fn is_secure_context() -> bool {
    at("isSecureContext") != false
}

/// Fails if the browser lacks one of these.
pub fn require(features: &[&str]) -> Result<(), Failure> {
    let Some(missing) = features.iter().find(|feature| is_missing(feature)) else {
        return Ok(());
    };
    let error = Error::new(ErrorCode::UnsupportedBrowser);
    Err(error.detail(&[missing, " is missing."]).into())
}

/// Whether the global object lacks a member, or one of its members.
pub fn is_missing(path: &str) -> bool {
    let value = at(path);
    value.is_undefined() || value.is_null()
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

//! What the page tells: the time, whether it is online, and when it wakes up.

use super::js;
use super::listener::Listener;
use crate::lines::split;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Milliseconds of a clock that nobody sets.
pub fn now() -> f64 {
    number("performance", "now")
}

/// Milliseconds of the clock on the wall, which jumps.
pub fn date() -> JsValue {
    js::on("Date", "now", js::NONE).unwrap_or_default()
}

/// In 0..1.
pub fn random() -> f64 {
    number("Math", "random")
}

fn number(object: &str, method: &str) -> f64 {
    let number = js::on(object, method, js::NONE).ok();
    number
        .and_then(|number| number.as_f64())
        .unwrap_or_default()
}

/// False only where the browser says that there is no network.
pub fn is_online() -> bool {
    js::get(&js::named("navigator"), "onLine") != false
}

/// The page's own host name; empty where there is no page.
pub fn hostname() -> String {
    js::text(&js::named("location"), "hostname")
}

const FEATURES: &str = "fetch\nAbortController\nURL\nperformance\nPromise";

/// The first global that is missing of those that no call can do without.
pub fn missing_feature() -> Option<&'static str> {
    let mut names = FEATURES;
    while !names.is_empty() {
        let (name, rest) = split(names, b'\n');
        if js::is_absent(&js::named(name)) {
            return Some(name);
        }
        names = rest;
    }
    None
}

/// The first of the vault's features that is missing.
pub fn missing_storage() -> Option<&'static str> {
    let is_missing = |object, name| js::is_absent(&js::get(&js::named(object), name));
    if js::is_absent(&js::named("indexedDB")) {
        return Some("indexedDB");
    }
    if is_missing("crypto", "subtle") {
        return Some("crypto.subtle");
    }
    is_missing("navigator", "locks").then_some("navigator.locks")
}

/// Calls `awake` when the page becomes visible, comes online, or comes back from the back/forward cache.
pub fn on_wake(awake: Rc<dyn Fn()>) -> [Listener; 3] {
    let document = js::named("document");
    let listen = |target: &JsValue, name: &str| {
        let (awake, document) = (awake.clone(), document.clone());
        let act = move |_| {
            if js::text(&document, "visibilityState") != "hidden" {
                awake();
            }
        };
        Listener::new(target, name, Box::new(act))
    };
    // A worker's global has `online`, too.
    let global = js::global();
    [
        listen(&global, "online"),
        listen(&global, "pageshow"),
        listen(&document, "visibilitychange"),
    ]
}

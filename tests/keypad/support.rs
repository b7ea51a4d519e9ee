//! A till with a keypad for the tests.

pub use crate::clock::*;
pub use crate::till::{container, document, failed, get, text as word, to_js, with};
pub use serde_json::{Value, json};
pub use wasm_bindgen::prelude::*;
pub use wasm_bindgen_test::wasm_bindgen_test;

use js_sys::Function;
use pos_connect::{PosConnect, define_keypad};

#[wasm_bindgen(module = "/tests/keypad/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = isShown)]
    pub fn is_shown() -> bool;
    pub fn outcome() -> String;
    #[wasm_bindgen(js_name = hasOutcome)]
    pub fn has_outcome() -> bool;
    #[wasm_bindgen(js_name = outcomeHost)]
    pub fn outcome_host() -> Option<web_sys::Element>;
    #[wasm_bindgen(js_name = outcomeFlaws)]
    pub fn outcome_flaws() -> String;
    #[wasm_bindgen(js_name = outOfView)]
    pub fn out_of_view() -> f64;
    pub fn text(part: &str) -> String;
    pub fn attribute(part: &str, name: &str) -> Option<String>;
    pub fn focused() -> String;
    #[wasm_bindgen(js_name = focusedText)]
    pub fn focused_text() -> String;
    pub fn down(name: &str, pointer: u32, kind: &str) -> JsValue;
    pub fn up(target: &JsValue, pointer: u32, kind: &str);
    pub fn cancel(target: &JsValue, pointer: u32);
    pub fn hold(target: &JsValue);
    pub fn tap(name: &str);
    pub fn activate(name: &str);
    #[wasm_bindgen(js_name = press)]
    pub fn press_js(key: &str, more: &JsValue) -> bool;
    pub fn paste(text: &str) -> bool;
    #[wasm_bindgen(js_name = takeIntl)]
    pub fn take_intl() -> JsValue;
    #[wasm_bindgen(js_name = giveIntl)]
    pub fn give_intl(taken: &JsValue);
    #[wasm_bindgen(js_name = breakElements)]
    pub fn break_elements() -> Function;
    pub fn scan(code: &str, gap: u32, ends: &js_sys::Array) -> bool;
    #[wasm_bindgen(js_name = stampEvents)]
    pub fn stamp_events(stamp: Option<f64>);
    #[wasm_bindgen(js_name = laterWindow)]
    pub fn later_window() -> web_sys::Element;
    #[wasm_bindgen(js_name = tapThere)]
    pub fn tap_there(place: &JsValue, keys: &str) -> String;
    pub type Device;
    #[wasm_bindgen(constructor)]
    fn new(is_mute: bool) -> Device;
    #[wasm_bindgen(method)]
    pub fn end(this: &Device) -> String;
    pub fn focus(name: &str);
    pub fn blur();
    #[wasm_bindgen(js_name = tapSecret)]
    pub fn tap_secret();
    #[wasm_bindgen(js_name = secretsIn)]
    pub fn secrets_in(memory: &JsValue) -> String;
    pub fn pagehide();
    #[wasm_bindgen(js_name = cancelDialog)]
    pub fn cancel_dialog();
    #[wasm_bindgen(js_name = hasDialog)]
    pub fn has_dialog() -> bool;
    pub fn opener() -> web_sys::HtmlElement;
    pub fn everything() -> String;
    pub fn watch();
    #[wasm_bindgen(js_name = keepNodes)]
    pub fn keep_nodes();
    #[wasm_bindgen(js_name = keptTexts)]
    pub fn kept_texts() -> String;
    #[wasm_bindgen(js_name = keptLights)]
    pub fn kept_lights() -> u32;
}

pub const VALID: &str = "0502345678";

/// How much stands in an element's shadow root.
pub fn inside(element: &JsValue) -> Option<f64> {
    get(&get(element, "shadowRoot"), "childElementCount").as_f64()
}

/// A till whose store has e-receipts, or what `more` says.
pub fn till(more: &[(&str, &JsValue)]) -> PosConnect {
    let options = json!({
        "baseUrl": "https://pos.example", "connectUrl": "https://auth.example/connect",
        "clientId": "till", "ereceipt": true,
    });
    PosConnect::create(with(&options, more)).unwrap()
}

/// The options of an ask that every test needs.
pub fn options(more: &[(&str, &JsValue)]) -> JsValue {
    with(
        // What stands there after the end has tests of its own.
        &json!({"orderId": "A-1", "region": "IL", "locale": "en", "outcomeSeconds": 0}),
        more,
    )
}

/// An ask in a dialog that is shown, and its outcome.
pub async fn ask(more: &[(&str, &JsValue)]) -> JsValue {
    ask_of(&till(&[]), more).await
}

pub async fn ask_of(till: &PosConnect, more: &[(&str, &JsValue)]) -> JsValue {
    let outcome = till.receipt_for(options(more));
    eventually(is_shown).await;
    guard_is_over().await;
    outcome.into()
}

/// Pointers do not count yet when it has just been shown: they were meant for what stood there before.
pub const GUARD_MS: u32 = 400;

pub async fn guard_is_over() {
    sleep(GUARD_MS).await;
}

pub async fn done(promise: impl Into<JsValue>) -> JsValue {
    let outcome = crate::till::done(promise).await;
    assert!(js_sys::Object::is_frozen(
        outcome.unchecked_ref::<js_sys::Object>()
    ));
    outcome
}

/// The reason of a print; anything else fails.
pub async fn printed(promise: impl Into<JsValue>) -> String {
    let outcome = done(promise).await;
    assert_eq!(word(&outcome, "kind"), "print", "{outcome:?}");
    assert_eq!(get(&outcome, "print"), JsValue::TRUE);
    assert_eq!(word(&outcome, "orderId"), "A-1");
    assert!(get(&outcome, "elapsedMs").as_f64().is_some());
    word(&outcome, "reason")
}

/// The phone number of an e-receipt; anything else fails.
pub async fn sent(promise: impl Into<JsValue>) -> String {
    let outcome = done(promise).await;
    assert_eq!(word(&outcome, "kind"), "ereceipt", "{outcome:?}");
    assert_eq!(get(&outcome, "print"), JsValue::FALSE);
    word(&outcome, "phone")
}

pub fn taps(keys: &str) {
    for key in keys.chars() {
        tap(&key.to_string());
    }
}

/// Names of keys, for the page.
pub fn keys(names: &[&str]) -> js_sys::Array {
    names.iter().map(|name| JsValue::from(*name)).collect()
}

pub fn device(is_mute: bool) -> Device {
    Device::new(is_mute)
}

pub fn press(key: &str) -> bool {
    press_js(key, &JsValue::UNDEFINED)
}

/// As a person types: 20 keys a second, no pause like the one before.
pub async fn types(keys: &str) {
    for (key, pause) in keys.chars().zip([40, 65, 30, 65].into_iter().cycle()) {
        press(&key.to_string());
        sleep(pause).await;
    }
}

pub fn display() -> String {
    text("display").replace(|character: char| !"0123456789+•".contains(character), "")
}

/// A function for the page, which lives as long as the page.
pub fn function(body: &'static str) -> JsValue {
    Function::new_with_args("a, b", body).into()
}

/// An element of the page's own.
pub fn element() -> web_sys::HtmlElement {
    define_keypad(JsValue::UNDEFINED).unwrap();
    let element = document().create_element("ereceipt-keypad").unwrap();
    document().body().unwrap().append_child(&element).unwrap();
    element.unchecked_into()
}

pub async fn ask_in(element: &web_sys::HtmlElement, options: &JsValue) -> JsValue {
    let ask: Function = get(element, "ask").unchecked_into();
    let outcome = ask.call1(element, options).unwrap();
    guard_is_over().await;
    outcome
}

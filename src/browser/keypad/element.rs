//! `<ereceipt-keypad>`: the class is JavaScript's, what its `ask` does is ours.

use super::dom::STYLE;
use crate::browser::old::js;
use crate::browser::old::listener::Callback;
use wasm_bindgen::prelude::*;

/// The name of the elements that `receiptFor` makes, and of `defineKeypad` without one.
pub const NAME: &str = "ereceipt-keypad";

#[wasm_bindgen(module = "/src/js/page.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = define)]
    fn js_define(name: &str, css: &str, run: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = create)]
    fn js_create(name: &str, css: &str, run: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = hold)]
    fn js_hold(element: &JsValue, end: &JsValue, is_over: bool) -> Result<(), JsValue>;
}

/// The `ask` of an element with its options; the bindings have it, which read them.
pub type AskFunction = fn(JsValue, JsValue) -> JsValue;

/// Kept by the class, which lives as long as the page.
fn run(ask: AskFunction) -> JsValue {
    let run = move |call: JsValue| {
        let outcome = ask(js::get(&call, "element"), js::get(&call, "options"));
        // A promise's resolve function does not throw.
        let _ = js::ask(&js::get(&call, "resolve"), &outcome);
    };
    Callback::wrap(Box::new(run)).into_js_value()
}

/// Registers the class.
pub fn define(name: &str, ask: AskFunction) -> Result<JsValue, JsValue> {
    js_define(name, STYLE, &run(ask))
}

/// Makes an element, in no page yet.
pub fn create(ask: AskFunction) -> Result<JsValue, JsValue> {
    js_create(NAME, STYLE, &run(ask))
}

/// Told when the element leaves the page (`false`), or another ask takes its place (`true`); until dropped.
pub struct Hold {
    element: JsValue,
    end: Callback,
}

impl Hold {
    /// Ends the ask before it. Fails for an element that is not ours.
    pub fn new(element: JsValue, end: Box<dyn FnMut(JsValue)>) -> Result<Self, JsValue> {
        let end = Callback::wrap(end);
        js_hold(&element, end.as_ref(), false)?;
        Ok(Self { element, end })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // It could be held.
        let _ = js_hold(&self.element, self.end.as_ref(), true);
    }
}

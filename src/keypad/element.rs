//! `<ereceipt-keypad>`: the class is JavaScript's, what its `ask` does is ours.

use js_sys::{Function, Promise};
use std::cell::OnceCell;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

/// The name of the elements that `receiptFor` makes, and of `defineKeypad` without one.
pub const NAME: &str = "ereceipt-keypad";

/// Goes into the shadow root as a constructed sheet, which a strict Content-Security-Policy allows.
const STYLE: &str = include_str!("keypad.css");

#[wasm_bindgen(module = "/src/keypad/element.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = define)]
    fn js_define(name: &str, css: &str, ask: &JsValue) -> Result<Function, JsValue>;
    #[wasm_bindgen(catch, js_name = create)]
    fn js_create(name: &str, css: &str, ask: &JsValue) -> Result<HtmlElement, JsValue>;
    #[wasm_bindgen(js_name = hold)]
    fn js_hold(element: &HtmlElement, end: &JsValue, is_over: bool);
}

/// What an element does when the page calls its `ask` with options.
type Ask = dyn Fn(HtmlElement, JsValue) -> Promise;

thread_local! {
    /// The class keeps it, and lives as long as the page.
    static ASK: OnceCell<Closure<Ask>> = const { OnceCell::new() };
}

/// Says what the elements' `ask` does, before the first element is made. Only the first call counts.
pub fn implement(ask: impl Fn(HtmlElement, JsValue) -> Promise + 'static) {
    ASK.with(|first| {
        first.get_or_init(|| Closure::<Ask>::new(ask));
    });
}

/// The function that the class calls.
fn implementation() -> JsValue {
    ASK.with(|ask| {
        ask.get()
            .map(|ask| ask.as_ref().clone())
            .unwrap_or_default()
    })
}

/// Registers the class under a name. Fails if the name is invalid or someone else's, or in a browser without custom
/// elements.
pub fn define(name: &str) -> Result<Function, JsValue> {
    js_define(name, STYLE, &implementation())
}

/// Makes an element, in no page yet.
pub fn create() -> Result<HtmlElement, JsValue> {
    js_create(NAME, STYLE, &implementation())
}

/// Why an element's prompt is over.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Gone {
    /// Another prompt took its place.
    Replaced,
    /// The element left the page.
    Removed,
}

/// Watches an element until dropped.
#[must_use = "dropping it ends the watch"]
pub struct Hold {
    element: HtmlElement,
    end: Closure<dyn Fn(bool)>,
}

impl Hold {
    /// Ends the prompt that held the element before.
    pub fn new(element: &HtmlElement, end: impl Fn(Gone) + 'static) -> Self {
        let end = Closure::<dyn Fn(bool)>::new(move |is_replaced| {
            end(match is_replaced {
                true => Gone::Replaced,
                false => Gone::Removed,
            });
        });
        js_hold(element, end.as_ref(), false);
        let element = element.clone();
        Self { element, end }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        js_hold(&self.element, self.end.as_ref(), true);
    }
}

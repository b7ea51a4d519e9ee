//! `<ereceipt-keypad>`: the class is JavaScript's, what its `ask` does is ours.

use super::Keypad;
use super::reason::PrintReason;
use super::settings::{ASK as ROWS, LOCALE, REGION};
use crate::core::error::Operation;
use crate::core::failure::Failure;
use crate::core::options::Value;
use crate::core::reader::take;
use crate::core::task;
use js_sys::{Function, Promise};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

/// The name of the elements that `receiptFor` makes, and of `defineKeypad` without one.
pub const NAME: &str = "ereceipt-keypad";

/// Goes into the shadow root as a constructed sheet, which a strict Content-Security-Policy allows.
const STYLE: &str = concat!(include_str!("keypad.css"), include_str!("layouts.css"));

#[wasm_bindgen(module = "/src/keypad/element.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = define)]
    fn js_define(name: &str, css: &str, ask: &JsValue) -> Result<Function, JsValue>;
    #[wasm_bindgen(catch, js_name = create)]
    fn js_create(name: &str, css: &str, ask: &JsValue) -> Result<HtmlElement, JsValue>;
    #[wasm_bindgen(js_name = hold)]
    fn js_hold(element: &HtmlElement, end: &JsValue, is_over: bool);
    /// Tells the page which language is shown.
    pub fn tell(element: &HtmlElement, locale: &str);
}

/// What an element does when the page calls its `ask` with options.
type Ask = dyn Fn(HtmlElement, JsValue) -> Promise;

thread_local! {
    /// The class keeps it, and lives as long as the page.
    static ASK: Closure<Ask> = Closure::new(ask);
}

/// Registers the class under a name. Fails if the name is invalid or someone else's, or in a browser without custom
/// elements.
pub fn define(name: &str) -> Result<Function, JsValue> {
    ASK.with(|ask| js_define(name, STYLE, ask.as_ref()))
}

/// Makes an element, in no page yet.
pub fn create() -> Result<HtmlElement, JsValue> {
    ASK.with(|ask| js_create(NAME, STYLE, ask.as_ref()))
}

/// Watches an element until dropped.
#[must_use = "dropping it ends the watch"]
pub struct Hold {
    element: HtmlElement,
    end: Closure<dyn Fn(bool)>,
}

impl Hold {
    /// Ends the prompt that held the element before. Calls `end` when another prompt takes this one's place, or the
    /// element leaves the page.
    pub fn new(element: &HtmlElement, end: impl Fn(PrintReason) + 'static) -> Self {
        let end = Closure::<dyn Fn(bool)>::new(move |is_replaced| {
            end(match is_replaced {
                true => PrintReason::Replaced,
                false => PrintReason::Removed,
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

/// The element's `ask`.
fn ask(element: HtmlElement, options: JsValue) -> Promise {
    let keypad = ask_in(&element, &options);
    task::promise(Operation::Ask, async move {
        let keypad = keypad?;
        keypad.show_in(element);
        Ok(keypad.until_settled().await)
    })
}

fn ask_in(element: &HtmlElement, given: &JsValue) -> Result<Rc<Keypad>, Failure> {
    let mut options = take(given, ROWS)?;
    // Not the number: nobody would wipe an attribute.
    for row in [&REGION, &LOCALE] {
        options.or(row, element.get_attribute(row.name).map(Value::Text));
    }
    Keypad::new(&options.checked(ROWS)?)
}

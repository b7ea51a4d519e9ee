//! What both the frame and the keypad do with elements. None of it throws with the names that are given here.

use super::js;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/js/page.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = build)]
    fn js_build(table: &str) -> Result<JsValue, JsValue>;
}

/// Elements by number.
pub struct Elements(JsValue);

impl Elements {
    /// Makes them, in no page yet. A line each: the number of its parent, its name, and what it carries.
    pub fn new(table: &str) -> Self {
        Self(js_build(table).unwrap_or_default())
    }

    pub fn get(&self, number: usize) -> JsValue {
        js::act(&self.0, "at", &number.into(), js::NONE)
    }

    /// The number of one of them.
    pub fn position(&self, element: &JsValue) -> Option<usize> {
        let number = js::act(&self.0, "indexOf", element, js::NONE).as_f64()?;
        (number >= 0.0).then_some(number as usize)
    }

    /// Sets the text of one.
    pub fn label(&self, number: usize, text: &JsValue) {
        js::set(&self.get(number), "textContent", text.clone());
    }
}

/// Sets an attribute to a text.
pub fn attribute(element: &JsValue, name: &str, value: &str) {
    set_attribute(element, name, &value.into());
}

/// Sets an attribute to a text of the page's.
pub fn set_attribute(element: &JsValue, name: &str, value: &JsValue) {
    js::act(element, "setAttribute", &name.into(), value);
}

/// Adds a child at the end.
pub fn append(parent: &JsValue, child: &JsValue) {
    js::act(parent, "appendChild", child, js::NONE);
}

/// Takes it out of the page.
pub fn remove(element: &JsValue) {
    js::tell(element, "remove");
}

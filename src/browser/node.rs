//! What both the frame and the keypad do with elements. None of it throws with the names that are given here.

use super::js;
use wasm_bindgen::JsValue;

/// Makes an element, in no page yet.
pub fn element(document: &JsValue, tag: &str) -> JsValue {
    js::act(document, "createElement", &tag.into(), js::NONE)
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

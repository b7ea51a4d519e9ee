//! Shows an element above everything, without taking the focus.

use super::nodes::set;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement};

#[wasm_bindgen]
extern "C" {
    /// Chromium 114, Firefox 125, Safari 17.
    type Popover;
    #[wasm_bindgen(method, catch, js_name = showPopover)]
    fn show_popover(this: &Popover) -> Result<(), JsValue>;
}

/// Says that an element stands above other people's modals, before it is put into the page: React Aria makes all other
/// new children of the body inert (https://github.com/adobe/react-spectrum/issues/8784).
pub fn mark(element: &Element) {
    set(element, "data-react-aria-top-layer", "true");
}

/// Shows it. Where a browser has no popovers, the element's own style has to put it there.
pub fn show(element: &HtmlElement) {
    set(element, "popover", "manual");
    // It throws only where the element is in no page.
    let _ = element.unchecked_ref::<Popover>().show_popover();
}

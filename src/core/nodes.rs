//! Makes nodes, and puts them together. What is asked for here is ours, and no browser refuses it.

use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlElement, Node};

// Each of web-sys' own returns a `Result`.
#[wasm_bindgen]
extern "C" {
    type Maker;
    #[wasm_bindgen(method, js_name = createElement)]
    fn create(this: &Maker, tag: &str) -> HtmlElement;
    type Parent;
    #[wasm_bindgen(method, js_name = appendChild)]
    fn append(this: &Parent, child: &Node);
    type Attributed;
    #[wasm_bindgen(method, js_name = setAttribute)]
    fn set(this: &Attributed, name: &str, value: &str);
}

/// An element, in no page yet.
pub fn element(document: &Document, tag: &str) -> HtmlElement {
    document.unchecked_ref::<Maker>().create(tag)
}

/// Puts a child at the end of a node of ours.
pub fn append(parent: &Node, child: &Node) {
    parent.unchecked_ref::<Parent>().append(child);
}

/// Sets an attribute.
pub fn set(element: &Element, name: &str, value: &str) {
    element.unchecked_ref::<Attributed>().set(name, value);
}

//! Takes elements out of the page. A page may have replaced the methods for it by ones that throw.

use wasm_bindgen::prelude::*;
use web_sys::{HtmlDialogElement, Node};

#[wasm_bindgen]
extern "C" {
    /// A dialog, whose `close` web-sys does not catch.
    type Closing;
    #[wasm_bindgen(method, catch)]
    fn close(this: &Closing) -> Result<(), JsValue>;
    /// A node that stands somewhere.
    type Placed;
    #[wasm_bindgen(method, catch, getter, js_name = parentNode)]
    fn parent(this: &Placed) -> Result<Option<Node>, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn remove(this: &Placed) -> Result<(), JsValue>;
}

/// Closes a dialog that is open. The browser then returns the focus to where it was.
pub fn close(dialog: &HtmlDialogElement) {
    let _ = dialog.unchecked_ref::<Closing>().close();
}

/// Takes a node out of where it is, if it is anywhere.
pub fn remove(node: &Node) {
    let placed: &Placed = node.unchecked_ref();
    let is_left = match placed.parent() {
        Ok(Some(parent)) => parent.remove_child(node).is_err(),
        Ok(None) => false,
        Err(_) => true,
    };
    if is_left {
        let _ = placed.remove();
    }
}

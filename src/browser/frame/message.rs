//! Messages from the connect page.

use crate::frame::{self, Hint};
use js_sys::Reflect;
use pos_connect_protocol::hint;
use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

/// What a message says; `None` if it is not the connect page's. Its data is read only if `origin` has sent it.
pub fn read(event: &MessageEvent, origin: &str) -> Option<Hint> {
    let sender = event.origin();
    if sender != origin {
        return None;
    }
    let data = event.data();
    let kind = member(&data, hint::TYPE).as_string();
    let message = frame::Message {
        origin: &sender,
        mark: member(&data, hint::MARK).as_f64(),
        kind: kind.as_deref(),
    };
    frame::read(&message, origin)
}

/// A member of a message; `undefined` if the message is not an object.
pub(super) fn member(data: &JsValue, name: &str) -> JsValue {
    Reflect::get(data, &name.into()).unwrap_or_default()
}

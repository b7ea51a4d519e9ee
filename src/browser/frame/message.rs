//! Messages from the connect page.

use crate::browser::object;
use crate::frame::{self, Hint};
use pos_connect_protocol::hint;
use web_sys::MessageEvent;

/// What a message says; `None` if it is not the connect page's. Its data is read only if `origin` has sent it.
pub fn read(event: &MessageEvent, origin: &str) -> Option<Hint> {
    let sender = event.origin();
    if sender != origin {
        return None;
    }
    let data = event.data();
    let kind = object::get(&data, hint::TYPE).as_string();
    let message = frame::Message {
        origin: &sender,
        mark: object::get(&data, hint::MARK).as_f64(),
        kind: kind.as_deref(),
        height: object::get(&data, hint::HEIGHT).as_f64(),
    };
    frame::read(&message, origin)
}

//! `mountFrame`: its options, and the handle that it returns.

use super::options::{CONTAINER, MOUNT};
use super::{Frame, FrameOptions};
use crate::core::failure::Failure;
use crate::core::reader::{read, value};
use crate::core::{object, weak};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Reads the arguments of `mountFrame`.
pub fn read_frame(container: JsValue, given: &JsValue) -> Result<FrameOptions, Failure> {
    let mut options = read(given, MOUNT)?;
    if !container.is_undefined() && !container.is_null() {
        let element = value(CONTAINER.kind, CONTAINER.name, container)?;
        options.or(&CONTAINER, Some(element));
    }
    FrameOptions::new(&options)
}

/// The page's handle on a frame: `ConnectFrame` in `index.d.ts`. A plain object and no exported struct, so that `close`
/// can be called without it, for instance as an event handler.
pub fn handle(frame: &Rc<Frame>) -> JsValue {
    let make = || {
        // Weak: an open frame keeps itself, and an ended one has nothing to close.
        let close = Closure::<dyn Fn()>::new(weak::callback(frame, |frame| frame.close()));
        let handle = object::of(&[
            ("element", frame.view.root.clone().into()),
            ("ended", frame.ended.clone().into()),
            // The browser frees it when the page has dropped the handle; until then it can be called.
            ("close", close.into_js_value()),
        ]);
        handle.into()
    };
    frame.handle.get_or_init(make).clone()
}

//! `mountFrame`: its options, and the handle that it returns.

use super::Frame;
use super::options::{CONTAINER, MOUNT};
use crate::core::failure::Failure;
use crate::core::options::Options;
use crate::core::reader::{read, value};
use crate::core::{object, weak};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Reads the arguments of `mountFrame`.
pub fn read_frame(container: JsValue, given: &JsValue) -> Result<Options, Failure> {
    let mut options = read(given, MOUNT)?;
    if !container.is_undefined() && !container.is_null() {
        let element = value(CONTAINER.kind, CONTAINER.name, container)?;
        options.or(&CONTAINER, Some(element));
    }
    container_of(&options)?;
    Ok(options)
}

/// Where a frame goes; without a container it is a modal dialog. It has to be in the page: elsewhere, nobody would see
/// the frame.
pub fn container_of(options: &Options) -> Result<Option<Element>, Failure> {
    let container: Option<Element> = options.page(&CONTAINER);
    match container
        .as_ref()
        .is_none_or(|element| element.is_connected())
    {
        true => Ok(container),
        false => Err(Failure::invalid("container: is not in the page")),
    }
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

//! `mountFrame`: its options, and the handle that it returns.

use super::given::{labels, sandbox};
use super::options::{FromPage, given, read};
use crate::browser::failure::Failure;
use crate::browser::frame::{Frame, FrameOptions};
use crate::browser::object;
use crate::frame::words::Word;
use crate::frame::{Sandbox, Theme};
use js_sys::{Function, Promise};
use serde::{Deserialize, Serialize};
use serde_wasm_bindgen::preserve;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement};

/// `ConnectFrame` in `index.d.ts`. A plain object and no exported struct, so that `close` can be called without it, for
/// instance as an event handler.
#[derive(Serialize)]
struct ConnectFrame {
    #[serde(with = "preserve")]
    element: HtmlElement,
    #[serde(with = "preserve")]
    ended: Promise,
    #[serde(with = "preserve")]
    close: JsValue,
}

/// The options of `mountFrame`; `FrameOptions` in `index.d.ts`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MountOptions {
    #[serde(deserialize_with = "given")]
    labels: Option<JsValue>,
    #[serde(deserialize_with = "given")]
    locale: Option<String>,
    #[serde(deserialize_with = "given")]
    theme: Option<Theme>,
    #[serde(deserialize_with = "sandbox")]
    sandbox: Sandbox,
    #[serde(deserialize_with = "given")]
    on_ready: Option<Function>,
}

/// Reads the arguments of `mountFrame`.
pub fn read_frame(container: JsValue, options: &JsValue) -> Result<FrameOptions, Failure> {
    let options: MountOptions = read(options)?;
    let container = match container.is_undefined() || container.is_null() {
        true => None,
        false => {
            let element = Element::from_page(container);
            Some(element.map_err(|misfit| misfit.of("container"))?)
        }
    };
    Ok(FrameOptions {
        container: placed(container)?,
        labels: labels(options.labels, &Word::ALL.map(Word::name))?,
        locale: options.locale,
        theme: options.theme,
        sandbox: options.sandbox,
        on_ready: options.on_ready,
    })
}

/// A container that is in the page. Elsewhere, nobody would see the frame.
pub fn placed(container: Option<Element>) -> Result<Option<Element>, Failure> {
    match container {
        Some(element) if !element.is_connected() => {
            Err(Failure::invalid("container: is not in the page"))
        }
        placed => Ok(placed),
    }
}

/// The page's handle on a frame.
pub fn handle(frame: &Rc<Frame>) -> JsValue {
    frame.handle(|| {
        // Weak: an open frame keeps itself, and an ended one has nothing to close.
        let weak = Rc::downgrade(frame);
        let close = Closure::<dyn Fn()>::new(move || {
            if let Some(frame) = weak.upgrade() {
                frame.close();
            }
        });
        let handle = ConnectFrame {
            element: frame.element().clone(),
            ended: frame.ended().clone(),
            // The browser frees it when the page has dropped the handle; until then it can be called.
            close: close.into_js_value(),
        };
        object::of(&handle).into()
    })
}

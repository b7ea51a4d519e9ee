//! The keypad: its options, and its element.

use super::settings::{self, ASK, LOCALE, ON_SEND, REGION, Settings};
use super::{Keypad, element};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::options::{Options, Value};
use crate::core::reader::take;
use crate::core::{global, task};
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, HtmlElement};

/// The prompt that the options describe, in no page yet.
pub(crate) fn keypad(options: &Options) -> Result<Rc<Keypad>, Failure> {
    element::implement(ask);
    let languages = [global::document_language(), global::language()];
    let settings = Settings::new(options, &languages)?;
    let signal: Option<AbortSignal> = options.page(&settings::SIGNAL);
    Keypad::new(settings, options.page(&ON_SEND), signal.as_ref())
}

/// Registers the keypad's element, and returns its class. See `index.d.ts`.
#[wasm_bindgen(js_name = defineKeypad)]
pub fn define_keypad(name: JsValue) -> Result<JsValue, JsValue> {
    element::implement(ask);
    let name = match name.is_undefined() {
        true => element::NAME.into(),
        false => name.as_string().unwrap_or_default(),
    };
    let class = element::define(&name).map_err(|_| {
        if global::is_missing("customElements") {
            return Failure::new(ErrorCode::UnsupportedBrowser);
        }
        let fault = "name: is not the name of a custom element, or somebody else's";
        Failure::invalid(fault)
    });
    let class = class.map_err(|failure| failure.during(Operation::DefineKeypad))?;
    Ok(class.into())
}

/// The element's `ask`.
fn ask(element: HtmlElement, options: JsValue) -> Promise {
    let keypad = ask_in(&element, &options);
    task::promise(Operation::Ask, async move {
        let keypad = keypad?;
        keypad.show_in(element);
        Ok(keypad.until_settled().await)
    })
}

fn ask_in(element: &HtmlElement, given: &JsValue) -> Result<Rc<Keypad>, Failure> {
    let mut options = take(given, ASK)?;
    // Not the number: nobody would wipe an attribute.
    for row in [&REGION, &LOCALE] {
        options.or(row, element.get_attribute(row.name).map(Value::Text));
    }
    keypad(&options.checked(ASK)?)
}

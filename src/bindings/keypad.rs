//! The keypad: its options, and its element.

use super::client::PosConnect;
use super::old_options::{self as options, Reader};
use crate::browser::failure::Failure;
use crate::browser::keypad::{Keypad, element};
use crate::browser::old::js;
use crate::browser::old::promise::promise;
use crate::error::{ErrorCode, Operation};
use crate::keypad::settings::{Settings, TEXTS};
use crate::keypad::words::NAMES;
use crate::lines::line;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// See `index.d.ts`.
#[wasm_bindgen(js_name = defineKeypad)]
pub fn define_keypad(name: JsValue) -> Result<JsValue, JsValue> {
    let name = if name.is_undefined() {
        element::NAME.into()
    } else {
        name.as_string().unwrap_or_default()
    };
    element::define(&name, ask).map_err(|_| {
        let operation = Operation::DefineKeypad;
        let is_missing = |name| js::named(name).is_undefined();
        let failure = if is_missing("customElements") || is_missing("CSSStyleSheet") {
            Failure::new(ErrorCode::UnsupportedBrowser, operation)
        } else {
            let fault = "name: is not the name of a custom element, or somebody else's";
            Failure::invalid(operation, fault)
        };
        failure.into()
    })
}

/// The element's `ask`.
pub fn ask(element: JsValue, options: JsValue) -> JsValue {
    let keypad = Reader::new(options, Operation::Ask).receipt(&element);
    promise(async move {
        let keypad = keypad?;
        keypad.show(element, false);
        Ok(keypad.over().await)
    })
}

#[wasm_bindgen]
impl PosConnect {
    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = receiptFor)]
    pub fn receipt_for(&self, options: JsValue) -> JsValue {
        let client = self.inner.clone();
        // Read at once: a till that uses its object for the next order must not change this one's.
        let reader = Reader::new(options, Operation::ReceiptFor);
        let container = reader.container(&reader.container_member());
        let enabled = reader.ereceipt();
        let keypad = reader.receipt(&JsValue::UNDEFINED);
        promise(async move {
            let keypad = keypad?;
            keypad.receipt_for(&client, enabled, container, ask);
            Ok(keypad.over().await)
        })
    }
}

impl Reader {
    /// The ask that the options describe; its texts may stand on the element instead.
    pub(super) fn receipt(&self, element: &JsValue) -> Result<Rc<Keypad>, Failure> {
        let signal = self.signal();
        let on_send = self.function("onSend");
        let allows_none = self.is_set("allowNone");
        let labels = self.labels();
        let mut texts = [const { String::new() }; TEXTS.len()];
        for (name, text) in TEXTS.iter().zip(&mut texts) {
            let given = self.checked(name, JsValue::is_string, "a text");
            let on_element = || js::act(element, "getAttribute", &(*name).into(), js::NONE);
            // Not the number: nobody would wipe an attribute.
            let may_be_there = matches!(*name, "region" | "locale");
            let given = if given.is_undefined() && may_be_there {
                on_element()
            } else {
                given
            };
            *text = given.as_string().unwrap_or_default();
        }
        let idle = self.member("idleSeconds");
        let idle = if idle.is_undefined() {
            60.0
        } else {
            idle.as_f64().unwrap_or(f64::NAN)
        };
        let page = js::get(&js::named("document"), "documentElement");
        let languages = [
            js::text(&page, "lang"),
            js::text(&js::named("navigator"), "language"),
        ];
        let mut settings = Settings::new(texts, idle, &languages, &self.faults);
        for (word, text) in settings.words.texts.iter_mut().enumerate() {
            let label = options::label(&labels, line(NAMES, word), text);
            *text = label.as_string().unwrap_or_default();
        }
        self.all()?;
        settings.allows_none = allows_none;
        settings.asks_host = !on_send.is_undefined();
        Ok(Keypad::new(settings, on_send, signal))
    }
}

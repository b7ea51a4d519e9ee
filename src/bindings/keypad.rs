//! The keypad: its options, and its element.

use super::options::Reader;
use crate::browser::failure::Failure;
use crate::browser::js;
use crate::browser::keypad::{Keypad, element};
use crate::browser::promise::promise;
use crate::config;
use crate::error::{Error, ErrorCode, Operation};
use crate::keypad::settings::{Settings, TEXTS};
use crate::keypad::words::NAMES;
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
        let failure = if js::named("customElements").is_undefined() {
            Failure::new(ErrorCode::UnsupportedBrowser, operation)
        } else {
            let error = config::invalid(&["name: is not the name of a custom element"]);
            Failure::from(Error { operation, ..error })
        };
        failure.into()
    })
}

/// The element's `ask`.
pub fn ask(element: JsValue, options: JsValue) -> JsValue {
    promise(async move {
        let keypad = Reader::new(options, Operation::Ask)?.receipt(&element)?;
        keypad.show(element, false);
        Ok(keypad.over().await)
    })
}

impl Reader {
    /// `ereceipt`: a boolean, or a function that gives one.
    pub(super) fn ereceipt(&self) -> Result<Option<JsValue>, Failure> {
        let is_good = |value: &JsValue| value.as_bool().is_some() || value.is_function();
        self.checked("ereceipt", is_good, "a boolean or a function")
    }

    /// The ask that the options describe; two of them may stand on the element instead.
    pub(super) fn receipt(&self, element: &JsValue) -> Result<Rc<Keypad>, Failure> {
        // What can fail with the least at hand comes first: each fault drops all that was read so far.
        let signal = self.signal()?;
        let on_send = self.function("onSend")?;
        let allows_none = self.is_set("allowNone")?;
        let labels = self.inner("labels")?;
        let mut texts: [String; TEXTS.len()] = Default::default();
        for (name, text) in TEXTS.iter().zip(&mut texts) {
            let given = self.checked(name, JsValue::is_string, "a text")?;
            let on_element = || js::act(element, "getAttribute", &(*name).into(), js::NONE);
            let given = given.unwrap_or_else(on_element);
            *text = given.as_string().unwrap_or_default();
        }
        let idle = self.member("idleSeconds");
        let idle = idle.map_or(60.0, |value| value.as_f64().unwrap_or(f64::NAN));
        let page = js::get(&js::named("document"), "documentElement");
        let languages = [
            js::text(&page, "lang"),
            js::text(&js::named("navigator"), "language"),
        ];
        let settings = Settings::new(texts, idle, &languages);
        let mut settings = settings.map_err(|error| self.named(error))?;
        for (name, text) in NAMES.iter().zip(&mut settings.words.texts) {
            if let Some(label) = labels.label(name)? {
                *text = label.as_string().unwrap_or_default();
            }
        }
        settings.allows_none = allows_none;
        settings.asks_host = on_send.is_some();
        let on_send = on_send.unwrap_or_default();
        Ok(Keypad::new(settings, on_send, signal))
    }
}

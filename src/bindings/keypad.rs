//! The keypad: its options, and its element.

use super::client::PosConnect;
use super::options::{read, take};
use crate::browser::enabled::{self, Enabled};
use crate::browser::failure::Failure;
use crate::browser::global;
use crate::browser::keypad::{Keypad, element};
use crate::browser::task;
use crate::error::{ErrorCode, Operation};
use crate::keypad::reason::PrintReason;
use crate::keypad::settings::{
    self, ASK, CONTAINER, ERECEIPT, LOCALE, ON_SEND, RECEIPT, REGION, Settings,
};
use crate::options::{Options, Value};
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, HtmlElement};

/// The ask that the options describe.
fn keypad(options: &Options) -> Result<Rc<Keypad>, Failure> {
    let settings = Settings::new(options, &languages())?;
    let signal: Option<AbortSignal> = options.page(&settings::SIGNAL);
    Ok(Keypad::new(
        settings,
        options.page(&ON_SEND),
        signal.as_ref(),
    ))
}

/// The page's own languages.
fn languages() -> [String; 2] {
    [global::document_language(), global::language()]
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
        if global::is_missing(&["customElements"]) || global::is_missing(&["CSSStyleSheet"]) {
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

#[wasm_bindgen]
impl PosConnect {
    /// Asks the shopper for a number, and says whether the receipt is to be printed. See `index.d.ts`.
    #[wasm_bindgen(js_name = receiptFor)]
    pub fn receipt_for(&self, options: JsValue) -> Promise {
        // Read at once: a till that uses its object for the next order must not change this one's.
        let keypad = self.receipt(&options);
        task::promise(Operation::ReceiptFor, async move {
            Ok(keypad?.until_settled().await)
        })
    }
}

impl PosConnect {
    fn receipt(&self, options: &JsValue) -> Result<Rc<Keypad>, Failure> {
        let options = read(options, RECEIPT)?;
        let keypad = self.keypad(&options)?;
        let enabled = enabled::of_order(Enabled::of(&options, &ERECEIPT), self.inner.clone());
        keypad.show_if(enabled, options.page(&CONTAINER));
        Ok(keypad)
    }

    /// The next ask of this object, in no page yet. It ends the one before.
    pub(super) fn keypad(&self, options: &Options) -> Result<Rc<Keypad>, Failure> {
        let keypad = keypad(options)?;
        element::implement(ask);
        let before = self.receipt.replace(Rc::downgrade(&keypad)).upgrade();
        if let Some(before) = before {
            before.end(PrintReason::Replaced);
        }
        keypad.end_with(&self.inner.owner_signal());
        Ok(keypad)
    }
}

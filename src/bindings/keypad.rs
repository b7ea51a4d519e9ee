//! The keypad: its options, and its element.

use super::client::PosConnect;
use super::given::labels;
use super::options::{self, given};
use crate::browser::enabled::{self, Enabled};
use crate::browser::failure::Failure;
use crate::browser::global;
use crate::browser::keypad::{Keypad, element};
use crate::browser::object;
use crate::browser::task;
use crate::error::{ErrorCode, Operation};
use crate::keypad::reason::PrintReason;
use crate::keypad::settings::{Given, Settings};
use crate::keypad::words::Word;
use js_sys::{Function, Object, Promise};
use serde::Deserialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Element, HtmlElement};

/// `ReceiptOptions` and `ChargeOptions`; each call says which members it does not have.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ReceiptOptions {
    #[serde(deserialize_with = "given")]
    pub(super) order_id: Option<String>,
    #[serde(deserialize_with = "given")]
    region: Option<String>,
    #[serde(deserialize_with = "given")]
    pub(super) container: Option<Element>,
    #[serde(deserialize_with = "given")]
    pub(super) ereceipt: Option<Enabled>,
    #[serde(deserialize_with = "given")]
    pub(super) print: Option<Function>,
    #[serde(deserialize_with = "given")]
    pub(super) print_if_queued: Option<bool>,
    #[serde(deserialize_with = "given")]
    locale: Option<String>,
    #[serde(deserialize_with = "given")]
    labels: Option<JsValue>,
    #[serde(deserialize_with = "given")]
    pub(super) on_send: Option<Function>,
    #[serde(deserialize_with = "given")]
    idle_seconds: Option<f64>,
    #[serde(deserialize_with = "given")]
    no_answer: Option<String>,
    #[serde(deserialize_with = "given")]
    allow_none: Option<bool>,
    #[serde(deserialize_with = "given")]
    prefill: Option<String>,
    #[serde(deserialize_with = "given")]
    announce: Option<String>,
    #[serde(deserialize_with = "given")]
    outcome_seconds: Option<f64>,
    #[serde(deserialize_with = "given")]
    context: Option<String>,
    #[serde(deserialize_with = "given")]
    feedback: Option<String>,
    #[serde(deserialize_with = "given")]
    languages: Option<Vec<String>>,
    #[serde(deserialize_with = "given")]
    consent_id: Option<String>,
    #[serde(deserialize_with = "given")]
    pub(super) signal: Option<AbortSignal>,
}

impl ReceiptOptions {
    /// Reads them for a call that has all but the members of these names.
    pub(super) fn read(given: &JsValue, others: &[&str]) -> Result<Self, Failure> {
        if let Some(given) = given.dyn_ref::<Object>() {
            let names = object::names(given).unwrap_or_default();
            if let Some(name) = others
                .iter()
                .find(|other| names.iter().any(|name| name == *other))
            {
                let fault = [name, ": is not an option"].concat();
                return Err(Failure::invalid(&fault));
            }
        }
        options::read(given)
    }

    /// The ask that they describe.
    fn keypad(self) -> Result<Rc<Keypad>, Failure> {
        let mut names = vec!["lang", "dir"];
        names.extend(Word::ALL.map(Word::name));
        let given = Given {
            order_id: self.order_id,
            region: self.region,
            locale: self.locale,
            idle_seconds: self.idle_seconds,
            no_answer: self.no_answer,
            allows_none: self.allow_none.unwrap_or_default(),
            prefill: self.prefill,
            announce: self.announce,
            outcome_seconds: self.outcome_seconds,
            context: self.context,
            feedback: self.feedback,
            consent_id: self.consent_id,
            asks_host: self.on_send.is_some(),
            labels: labels(self.labels, &names)?,
            languages: self.languages.unwrap_or_default(),
        };
        let settings = Settings::new(given, &languages())?;
        Ok(Keypad::new(settings, self.on_send, self.signal.as_ref()))
    }
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
        Ok(keypad.over().await)
    })
}

fn ask_in(element: &HtmlElement, given: &JsValue) -> Result<Rc<Keypad>, Failure> {
    let others = ["container", "ereceipt", "print", "printIfQueued"];
    let mut options = ReceiptOptions::read(given, &others)?;
    // Not the number: nobody would wipe an attribute.
    options.region = options.region.or_else(|| element.get_attribute("region"));
    options.locale = options.locale.or_else(|| element.get_attribute("locale"));
    options.keypad()
}

#[wasm_bindgen]
impl PosConnect {
    /// Asks the shopper for a number, and says whether the receipt is to be printed. See `index.d.ts`.
    #[wasm_bindgen(js_name = receiptFor)]
    pub fn receipt_for(&self, options: JsValue) -> Promise {
        // Read at once: a till that uses its object for the next order must not change this one's.
        let keypad = self.receipt(&options);
        task::promise(
            Operation::ReceiptFor,
            async move { Ok(keypad?.over().await) },
        )
    }
}

impl PosConnect {
    fn receipt(&self, options: &JsValue) -> Result<Rc<Keypad>, Failure> {
        let mut options = ReceiptOptions::read(options, &["print", "printIfQueued"])?;
        let (container, ereceipt) = (options.container.take(), options.ereceipt.take());
        let keypad = self.keypad(options)?;
        keypad.show_if(enabled::of_order(ereceipt, self.inner.clone()), container);
        Ok(keypad)
    }

    /// The next ask of this object, in no page yet. It ends the one before.
    pub(super) fn keypad(&self, options: ReceiptOptions) -> Result<Rc<Keypad>, Failure> {
        let keypad = options.keypad()?;
        element::implement(ask);
        let before = self.receipt.replace(Rc::downgrade(&keypad)).upgrade();
        if let Some(before) = before {
            before.end(PrintReason::Replaced);
        }
        keypad.end_with(&self.inner.owner_signal());
        Ok(keypad)
    }
}

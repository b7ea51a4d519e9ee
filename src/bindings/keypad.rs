//! The keypad: its options, and its element.

use super::client::PosConnect;
use super::given::labels;
use super::options::{self, given};
use crate::browser::client::Client;
use crate::browser::enabled::Enabled;
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

/// `ReceiptOptions`; an element's `ask` has neither `container` nor `ereceipt`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReceiptOptions {
    #[serde(deserialize_with = "given")]
    order_id: Option<String>,
    #[serde(deserialize_with = "given")]
    region: Option<String>,
    #[serde(deserialize_with = "given")]
    container: Option<Element>,
    #[serde(deserialize_with = "given")]
    ereceipt: Option<Enabled>,
    #[serde(deserialize_with = "given")]
    locale: Option<String>,
    #[serde(deserialize_with = "given")]
    labels: Option<JsValue>,
    #[serde(deserialize_with = "given")]
    on_send: Option<Function>,
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
    signal: Option<AbortSignal>,
}

impl ReceiptOptions {
    /// The ask that they describe.
    fn keypad(self, operation: Operation) -> Result<Rc<Keypad>, Failure> {
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
            labels: labels(self.labels, operation, &names)?,
            languages: self.languages.unwrap_or_default(),
        };
        let settings = Settings::new(given, &languages(), operation)?;
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
        let operation = Operation::DefineKeypad;
        if global::is_missing(&["customElements"]) || global::is_missing(&["CSSStyleSheet"]) {
            return Failure::new(ErrorCode::UnsupportedBrowser, operation);
        }
        let fault = "name: is not the name of a custom element, or somebody else's";
        Failure::invalid(operation, fault)
    });
    Ok(class?.into())
}

/// The element's `ask`.
fn ask(element: HtmlElement, options: JsValue) -> Promise {
    let keypad = ask_in(&element, &options);
    task::promise(Operation::Ask, async move {
        let keypad = keypad?;
        keypad.show(element, false);
        Ok(keypad.over().await)
    })
}

fn ask_in(element: &HtmlElement, given: &JsValue) -> Result<Rc<Keypad>, Failure> {
    let operation = Operation::Ask;
    if let Some(given) = given.dyn_ref::<Object>() {
        let names = object::names(given).unwrap_or_default();
        for name in ["container", "ereceipt"] {
            if names.iter().any(|given| given == name) {
                let fault = [name, ": is not an option"].concat();
                return Err(Failure::invalid(operation, &fault));
            }
        }
    }
    let mut options: ReceiptOptions = options::read(given, operation)?;
    // Not the number: nobody would wipe an attribute. The page may call `ask` on anything.
    let attribute = |name| global::attribute(element.dyn_ref::<Element>()?, name);
    options.region = options.region.or_else(|| attribute("region"));
    options.locale = options.locale.or_else(|| attribute("locale"));
    options.keypad(operation)
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
        let operation = Operation::ReceiptFor;
        let mut options: ReceiptOptions = options::read(options, operation)?;
        let (container, ereceipt) = (options.container.take(), options.ereceipt.take());
        let keypad = options.keypad(operation)?;
        element::implement(ask);
        let before = self.receipt.replace(Rc::downgrade(&keypad)).upgrade();
        if let Some(before) = before {
            before.end(PrintReason::Replaced);
        }
        keypad.end_with(&self.inner.owner_signal());
        keypad.show_if(is_enabled(ereceipt, self.inner.clone()), container);
        Ok(keypad)
    }
}

/// What the call says, else what `create` was told, else the connection record.
async fn is_enabled(given: Option<Enabled>, client: Rc<Client>) -> Result<bool, JsValue> {
    match given.or_else(|| client.ereceipt.clone()) {
        Some(enabled) => enabled.is_enabled().await,
        None => Ok(client.connection.has_ereceipts().await?),
    }
}

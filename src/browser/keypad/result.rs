//! What the host is handed: the receipt, and the outcome.

use super::Keypad;
use crate::browser::old::{js, page};
use crate::keypad::ask::End;
use crate::keypad::words::Word;
use crate::phone::{self, Kind, Phone, Region};
use wasm_bindgen::JsValue;

/// Sets a property to a text, or to null.
pub fn put(object: &JsValue, name: &str, text: Option<&str>) {
    let value = text.map_or(JsValue::NULL, JsValue::from);
    js::set(object, name, value);
}

impl Keypad {
    /// What `onSend` gets.
    pub(super) fn receipt(&self) -> JsValue {
        let receipt = js::object();
        if let Some(phone) = self.ask.borrow().valid() {
            self.put_number(&receipt, phone, "kind");
        }
        receipt
    }

    /// The outcome.
    pub(super) fn result(&self, end: &End, cause: JsValue) -> JsValue {
        let result = js::object();
        let (kind, reason) = match end {
            End::Ereceipt(phone) => {
                self.put_number(&result, phone, "phoneKind");
                ("ereceipt", "")
            }
            End::Print(reason) => ("print", reason.as_str()),
            End::None(reason) => ("none", *reason),
        };
        js::set_text(&result, "kind", kind);
        js::set(&result, "print", matches!(end, End::Print(_)).into());
        if !reason.is_empty() {
            js::set_text(&result, "reason", reason);
        }
        js::set_text(&result, "orderId", &self.ask.borrow().settings.order_id);
        // A cast saturates, and cuts what no clock can tell.
        let elapsed = (page::now() - self.began) as u32;
        js::set(&result, "elapsedMs", elapsed.into());
        if !cause.is_undefined() {
            js::set(&result, "cause", cause);
        }
        js::freeze(&result);
        result
    }

    fn put_number(&self, object: &JsValue, phone: &Phone, kind: &str) {
        let order_id = &self.ask.borrow().settings.order_id;
        for (name, text) in &[
            ("orderId", Some(order_id.as_str())),
            ("phone", phone.e164.as_deref()),
            ("national", phone.national.as_deref()),
            ("region", phone.region.map(Region::code)),
            (kind, phone.kind.map(Kind::as_str)),
            ("metadataVersion", Some(phone::METADATA_VERSION)),
        ] {
            put(object, name, *text);
        }
        js::set(object, "consent", self.consent());
    }

    /// Given with the first press of "send", and not again when the host has accepted.
    fn consent(&self) -> JsValue {
        let mut consent = self.consent.borrow_mut();
        if consent.is_undefined() {
            let settings = &self.ask.borrow().settings;
            *consent = js::object();
            js::set_text(&consent, "id", &settings.consent_id);
            js::set_text(&consent, "locale", settings.words.locale);
            js::set_text(&consent, "text", settings.words.get(Word::Consent));
            let now = js::make("Date", &page::date()).unwrap_or_default();
            js::set(&consent, "at", now);
            js::freeze(&consent);
        }
        consent.clone()
    }
}

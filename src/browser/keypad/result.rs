//! What the host is handed: the receipt, and the outcome.

use super::Keypad;
use crate::browser::{global, object};
use crate::keypad::ask::End;
use crate::keypad::words::Word;
use crate::phone::{Kind, METADATA_VERSION, Phone, Region};
use js_sys::{Date, Object};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;

/// What `onSend` gets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Receipt<'a> {
    order_id: &'a str,
    phone: Option<&'a str>,
    national: Option<&'a str>,
    region: Option<&'static str>,
    kind: Option<&'static str>,
    metadata_version: &'static str,
    #[serde(with = "preserve")]
    consent: Object,
}

/// The outcome with a number.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ereceipt<'a> {
    order_id: &'a str,
    phone: Option<&'a str>,
    national: Option<&'a str>,
    region: Option<&'static str>,
    phone_kind: Option<&'static str>,
    metadata_version: &'static str,
    #[serde(with = "preserve")]
    consent: Object,
    kind: &'static str,
    print: bool,
    elapsed_ms: u32,
}

/// The outcome without one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NoEreceipt<'a> {
    kind: &'static str,
    print: bool,
    reason: &'static str,
    order_id: &'a str,
    elapsed_ms: u32,
    #[serde(with = "preserve", skip_serializing_if = "JsValue::is_undefined")]
    cause: JsValue,
}

/// What was agreed to.
#[derive(Serialize)]
struct Consent<'a> {
    id: &'a str,
    locale: &'a str,
    text: &'a str,
    #[serde(with = "preserve")]
    at: Date,
}

impl Keypad {
    /// What `onSend` gets. Empty without a valid number, with which nothing is sent.
    pub(super) fn receipt(&self) -> Object {
        let Some(phone) = self.ask.borrow().valid().cloned() else {
            return object::bare();
        };
        object::of(&Receipt {
            order_id: &self.order_id(),
            phone: phone.e164.as_deref(),
            national: phone.national.as_deref(),
            region: phone.region.map(Region::code),
            kind: phone.kind.map(Kind::as_str),
            metadata_version: METADATA_VERSION,
            consent: self.consent(),
        })
    }

    /// The outcome; `cause` is undefined if there is none.
    pub(super) fn result(&self, end: &End, cause: JsValue) -> Object {
        let result = match end {
            End::Ereceipt(phone) => self.ereceipt(phone),
            End::Print(reason) => self.no_ereceipt("print", reason.as_str(), cause),
            End::None(reason) => self.no_ereceipt("none", reason, cause),
        };
        Object::freeze(&result)
    }

    fn ereceipt(&self, phone: &Phone) -> Object {
        object::of(&Ereceipt {
            order_id: &self.order_id(),
            phone: phone.e164.as_deref(),
            national: phone.national.as_deref(),
            region: phone.region.map(Region::code),
            phone_kind: phone.kind.map(Kind::as_str),
            metadata_version: METADATA_VERSION,
            consent: self.consent(),
            kind: "ereceipt",
            print: false,
            elapsed_ms: self.elapsed_ms(),
        })
    }

    fn no_ereceipt(&self, kind: &'static str, reason: &'static str, cause: JsValue) -> Object {
        object::of(&NoEreceipt {
            kind,
            print: kind == "print",
            reason,
            order_id: &self.order_id(),
            elapsed_ms: self.elapsed_ms(),
            cause,
        })
    }

    /// Given with the first press of "send", and not again when the host has accepted.
    fn consent(&self) -> Object {
        let consent = self.consent.get_or_init(|| {
            let settings = &self.ask.borrow().settings;
            let consent = object::of(&Consent {
                id: &settings.consent_id,
                locale: settings.words.tag(),
                text: settings.words.get(Word::Consent),
                at: Date::new_0(),
            });
            Object::freeze(&consent)
        });
        consent.clone()
    }

    /// A copy: no borrow is held while an object is made.
    fn order_id(&self) -> String {
        self.ask.borrow().settings.order_id.clone()
    }

    fn elapsed_ms(&self) -> u32 {
        // A cast saturates, and drops the fraction.
        (global::now() - self.began) as u32
    }
}

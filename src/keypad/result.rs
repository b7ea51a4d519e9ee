//! What the host is handed: the receipt, and the outcome.

use super::Keypad;
use super::prompt::End;
use super::texts::TextKey;
use crate::core::global;
use crate::core::object::{self, text_or_null};
use crate::phone::{Kind, METADATA_VERSION, Phone, Region};
use js_sys::{Date, Object};
use wasm_bindgen::prelude::*;

impl Keypad {
    /// What `onSend` gets. Empty without a valid number, with which nothing is sent.
    pub(super) fn receipt(&self) -> Object {
        let Some(phone) = self.prompt.borrow().valid().cloned() else {
            return object::null_prototype();
        };
        self.numbered(&phone, "kind")
    }

    /// What `onScan` gets: the hash of the code's link, never the link.
    pub(super) fn scan(&self) -> Object {
        let hash = self.code.get().map(|code| code.link_hash().into());
        let scan = self.unnumbered("qr");
        object::fill(&scan, &[("linkHash", hash.unwrap_or_default())]);
        scan
    }

    /// The outcome; `cause` is undefined if there is none.
    pub(super) fn result(&self, end: &End, cause: JsValue) -> Object {
        let result = match end {
            End::Ereceipt(phone) => {
                let result = self.numbered(phone, "phoneKind");
                object::fill(&result, &[("kind", "ereceipt".into())]);
                result
            }
            End::Scanned => self.scan(),
            End::Print(reason) => self.no_ereceipt("print", reason.as_str(), cause),
            End::None(reason) => self.no_ereceipt("none", reason, cause),
        };
        let more = [
            ("print", matches!(end, End::Print(_)).into()),
            ("elapsedMs", self.elapsed_ms().into()),
        ];
        object::fill(&result, &more);
        Object::freeze(&result)
    }

    /// The number and what was agreed to.
    fn numbered(&self, phone: &Phone, kind: &str) -> Object {
        object::of(&[
            ("orderId", self.order_id().into()),
            ("phone", text_or_null(phone.e164.as_deref())),
            ("national", text_or_null(phone.national.as_deref())),
            ("region", text_or_null(phone.region.map(Region::code))),
            (kind, text_or_null(phone.kind.map(Kind::as_str))),
            ("metadataVersion", METADATA_VERSION.into()),
            ("consent", self.consent().into()),
        ])
    }

    fn no_ereceipt(&self, kind: &str, reason: &str, cause: JsValue) -> Object {
        let result = self.unnumbered(kind);
        object::fill(&result, &[("reason", reason.into()), ("cause", cause)]);
        result
    }

    /// What a result without a number begins with.
    fn unnumbered(&self, kind: &str) -> Object {
        let settings = self.prompt.borrow().settings.clone();
        object::of(&[
            ("kind", kind.into()),
            ("orderId", settings.order_id.as_str().into()),
            ("locale", settings.texts.tag().into()),
        ])
    }

    /// Given with the first press of "send", and not again when the host has accepted.
    fn consent(&self) -> Object {
        let consent = self.consent.get_or_init(|| {
            let settings = &self.prompt.borrow().settings;
            let consent = object::of(&[
                ("id", settings.consent_id.as_str().into()),
                ("locale", settings.texts.tag().into()),
                ("text", settings.texts.get(TextKey::Consent).into()),
                ("at", Date::new_0().into()),
            ]);
            Object::freeze(&consent)
        });
        consent.clone()
    }

    /// A copy: no borrow is held while an object is made.
    fn order_id(&self) -> String {
        self.prompt.borrow().settings.order_id.clone()
    }

    fn elapsed_ms(&self) -> u32 {
        // A cast saturates, and drops the fraction.
        (global::now() - self.began) as u32
    }
}

//! Seals a shopper's number for the service, which alone can open it: HPKE (RFC 9180) with the browser's own elliptic
//! curve, HMAC and AES. What comes in between is in `crate::hpke`.

use super::object;
use super::vault::{Failed, settled, subtle};
use crate::hpke::{self, to_base64url};
use crate::outbox::Entry;
use js_sys::{Array, JSON, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::CryptoKey;

const ERECEIPT: &str = "ereceipt";
const PHONE: &str = "phone";
const SEALED: &str = "sealed";
const EXTERNAL_ID: &str = "externalId";
/// Of a Diffie-Hellman value of P-256: 32 bytes (RFC 9180 §7.1, Ndh).
const DH_BITS: u32 = 256;

/// The service's key that numbers are sealed for, in its answer; undefined if there is none.
pub fn key_in(answer: &str) -> JsValue {
    let answer = JSON::parse(answer).unwrap_or_default();
    member(&member(&answer, "keys"), "0")
}

/// Seals the number in an order, if it has a plain one. What fails leaves the order as it is.
pub async fn seal_number(entry: &mut Entry, key: &JsValue) -> Result<(), Failed> {
    let body = Object::from(JSON::parse(&entry.body)?);
    let ereceipt = member(&body, ERECEIPT);
    if let Some(phone) = member(&ereceipt, PHONE).as_string() {
        let ereceipt: &Object = ereceipt.unchecked_ref();
        let text = |name| member(key, name).as_string().unwrap_or_default();
        let sealing = Sealing {
            key,
            public: hpke::from_base64url(&text("publicKey")).ok_or(Failed)?,
            info: text("info"),
            external_id: &entry.external_id,
            phone: &phone,
            values: Vec::new(),
            macs: Vec::new(),
        };
        let sealed = sealing.run().await?;
        set(ereceipt, SEALED, &sealed);
        Reflect::delete_property(ereceipt, &PHONE.into())?;
        entry.body = object::stringify(&body)?;
    }
    Ok(())
}

/// Says in an e-receipt, which moves to another order, whose its number was: it opens with that order's id alone.
pub fn name_first_order(ereceipt: &JsValue, order: &Object) {
    let sealed = member(ereceipt, SEALED);
    if sealed.is_object() && member(&sealed, EXTERNAL_ID).is_undefined() {
        set(
            sealed.unchecked_ref(),
            EXTERNAL_ID,
            &member(order, EXTERNAL_ID),
        );
    }
}

/// `SealBase` (RFC 9180 §6.1), with a key pair of its own for each number.
struct Sealing<'s> {
    key: &'s JsValue,
    public: Vec<u8>,
    info: String,
    external_id: &'s str,
    phone: &'s str,
    /// What the browser gave, step by step.
    values: Vec<JsValue>,
    /// The HMACs among these.
    macs: Vec<Vec<u8>>,
}

/// Before the HMACs: the recipient's key, a key pair, its public half, and the Diffie-Hellman value. Each HMAC is two
/// steps, an imported key and the value; after them, the key is imported and the number encrypted.
const FIRST: usize = 4;
const LAST: usize = FIRST + 2 * hpke::STEPS + 1;

impl Sealing<'_> {
    /// All steps, in one loop: each place where a future waits costs more than what a step does.
    async fn run(mut self) -> Result<Object, Failed> {
        while self.values.len() <= LAST {
            let value = settled(self.next()).await?;
            let count = self.values.len();
            if (FIRST..LAST).contains(&count) && count % 2 != FIRST % 2 {
                self.macs.push(bytes_of(&value));
            }
            self.values.push(value);
        }
        let sealed = object::bare();
        set(&sealed, "keyId", &member(self.key, "keyId"));
        for (name, at) in [("enc", 2), ("ciphertext", LAST)] {
            set(
                &sealed,
                name,
                &to_base64url(&bytes_of(&self.value(at))).into(),
            );
        }
        Ok(sealed)
    }

    /// Begins the next step.
    fn next(&self) -> Result<Promise, JsValue> {
        let subtle = subtle().map_err(|_| JsValue::UNDEFINED)?;
        let curve = algorithm("ECDH", "namedCurve", &"P-256".into());
        let half = |name| member(&self.value(1), name).unchecked_into::<CryptoKey>();
        let import = |key: &[u8], algorithm: &Object, usages: &Array| {
            subtle.import_key_with_object("raw", &bytes(key), algorithm, false, usages)
        };
        let usages = |usage: &str| Array::of1(&usage.into());
        match self.values.len() {
            0 => import(&self.public, &curve, &Array::new()),
            1 => subtle.generate_key_with_object(&curve, false, &usages("deriveBits")),
            2 => subtle.export_key("raw", &half("publicKey")),
            3 => {
                let exchange = algorithm("ECDH", "public", &self.value(0));
                subtle.derive_bits_with_object(&exchange, &half("privateKey"), DH_BITS)
            }
            at if at < LAST - 1 => {
                let hash = algorithm("HMAC", "hash", &"SHA-256".into());
                let (dh, enc) = (bytes_of(&self.value(3)), bytes_of(&self.value(2)));
                let parts = [&dh[..], &enc, &self.public, self.info.as_bytes()];
                let (key, text) = hpke::step(&self.macs, parts).ok_or(JsValue::UNDEFINED)?;
                match at % 2 == FIRST % 2 {
                    true => import(&key, &hash, &usages("sign")),
                    false => {
                        let key = self.value(at - 1).unchecked_into();
                        subtle.sign_with_object_and_js_u8_array(&hash, &key, &bytes(&text))
                    }
                }
            }
            at => {
                let cipher = self.cipher();
                if at < LAST {
                    let key = self.mac(1).get(..hpke::KEY_BYTES);
                    return import(key.unwrap_or_default(), &cipher, &usages("encrypt"));
                }
                let (key, phone) = (self.value(at - 1), bytes(self.phone.as_bytes()));
                let key = key.unchecked_into();
                subtle.encrypt_with_object_and_js_u8_array(&cipher, &key, &phone)
            }
        }
    }

    fn cipher(&self) -> Object {
        let nonce = self.mac(0).get(..hpke::NONCE_BYTES);
        let cipher = algorithm("AES-GCM", "iv", &bytes(nonce.unwrap_or_default()));
        let external_id = bytes(self.external_id.as_bytes());
        set(&cipher, "additionalData", &external_id);
        cipher
    }

    /// One of the HMACs, counted from the last one.
    fn mac(&self, from_end: usize) -> &[u8] {
        self.macs
            .iter()
            .rev()
            .nth(from_end)
            .map_or(&[], Vec::as_slice)
    }

    fn value(&self, at: usize) -> JsValue {
        self.values.get(at).cloned().unwrap_or_default()
    }
}

fn algorithm(name: &str, parameter: &str, value: &JsValue) -> Object {
    let algorithm: Object = object::bare();
    set(&algorithm, "name", &name.into());
    set(&algorithm, parameter, value);
    algorithm
}

/// On objects without a prototype, it cannot fail.
fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

/// A member of what has no prototype; undefined of what is no object.
fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or_default()
}

fn bytes(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}

fn bytes_of(buffer: &JsValue) -> Vec<u8> {
    Uint8Array::new(buffer).to_vec()
}

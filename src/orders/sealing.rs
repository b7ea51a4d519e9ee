//! Seals a shopper's number for the service, which alone can open it: HPKE (RFC 9180) with the browser's own elliptic
//! curve, HMAC and AES. What comes in between is in `crate::orders::hpke`.

use super::hpke::{self, to_base64url};
use super::queued_order::QueuedOrder;
use crate::core::object::{self, get, set, text};
use crate::vault::StorageError;
use crate::vault::seal::{algorithm, cipher, settled, subtle};
use js_sys::{Array, JSON, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::CryptoKey;

const ERECEIPT: &str = "ereceipt";
const PHONE: &str = "phone";
const SEALED: &str = "sealed";
const EXTERNAL_ID: &str = "externalId";
/// The length of a Diffie-Hellman value of P-256: 32 bytes (RFC 9180 §7.1, Ndh).
const DH_BITS: u32 = 256;

/// Seals the number in an order, if it has a plain one. What fails leaves the order as it is.
pub async fn seal_number(entry: &mut QueuedOrder, key: &JsValue) -> Result<(), StorageError> {
    let body = Object::from(JSON::parse(&entry.body)?);
    let ereceipt = get(&body, ERECEIPT);
    if let Some(phone) = get(&ereceipt, PHONE).as_string() {
        let ereceipt: &Object = ereceipt.unchecked_ref();
        let sealed = sealed(key, &entry.external_id, &phone).await?;
        set(ereceipt, SEALED, &sealed);
        Reflect::delete_property(ereceipt, &PHONE.into())?;
        entry.body = object::stringify(&body)?;
    }
    Ok(())
}

/// Says in an e-receipt, which moves to another order, whose its number was: it opens with that order's id alone.
pub fn name_first_order(ereceipt: &JsValue, order: &Object) {
    let sealed = get(ereceipt, SEALED);
    if sealed.is_object() && get(&sealed, EXTERNAL_ID).is_undefined() {
        set(
            sealed.unchecked_ref(),
            EXTERNAL_ID,
            &get(order, EXTERNAL_ID),
        );
    }
}

/// `SealBase` (RFC 9180 §6.1), with a key pair of its own for each number.
async fn sealed(key: &JsValue, external_id: &str, phone: &str) -> Result<Object, StorageError> {
    let (public, info) = (text(key, "publicKey"), text(key, "info"));
    let public = hpke::from_base64url(&public).ok_or(StorageError)?;
    let subtle = subtle()?;
    let curve = algorithm("ECDH", "namedCurve", &"P-256".into());
    let recipient = imported(&public, &curve, &Array::new()).await?;
    let usages = Array::of1(&"deriveBits".into());
    let pair = settled(subtle.generate_key_with_object(&curve, false, &usages)).await?;
    let half = |name| get(&pair, name).unchecked_into::<CryptoKey>();
    let enc = bytes_of(&settled(subtle.export_key("raw", &half("publicKey"))).await?);
    let exchange = algorithm("ECDH", "public", &recipient);
    let dh = subtle.derive_bits_with_object(&exchange, &half("privateKey"), DH_BITS);
    let exchange = hpke::Exchange {
        dh: &bytes_of(&settled(dh).await?),
        enc: &enc,
        public: &public,
        info: info.as_bytes(),
    };
    let (content_key, nonce) = hpke::set_up(hmac, &exchange).await?;
    let cipher = cipher(&bytes(&nonce), external_id.as_bytes());
    let usages = Array::of1(&"encrypt".into());
    let content_key = imported(&content_key, &cipher, &usages).await?;
    let phone = bytes(phone.as_bytes());
    let sealing = subtle.encrypt_with_object_and_js_u8_array(&cipher, &content_key, &phone);
    let ciphertext = bytes_of(&settled(sealing).await?);
    let sealed = object::null_prototype();
    set(&sealed, "keyId", &get(key, "keyId"));
    for (name, bytes) in [("enc", &enc), ("ciphertext", &ciphertext)] {
        set(&sealed, name, &to_base64url(bytes).into());
    }
    Ok(sealed)
}

async fn hmac(key: &[u8], text: &[u8]) -> Result<Vec<u8>, StorageError> {
    let hash = algorithm("HMAC", "hash", &"SHA-256".into());
    let key = imported(key, &hash, &Array::of1(&"sign".into())).await?;
    let signing = subtle()?.sign_with_object_and_js_u8_array(&hash, &key, &bytes(text));
    Ok(bytes_of(&settled(signing).await?))
}

async fn imported(
    key: &[u8],
    algorithm: &Object,
    usages: &Array,
) -> Result<CryptoKey, StorageError> {
    let subtle = subtle()?;
    let importing = subtle.import_key_with_object("raw", &bytes(key), algorithm, false, usages);
    Ok(settled(importing).await?.unchecked_into())
}

fn bytes(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}

fn bytes_of(buffer: &JsValue) -> Vec<u8> {
    Uint8Array::new(buffer).to_vec()
}

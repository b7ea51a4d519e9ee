//! Seals entries with AES-GCM, under a key that can't be exported. The id is bound to its entry as additional data.

use super::StorageError;
use super::storage::Found;
use crate::core::object::{self, get};
use js_sys::{Array, ArrayBuffer, Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Crypto, CryptoKey, SubtleCrypto};

const ALGORITHM: &str = "AES-GCM";
const KEY_BITS: u16 = 256;
/// NIST SP 800-38D §5.2.1.1 recommends 96 bits.
const IV_BYTES: usize = 12;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = crypto)]
    static CRYPTO: Option<Crypto>;
}

fn crypto() -> Result<Crypto, StorageError> {
    CRYPTO.with(Clone::clone).ok_or(StorageError)
}

/// What a promise of the browser resolves with.
pub async fn settled(promise: Result<Promise, JsValue>) -> Result<JsValue, StorageError> {
    Ok(JsFuture::from(promise?).await?)
}

/// Where there is none, in an insecure context, all its methods fail.
pub fn subtle() -> Result<SubtleCrypto, StorageError> {
    Ok(crypto()?.subtle())
}

/// 128 random bits, in letters that a `pickup_id` may have.
pub fn random_letters() -> Result<String, StorageError> {
    let mut bytes = [0; 16];
    crypto()?.get_random_values_with_u8_array(&mut bytes)?;
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers = numbers.iter().map(|four| u32::from_le_bytes(*four));
    let letters: Vec<_> = numbers.map(|number| number.to_string()).collect();
    Ok(letters.join("-"))
}

/// A new key.
pub async fn generate() -> Result<CryptoKey, StorageError> {
    let usages = Array::of2(&"encrypt".into(), &"decrypt".into());
    let algorithm = algorithm(ALGORITHM, "length", &KEY_BITS.into());
    let made = subtle()?.generate_key_with_object(&algorithm, false, &usages);
    Ok(settled(made).await?.unchecked_into())
}

/// Seals the text of an entry, as the store keeps it: outside the seal is only the id.
pub async fn sealed(key: &CryptoKey, id: &str, text: &str) -> Result<Object, StorageError> {
    let iv = Uint8Array::new_with_length(IV_BYTES as u32);
    crypto()?.get_random_values_with_js_u8_array(&iv)?;
    // A copy: a view of the module's memory would be empty once that grows.
    let text = Uint8Array::from(text.as_bytes());
    let cipher = cipher(&iv, id.as_bytes());
    let sealing = subtle()?.encrypt_with_object_and_js_u8_array(&cipher, key, &text);
    let sealed = settled(sealing).await?;
    let row: Object = object::null_prototype();
    object::fill(
        &row,
        &[("id", id.into()), ("iv", iv.into()), ("sealed", sealed)],
    );
    Ok(row)
}

/// Opens a row of the store.
pub async fn opened(key: &CryptoKey, row: &JsValue) -> Found {
    let text = text_of(key, row).await.ok();
    Found {
        id: object::text(row, "id"),
        version: version(row).filter(|_| text.is_some()).unwrap_or_default(),
        text,
    }
}

/// What no two writes of an entry have in common: the random start of its seal.
pub fn version(row: &JsValue) -> Option<Vec<u8>> {
    Some(get(row, "iv").dyn_into::<Uint8Array>().ok()?.to_vec())
}

async fn text_of(key: &CryptoKey, row: &JsValue) -> Result<String, StorageError> {
    let iv: Uint8Array = get(row, "iv").dyn_into()?;
    let sealed: ArrayBuffer = get(row, "sealed").dyn_into()?;
    let cipher = cipher(&iv, object::text(row, "id").as_bytes());
    let opening = subtle()?.decrypt_with_object_and_buffer_source(&cipher, key, &sealed);
    let opened = settled(opening).await?;
    String::from_utf8(Uint8Array::new(&opened).to_vec()).map_err(|_| StorageError)
}

/// AES-GCM that is bound to what stands outside.
pub fn cipher(iv: &Uint8Array, outside: &[u8]) -> Object {
    let cipher = algorithm(ALGORITHM, "iv", iv);
    let outside = Uint8Array::from(outside);
    object::set(&cipher, "additionalData", &outside);
    cipher
}

/// An algorithm with one parameter, as WebCrypto takes it.
pub fn algorithm(name: &str, parameter: &str, value: &JsValue) -> Object {
    let algorithm: Object = object::null_prototype();
    object::set(&algorithm, "name", &name.into());
    object::set(&algorithm, parameter, value);
    algorithm
}

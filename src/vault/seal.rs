//! Seals entries with AES-GCM, under a key that can't be exported. The id is bound to its entry as additional data.

use super::StorageError;
use super::storage::Found;
use crate::core::object;
use js_sys::{Array, ArrayBuffer, Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AesGcmParams, AesKeyGenParams, Crypto, CryptoKey, SubtleCrypto};

const ALGORITHM: &str = "AES-GCM";
const KEY_BITS: u16 = 256;
/// NIST SP 800-38D §5.2.1.1 recommends 96 bits.
const IV_BYTES: usize = 12;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = crypto)]
    static CRYPTO: Option<Crypto>;

    /// A sealed entry, as the store keeps it. Outside the seal is only the id.
    #[wasm_bindgen(extends = Object)]
    pub type Row;
    #[wasm_bindgen(method, getter)]
    fn id(this: &Row) -> JsValue;
    #[wasm_bindgen(method, setter)]
    fn set_id(this: &Row, id: &str);
    #[wasm_bindgen(method, getter)]
    fn iv(this: &Row) -> Uint8Array;
    #[wasm_bindgen(method, setter)]
    fn set_iv(this: &Row, iv: &Uint8Array);
    #[wasm_bindgen(method, getter)]
    fn sealed(this: &Row) -> ArrayBuffer;
    #[wasm_bindgen(method, setter)]
    fn set_sealed(this: &Row, sealed: &JsValue);
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
    let algorithm = object::null_prototype::<AesKeyGenParams>();
    algorithm.set_name(ALGORITHM);
    algorithm.set_length(KEY_BITS);
    let subtle = crypto()?.subtle();
    let made = settled(subtle.generate_key_with_object(&algorithm, false, &usages));
    Ok(made.await?.unchecked_into())
}

/// Seals the text of an entry.
pub async fn sealed(key: &CryptoKey, id: &str, text: &str) -> Result<Row, StorageError> {
    let iv = Uint8Array::new_with_length(IV_BYTES as u32);
    let crypto = crypto()?;
    crypto.get_random_values_with_js_u8_array(&iv)?;
    let parameters = parameters(&iv, id);
    let subtle = crypto.subtle();
    // A copy: a view of the module's memory would be empty once that grows.
    let text = Uint8Array::from(text.as_bytes());
    let sealing = subtle.encrypt_with_object_and_js_u8_array(&parameters, key, &text);
    let sealed = settled(sealing).await?;
    let row: Row = object::null_prototype();
    row.set_id(id);
    row.set_iv(&iv);
    row.set_sealed(&sealed);
    Ok(row)
}

/// Opens a row of the store.
pub async fn opened(key: &CryptoKey, row: &Row) -> Found {
    let text = text_of(key, row).await.ok();
    Found {
        id: row.id().as_string().unwrap_or_default(),
        version: version(row).filter(|_| text.is_some()).unwrap_or_default(),
        text,
    }
}

/// What no two writes of an entry have in common: the random start of its seal.
pub fn version(row: &JsValue) -> Option<Vec<u8>> {
    let row: &Row = row.dyn_ref::<Object>()?.unchecked_ref();
    Some(row.iv().dyn_into::<Uint8Array>().ok()?.to_vec())
}

async fn text_of(key: &CryptoKey, row: &Row) -> Result<String, StorageError> {
    let id = row.id().as_string().ok_or(StorageError)?;
    let parameters = parameters(&row.iv(), &id);
    let subtle = crypto()?.subtle();
    let opening = subtle.decrypt_with_object_and_buffer_source(&parameters, key, &row.sealed());
    let opened = settled(opening).await?;
    String::from_utf8(Uint8Array::new(&opened).to_vec()).map_err(|_| StorageError)
}

fn parameters(iv: &Uint8Array, id: &str) -> AesGcmParams {
    let parameters = object::null_prototype::<AesGcmParams>();
    parameters.set_name(ALGORITHM);
    parameters.set_iv_u8_array(iv);
    parameters.set_additional_data_u8_array(&Uint8Array::from(id.as_bytes()));
    parameters
}

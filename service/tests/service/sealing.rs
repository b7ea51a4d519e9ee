//! What a till does with a number before it sends it.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use hpke::aead::AesGcm128;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256;
use hpke::{Deserializable, Kem, OpModeS, Serializable, single_shot_seal};
use serde_json::{Value, json};

/// Seals a number as any HPKE library does.
pub fn sealed(key: &Value, external_id: &str, phone: &str) -> Value {
    type Public = <DhP256HkdfSha256 as Kem>::PublicKey;
    let text = |name: &str| key[name].as_str().unwrap();
    let public = BASE64.decode(text("publicKey")).unwrap();
    let (enc, ciphertext) = single_shot_seal::<AesGcm128, HkdfSha256, DhP256HkdfSha256>(
        &OpModeS::Base,
        &Public::from_bytes(&public).unwrap(),
        text("info").as_bytes(),
        phone.as_bytes(),
        external_id.as_bytes(),
    )
    .unwrap();
    json!({"keyId": key["keyId"], "enc": BASE64.encode(enc.to_bytes()), "ciphertext": BASE64.encode(ciphertext)})
}

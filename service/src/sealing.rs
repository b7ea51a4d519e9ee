//! A shopper's number that a till has sealed for this service: HPKE in base mode (RFC 9180).

use crate::token::Hash;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use hpke::aead::AesGcm128;
use hpke::kdf::HkdfSha256;
use hpke::kem::DhP256HkdfSha256;
use hpke::{Deserializable, Kem, OpModeR, Serializable, single_shot_open};
use pos_connect_protocol::sealing::{AEAD, KDF, KEM, Sealed, SealingKey};

type PrivateKey = <DhP256HkdfSha256 as Kem>::PrivateKey;
type Encapsulated = <DhP256HkdfSha256 as Kem>::EncappedKey;

/// A new pair: the private key as RFC 9180 §7.1 serializes it, and the public one as tills are told of it.
pub(crate) fn new_pair() -> (Vec<u8>, String) {
    let (private, public) = DhP256HkdfSha256::gen_keypair();
    (
        private.to_bytes().to_vec(),
        BASE64.encode(public.to_bytes()),
    )
}

/// A public key, as a vendor's till for one store is told of it.
pub(crate) fn sealing_key(key_id: String, public_key: String, info: String) -> SealingKey {
    SealingKey {
        key_id,
        kem: KEM,
        kdf: KDF,
        aead: AEAD,
        public_key,
        info,
    }
}

/// What a number is bound to beside its order: one that waits in a till opens for no other vendor and no other store.
pub(crate) fn info(client_id: &str, store_id: &str) -> String {
    format!("pos-connect phone v1 {client_id} {store_id}")
}

/// A hash that a till has written; `None` if it is none.
pub(crate) fn hash(text: &str) -> Option<Hash> {
    let bytes = BASE64.decode(text).ok()?;
    Some(Hash::from_bytes(bytes.try_into().ok()?))
}

/// Opens a number; `None` if it was sealed for another vendor, store or order, or is damaged.
pub(crate) fn open(
    private: &[u8],
    info: &str,
    external_id: &str,
    sealed: &Sealed,
) -> Option<String> {
    let private = PrivateKey::from_bytes(private).ok()?;
    let encapsulated = BASE64.decode(&sealed.enc).ok()?;
    let encapsulated = Encapsulated::from_bytes(&encapsulated).ok()?;
    let opened = single_shot_open::<AesGcm128, HkdfSha256, DhP256HkdfSha256>(
        &OpModeR::Base,
        &private,
        &encapsulated,
        info.as_bytes(),
        &BASE64.decode(&sealed.ciphertext).ok()?,
        external_id.as_bytes(),
    );
    String::from_utf8(opened.ok()?).ok()
}

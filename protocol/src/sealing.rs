//! A shopper's number that only the service can open (extension): HPKE in base mode (RFC 9180), one message for each
//! encapsulated key. `info` is what the service says, the additional data is the order's external id.

use crate::body::{BodyFault, Members};
use crate::json::Json;
use crate::order::LONGEST_ID;
use serde::{Deserialize, Serialize};

/// DHKEM(P-256, HKDF-SHA256), RFC 9180 §7.1.
pub const KEM: u16 = 0x0010;
/// HKDF-SHA256, RFC 9180 §7.2.
pub const KDF: u16 = 0x0001;
/// AES-128-GCM, RFC 9180 §7.3.
pub const AEAD: u16 = 0x0001;

/// Longest id of a key, in characters.
const LONGEST_KEY_ID: usize = 64;
/// Longest part of a sealed number, in characters: a point of P-256 has 65 bytes, which are 87 of base64url.
const LONGEST_PART: usize = 128;

/// Answer at [`path::KEYS`](crate::path::KEYS): what a till needs so that an order waits in it, and its receipt with
/// it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KeysResponse {
    /// Always true.
    pub success: bool,
    /// What to seal for: the first. All of this list have the algorithms that this module names; keys for others would
    /// stand elsewhere.
    pub keys: Vec<SealingKey>,
    /// What the link of a receipt begins with that a till makes; absent if it can make none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt_url: Option<String>,
}

/// A public key of the service.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SealingKey {
    /// Names it.
    pub key_id: String,
    /// [`KEM`].
    pub kem: u16,
    /// [`KDF`].
    pub kdf: u16,
    /// [`AEAD`].
    pub aead: u16,
    /// The key as RFC 9180 §7.1.1 serializes it, in base64url without padding.
    pub public_key: String,
    /// HPKE's `info`, as UTF-8. It names vendor and store: a number that is sealed with it opens for no others.
    pub info: String,
}

/// A sealed number. Its plaintext is the E.164 number as UTF-8.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Sealed {
    /// Which key of the service it is sealed for.
    pub key_id: String,
    /// The encapsulated key, in base64url without padding.
    pub enc: String,
    /// The number, encrypted, in base64url without padding.
    pub ciphertext: String,
    /// The external id that the number was sealed with, if the order has been given another one since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

impl Sealed {
    pub(crate) fn read(json: &Json, pointer: &str) -> Result<Self, BodyFault> {
        let mut members = Members::of(json, pointer)?;
        let sealed = Self {
            key_id: members.text("keyId", LONGEST_KEY_ID)?,
            enc: members.text("enc", LONGEST_PART)?,
            ciphertext: members.text("ciphertext", LONGEST_PART)?,
            external_id: members.optional_text("externalId", LONGEST_ID)?,
        };
        members.end()?;
        Ok(sealed)
    }
}

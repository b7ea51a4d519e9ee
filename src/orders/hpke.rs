//! HPKE (RFC 9180) for one message: base mode, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM. What a sender
//! computes between the Diffie-Hellman value and the encryption; these two are the platform's, and so is HMAC-SHA256.

use pos_connect_protocol::sealing::{AEAD, KDF, KEM};

/// Nk of AES-128-GCM (RFC 9180 §7.3).
pub const KEY_BYTES: usize = 16;
/// Nn of AES-128-GCM.
pub const NONCE_BYTES: usize = 12;
/// Nh of HKDF-SHA256 (RFC 9180 §7.2).
const HASH_BYTES: usize = 32;
/// RFC 5869 §2.2: the salt that stands for none.
const NO_SALT: &[u8] = &[0; HASH_BYTES];

/// What two key pairs have made of one another, each public key as a point of 65 bytes.
pub struct Exchange<'e> {
    /// The Diffie-Hellman value.
    pub dh: &'e [u8],
    /// The sender's public key, which goes with the ciphertext.
    pub enc: &'e [u8],
    /// The recipient's.
    pub public: &'e [u8],
    /// What the recipient says of itself.
    pub info: &'e [u8],
}

/// The AES key and the nonce of `SetupBaseS` (RFC 9180 §5.1.1). `hmac` is HMAC-SHA256, of a key and a text.
///
/// ```ignore
/// let exchange = Exchange { dh: &dh, enc: &enc, public: &public, info: b"" };
/// let (key, nonce) = set_up(hmac, &exchange).await?;
/// ```
pub async fn set_up<E>(
    hmac: impl AsyncFn(&[u8], &[u8]) -> Result<Vec<u8>, E>,
    exchange: &Exchange<'_>,
) -> Result<(Vec<u8>, Vec<u8>), E> {
    // §4.1, ExtractAndExpand.
    let suite = [b"KEM", &KEM.to_be_bytes()[..]].concat();
    let prk = hmac(NO_SALT, &extract(&suite, "eae_prk", exchange.dh)).await?;
    let points = [exchange.enc, exchange.public].concat();
    let text = expand(&suite, "shared_secret", &points, HASH_BYTES);
    let shared_secret = hmac(&prk, &text).await?;
    // §5.1, KeySchedule: mode_base is 0, and there is no PSK.
    let all = [KEM, KDF, AEAD].map(u16::to_be_bytes);
    let suite = [b"HPKE", all.as_flattened()].concat();
    let psk_id = hmac(NO_SALT, &extract(&suite, "psk_id_hash", &[])).await?;
    let info = hmac(NO_SALT, &extract(&suite, "info_hash", exchange.info)).await?;
    let context = [&[0][..], &psk_id, &info].concat();
    let secret = hmac(&shared_secret, &extract(&suite, "secret", &[])).await?;
    let mut key = hmac(&secret, &expand(&suite, "key", &context, KEY_BYTES)).await?;
    let text = expand(&suite, "base_nonce", &context, NONCE_BYTES);
    let mut nonce = hmac(&secret, &text).await?;
    key.truncate(KEY_BYTES);
    nonce.truncate(NONCE_BYTES);
    Ok((key, nonce))
}

/// The text of LabeledExtract (RFC 9180 §4).
fn extract(suite: &[u8], label: &str, text: &[u8]) -> Vec<u8> {
    [b"HPKE-v1", suite, label.as_bytes(), text].concat()
}

/// The text of LabeledExpand. One block of HKDF-Expand (RFC 5869 §2.3) is enough for `length` bytes.
fn expand(suite: &[u8], label: &str, text: &[u8], length: usize) -> Vec<u8> {
    [&[0, length as u8], &extract(suite, label, text)[..], &[1]].concat()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64url without padding (RFC 4648 §5).
pub fn to_base64url(bytes: &[u8]) -> String {
    let mut text = String::new();
    for some in bytes.chunks(3) {
        let byte = |at: usize| some.get(at).map_or(0, |byte| u32::from(*byte));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=some.len() {
            let index = bits >> (18 - 6 * at) & 63;
            text.extend(
                ALPHABET
                    .get(index as usize)
                    .map(|letter| char::from(*letter)),
            );
        }
    }
    text
}

/// What such a text says; `None` if it has another letter.
pub fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0, 0);
    for letter in text.bytes() {
        let index = ALPHABET.iter().position(|known| *known == letter)?;
        bits = (bits << 6 | index) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

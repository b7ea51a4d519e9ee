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
/// How many steps there are. The last but one gives the key, and the last one the nonce, each with bytes to spare.
pub const STEPS: usize = 7;

/// Key and text of the next HMAC of `SetupBaseS` (RFC 9180 §5.1.1), from the values of those before. `dh` is the
/// Diffie-Hellman value, `enc` the sender's public key, `public` the recipient's, each as a point of 65 bytes.
pub fn step(values: &[Vec<u8>], [dh, enc, public, info]: [&[u8]; 4]) -> Option<(Vec<u8>, Vec<u8>)> {
    let kem = || [b"KEM", &KEM.to_be_bytes()[..]].concat();
    let all = || {
        [
            b"HPKE",
            [KEM, KDF, AEAD].map(u16::to_be_bytes).as_flattened(),
        ]
        .concat()
    };
    // §5.1: mode_base is 0, and there is no PSK.
    let schedule = || Some([&[0][..], values.get(2)?, values.get(3)?].concat());
    let (key, length, suite, label, text) = match values.len() {
        // §4.1, ExtractAndExpand.
        0 => (None, 0, kem(), "eae_prk", dh.to_vec()),
        1 => (
            Some(0),
            HASH_BYTES,
            kem(),
            "shared_secret",
            [enc, public].concat(),
        ),
        // §5.1, KeySchedule.
        2 => (None, 0, all(), "psk_id_hash", Vec::new()),
        3 => (None, 0, all(), "info_hash", info.to_vec()),
        4 => (Some(1), 0, all(), "secret", Vec::new()),
        5 => (Some(4), KEY_BYTES, all(), "key", schedule()?),
        _ => (Some(4), NONCE_BYTES, all(), "base_nonce", schedule()?),
    };
    let key = match key {
        Some(at) => values.get(at)?.clone(),
        None => NO_SALT.to_vec(),
    };
    // §4: LabeledExtract, and LabeledExpand with its length. One block of HKDF-Expand (RFC 5869 §2.3) is enough.
    let mut text = [b"HPKE-v1", &suite[..], label.as_bytes(), &text].concat();
    if length > 0 {
        text = [&[0, length as u8], &text[..], &[1]].concat();
    }
    Some((key, text))
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

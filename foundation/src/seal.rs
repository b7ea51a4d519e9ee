//! Encryption at rest. What has to be read back cannot be hashed: XChaCha20-Poly1305 under a key that is not in the
//! database.

use crate::token::{Hash, Kind};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::fmt;

const NONCE: usize = 24;
/// A sealed value is these bytes, the key's id, the nonce, and what was encrypted; an older one begins with the nonce.
const MARK: &[u8] = b"pc1";
const ID: usize = 4;

/// A sealed value could not be opened.
#[derive(Debug, Eq, PartialEq)]
pub enum Unreadable {
    /// It says that another key has sealed it.
    OtherKey {
        /// That key's id.
        sealed: String,
        /// The id of the key that was tried.
        tried: String,
    },
    /// Another row or purpose, a damaged value, or an older one under another key.
    Damaged,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKey { sealed, tried } => write!(
                f,
                "a stored value was encrypted with the key {sealed}, and this is the key {tried}"
            ),
            Self::Damaged => f.write_str("a stored value does not open with this key"),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Seals and opens. No `Debug`: it holds the key.
///
/// A `purpose` is a number that says what a value is; one of a kind never passes for another. Each program has an enum
/// of its own for it.
pub struct Sealer {
    cipher: XChaCha20Poly1305,
    id: [u8; ID],
    fingerprints: [u8; 32],
}

impl Sealer {
    /// Takes a key as [`Kind::Storage`] mints it, for one program; the error says what is wrong, never what it was
    /// given.
    pub fn new(program: &str, key: &str) -> Result<Self, String> {
        if Kind::Storage.digest(key).is_none() {
            return Err(format!(
                "this is not a storage key; `{program} key` makes one (pck_ and 49 more characters)"
            ));
        }
        // The text holds 256 random bits, so one hash is derivation enough; the prefix parts it from hashes of other
        // uses.
        let derived = |purpose: &str| -> [u8; 32] {
            let prefix = format!("{program} {purpose} v1\0");
            Sha256::new()
                .chain_update(prefix)
                .chain_update(key)
                .finalize()
                .into()
        };
        Ok(Self {
            cipher: XChaCha20Poly1305::new(&Key::from(derived("storage"))),
            fingerprints: derived("fingerprint"),
            id: first(derived("id")),
        })
    }

    /// Names the key; nothing to find it by.
    pub fn id(&self) -> String {
        shown(&self.id)
    }

    /// The secret of the fingerprints, which outlives the key: rows that are found by a fingerprint stay where they
    /// are.
    pub const fn fingerprint_secret(&self) -> &[u8; 32] {
        &self.fingerprints
    }

    /// This sealer with the fingerprints of an earlier key.
    #[must_use]
    pub fn with_fingerprint_secret(&self, fingerprints: [u8; 32]) -> Self {
        Self {
            fingerprints,
            id: self.id,
            cipher: self.cipher.clone(),
        }
    }

    /// What another key has sealed, sealed with this one.
    pub fn reseal(
        &self,
        from: &Self,
        purpose: impl Into<u8>,
        row: &Hash,
        sealed: &[u8],
    ) -> Result<Vec<u8>, Unreadable> {
        let purpose = purpose.into();
        self.seal(purpose, row, &from.open(purpose, row, sealed)?)
    }

    /// Encrypts for one row and purpose, under a nonce of its own.
    pub fn seal(
        &self,
        purpose: impl Into<u8>,
        row: &Hash,
        plain: &[u8],
    ) -> Result<Vec<u8>, Unreadable> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| Unreadable::Damaged)?;
        let aad = bound_to(purpose.into(), row);
        let payload = Payload {
            msg: plain,
            aad: &aad,
        };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| Unreadable::Damaged)?;
        Ok([MARK, &self.id, &nonce, &sealed].concat())
    }

    /// Decrypts what was sealed for the same row and purpose.
    pub fn open(
        &self,
        purpose: impl Into<u8>,
        row: &Hash,
        sealed: &[u8],
    ) -> Result<Vec<u8>, Unreadable> {
        let purpose = purpose.into();
        let marked = sealed.strip_prefix(MARK);
        let Some((id, rest)) = marked.and_then(|rest| rest.split_first_chunk::<ID>()) else {
            return self.decrypt(purpose, row, sealed);
        };
        let is_ours = *id == self.id;
        let opened = is_ours.then(|| self.decrypt(purpose, row, rest));
        if let Some(Ok(plain)) = opened {
            return Ok(plain);
        }
        // An older value can begin so by chance.
        let opened = self.decrypt(purpose, row, sealed);
        opened.map_err(|error| match is_ours {
            true => error,
            false => Unreadable::OtherKey {
                sealed: shown(id),
                tried: self.id(),
            },
        })
    }

    /// What follows the id, or an older value.
    fn decrypt(&self, purpose: u8, row: &Hash, sealed: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let parts = sealed.split_first_chunk::<NONCE>();
        let (nonce, sealed) = parts.ok_or(Unreadable::Damaged)?;
        let aad = bound_to(purpose, row);
        let payload = Payload {
            msg: sealed,
            aad: &aad,
        };
        let opened = self.cipher.decrypt(&XNonce::from(*nonce), payload);
        opened.map_err(|_| Unreadable::Damaged)
    }

    /// Opens a sealed text.
    pub fn open_text(
        &self,
        purpose: impl Into<u8>,
        row: &Hash,
        sealed: &[u8],
    ) -> Result<String, Unreadable> {
        String::from_utf8(self.open(purpose, row, sealed)?).map_err(|_| Unreadable::Damaged)
    }

    /// Tells equal texts from others without keeping them (HMAC-SHA-256). A plain hash of a phone number is found by
    /// trying all numbers.
    pub fn fingerprint(&self, purpose: impl Into<u8>, text: &[u8]) -> Hash {
        // HMAC takes keys of every length.
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.fingerprints).expect("a key of 32 bytes");
        mac.update(&[purpose.into()]);
        mac.update(text);
        Hash::from_bytes(mac.finalize().into_bytes().into())
    }
}

fn shown(id: &[u8; ID]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn first([a, b, c, d, ..]: [u8; 32]) -> [u8; ID] {
    [a, b, c, d]
}

/// A value that was moved to another row or column does not open there.
fn bound_to(purpose: u8, row: &Hash) -> [u8; 33] {
    let mut bound = [purpose; 33];
    bound[1..].copy_from_slice(row.bytes());
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "pos-connect-relay";
    const TOKENS: u8 = 3;
    const PICKUP: u8 = 2;

    fn sealer() -> Sealer {
        Sealer::new(PROGRAM, &Kind::Storage.mint()).unwrap()
    }

    #[test]
    fn only_the_same_key_row_and_purpose_open_it() {
        let (ours, row) = (sealer(), Hash::of("row"));
        let sealed = ours.seal(TOKENS, &row, b"secret").unwrap();
        assert_eq!(ours.open(TOKENS, &row, &sealed).unwrap(), b"secret");
        assert!(sealer().open(TOKENS, &row, &sealed).is_err());
        assert!(ours.open(PICKUP, &row, &sealed).is_err());
        assert!(ours.open(TOKENS, &Hash::of("other"), &sealed).is_err());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(ours.open(TOKENS, &row, &changed).is_err());
            assert!(ours.open(TOKENS, &row, &sealed[..at]).is_err());
        }
    }

    #[test]
    fn a_wrong_key_is_named_and_a_damaged_value_is_not_taken_for_one() {
        let (ours, other, row) = (sealer(), sealer(), Hash::of("row"));
        let sealed = ours.seal(TOKENS, &row, b"secret").unwrap();
        let error = other.open(TOKENS, &row, &sealed).unwrap_err();
        assert!(error.to_string().contains(&ours.id()) && error.to_string().contains(&other.id()));
        assert_ne!(ours.id(), other.id());
        let resealed = other.reseal(&ours, TOKENS, &row, &sealed).unwrap();
        assert_eq!(other.open(TOKENS, &row, &resealed).unwrap(), b"secret");
        let moved = ours.open(TOKENS, &Hash::of("other"), &sealed).unwrap_err();
        assert_eq!(moved, Unreadable::Damaged);
    }

    #[test]
    fn the_same_text_never_looks_the_same() {
        let (ours, row) = (sealer(), Hash::of("row"));
        let seal = || ours.seal(TOKENS, &row, b"secret").unwrap();
        assert_ne!(seal(), seal());
    }

    #[test]
    fn a_made_up_key_is_refused_without_being_repeated() {
        for wrong in ["", "hunter2-hunter2", &Kind::Till.mint()] {
            let error = Sealer::new(PROGRAM, wrong).err().unwrap();
            assert!(wrong.is_empty() || !error.contains(wrong));
        }
    }

    #[test]
    fn a_fingerprint_is_the_keys_and_the_purposes() {
        let key = Kind::Storage.mint();
        let of = |program: &str, key: &str, purpose: u8, text: &[u8]| {
            Sealer::new(program, key)
                .unwrap()
                .fingerprint(purpose, text)
        };
        let ours = of(PROGRAM, &key, TOKENS, b"text");
        assert_eq!(of(PROGRAM, &key, TOKENS, b"text"), ours);
        let others = [
            of(PROGRAM, &key, TOKENS, b"text "),
            of(PROGRAM, &key, PICKUP, b"text"),
            of("another program", &key, TOKENS, b"text"),
            of(PROGRAM, &Kind::Storage.mint(), TOKENS, b"text"),
            Hash::of("text"),
        ];
        assert!(others.iter().all(|other| *other != ours));
    }

    /// Written by the first version: a database outlives the program.
    #[test]
    fn what_was_sealed_before_opens() {
        const SEALED: [u8; 46] = [
            149, 9, 74, 9, 13, 4, 73, 77, 227, 19, 113, 109, 240, 131, 115, 79, 119, 237, 168, 101,
            214, 17, 189, 34, 96, 81, 143, 251, 244, 96, 236, 96, 187, 248, 97, 12, 26, 85, 217,
            164, 201, 22, 204, 110, 20, 16,
        ];
        let key = "pck_b6pGrCICBIHOxPCWdSzSr3cdMVUbqnaF6B8rXlkx5d4c46OA3";
        let opened =
            Sealer::new(PROGRAM, key)
                .unwrap()
                .open_text(TOKENS, &Hash::of("row"), &SEALED);
        assert_eq!(opened.unwrap(), "secret");
        let error = sealer().open(TOKENS, &Hash::of("row"), &SEALED);
        assert_eq!(error.unwrap_err(), Unreadable::Damaged);
    }
}

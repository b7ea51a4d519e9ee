//! Encryption at rest. Tokens have to be read back, so a hash will not do: XChaCha20-Poly1305 under a key that is not
//! in the database.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use pos_connect_foundation::token::{Hash, Kind};
use sha2::{Digest, Sha256};
use std::fmt;

const NONCE: usize = 24;

/// What a sealed value is; one of a kind never passes for another.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// An integration token.
    Integration,
    /// The random text of a pick-up.
    Pickup,
    /// A pair of tokens.
    Tokens,
    /// What shows that the key is the right one.
    KeyCheck,
}

impl Purpose {
    const fn tag(self) -> u8 {
        match self {
            Self::Integration => 1,
            Self::Pickup => 2,
            Self::Tokens => 3,
            Self::KeyCheck => 4,
        }
    }
}

/// A sealed value could not be opened: another key, another row, or a damaged one.
#[derive(Debug)]
pub struct Unreadable;

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a stored value does not open with this key")
    }
}

impl std::error::Error for Unreadable {}

/// Seals and opens. No `Debug`: it holds the key.
pub struct Sealer(XChaCha20Poly1305);

impl Sealer {
    /// Takes a key as [`Kind::Storage`] mints it; the error says what is wrong, never what it was given.
    pub fn new(key: &str) -> Result<Self, String> {
        if Kind::Storage.digest(key).is_none() {
            return Err(
                "this is no storage key; `pos-connect-relay key` makes one (pck_ and 49 more characters)".into(),
            );
        }
        // The text holds 256 random bits, so one hash is derivation enough; the prefix parts it from hashes of other
        // uses.
        let key: [u8; 32] = Sha256::new()
            .chain_update(b"pos-connect-relay storage v1\0")
            .chain_update(key)
            .finalize()
            .into();
        Ok(Self(XChaCha20Poly1305::new(&Key::from(key))))
    }

    /// Encrypts for one row and purpose, under a nonce of its own.
    pub fn seal(&self, purpose: Purpose, row: &Hash, plain: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| Unreadable)?;
        let aad = bound_to(purpose, row);
        let payload = Payload {
            msg: plain,
            aad: &aad,
        };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| Unreadable)?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Decrypts what was sealed for the same row and purpose.
    pub fn open(&self, purpose: Purpose, row: &Hash, sealed: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or(Unreadable)?;
        let aad = bound_to(purpose, row);
        let payload = Payload {
            msg: sealed,
            aad: &aad,
        };
        let opened = self.0.decrypt(&XNonce::from(*nonce), payload);
        opened.map_err(|_| Unreadable)
    }

    /// The same, for text.
    pub fn open_text(
        &self,
        purpose: Purpose,
        row: &Hash,
        sealed: &[u8],
    ) -> Result<String, Unreadable> {
        String::from_utf8(self.open(purpose, row, sealed)?).map_err(|_| Unreadable)
    }
}

/// A value that was moved to another row or column does not open there.
fn bound_to(purpose: Purpose, row: &Hash) -> [u8; 33] {
    let mut bound = [purpose.tag(); 33];
    bound[1..].copy_from_slice(row.bytes());
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer() -> Sealer {
        Sealer::new(&Kind::Storage.mint()).unwrap()
    }

    #[test]
    fn only_the_same_key_row_and_purpose_open_it() {
        let (ours, row) = (sealer(), Hash::of("row"));
        let sealed = ours.seal(Purpose::Tokens, &row, b"secret").unwrap();
        assert_eq!(
            ours.open(Purpose::Tokens, &row, &sealed).unwrap(),
            b"secret"
        );
        assert!(sealer().open(Purpose::Tokens, &row, &sealed).is_err());
        assert!(ours.open(Purpose::Pickup, &row, &sealed).is_err());
        assert!(
            ours.open(Purpose::Tokens, &Hash::of("other"), &sealed)
                .is_err()
        );
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(ours.open(Purpose::Tokens, &row, &changed).is_err());
            assert!(ours.open(Purpose::Tokens, &row, &sealed[..at]).is_err());
        }
    }

    #[test]
    fn the_same_text_never_looks_the_same() {
        let (ours, row) = (sealer(), Hash::of("row"));
        let seal = || ours.seal(Purpose::Tokens, &row, b"secret").unwrap();
        assert_ne!(seal(), seal());
    }

    #[test]
    fn a_made_up_key_is_refused_without_being_repeated() {
        for wrong in ["", "hunter2-hunter2", &Kind::Till.mint()] {
            let error = Sealer::new(wrong).err().unwrap();
            assert!(wrong.is_empty() || !error.contains(wrong));
        }
    }
}

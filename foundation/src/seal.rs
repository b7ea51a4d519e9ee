//! Encryption at rest. What has to be read back cannot be hashed: XChaCha20-Poly1305 under a key that is not in the
//! database.

use crate::token::{Hash, Kind};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::fmt;

const NONCE: usize = 24;
/// A sealed value is these bytes, the key's id, the nonce, and what was encrypted.
const MARK: &[u8] = b"pc1";
const ID: usize = 4;

/// A sealed value could not be opened.
#[derive(Debug, Eq, PartialEq)]
pub enum Unreadable {
    /// It says that another key has sealed it.
    OtherKey {
        /// That key's id.
        sealed: String,
        /// The ids of the keys that are there.
        tried: String,
    },
    /// Another row or purpose, or a damaged value.
    Damaged,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKey { sealed, tried } => write!(
                f,
                "a stored value was encrypted with the key {sealed}, and there is {tried}"
            ),
            Self::Damaged => f.write_str("a stored value does not open with its key"),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Seals with one key, and opens with that one and others. No `Debug`: it holds the keys.
///
/// A `purpose` is a number that says what a value is; one of a kind never passes for another. Each program has an enum
/// of its own for it.
#[derive(Clone)]
pub struct Sealer {
    current: Key,
    others: Vec<Key>,
    fingerprints: [u8; 32],
}

#[derive(Clone)]
struct Key {
    cipher: XChaCha20Poly1305,
    id: [u8; ID],
    /// The secret of the fingerprints in a database whose first key this is.
    fingerprints: [u8; 32],
}

impl Key {
    fn new(program: &str, text: &str) -> Self {
        // The text holds 256 random bits, so one hash is derivation enough; the prefix parts it from hashes of other
        // uses.
        let derived = |purpose: &str| -> [u8; 32] {
            let prefix = format!("{program} {purpose} v1\0");
            Sha256::new()
                .chain_update(prefix)
                .chain_update(text)
                .finalize()
                .into()
        };
        Self {
            cipher: XChaCha20Poly1305::new(&derived("storage").into()),
            id: first(derived("id")),
            fingerprints: derived("fingerprint"),
        }
    }
}

impl Sealer {
    /// Takes keys as [`Kind::Storage`] mints them, with a line end or spaces in between, for one program. The first one
    /// seals, all open. The error says what is wrong, never what it was given.
    pub fn new(program: &str, keys: &str) -> Result<Self, String> {
        let read = (1..).zip(keys.split_whitespace()).map(|(number, text)| {
            match Kind::Storage.digest(text) {
                Some(_) => Ok(Key::new(program, text)),
                None => Err(format!(
                    "key {number} is not a storage key; `{program} key` makes one (pck_ and 49 more characters)"
                )),
            }
        });
        let mut keys = read.collect::<Result<Vec<_>, _>>()?.into_iter();
        let current = keys.next();
        let current =
            current.ok_or_else(|| format!("there is no storage key; `{program} key` makes one"))?;
        Ok(Self {
            fingerprints: current.fingerprints,
            others: keys.collect(),
            current,
        })
    }

    /// Whether the key of this id is there.
    pub fn has(&self, id: &str) -> bool {
        self.keys().any(|key| shown(&key.id) == id)
    }

    /// Names the key that seals; nothing to find it by.
    pub fn id(&self) -> String {
        shown(&self.current.id)
    }

    /// The secret of the fingerprints. It outlives the keys: rows that are found by a fingerprint stay where they are.
    pub const fn fingerprint_secret(&self) -> &[u8; 32] {
        &self.fingerprints
    }

    /// This sealer with the secret of the fingerprints that a database has.
    #[must_use]
    pub fn with_fingerprint_secret(&self, fingerprints: [u8; 32]) -> Self {
        Self {
            fingerprints,
            ..self.clone()
        }
    }

    /// What another of the keys has sealed, sealed with the current one; `None` if that one has sealed it.
    pub fn reseal(
        &self,
        purpose: impl Into<u8>,
        row: &Hash,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, Unreadable> {
        if sealed.starts_with(&[MARK, &self.current.id].concat()) {
            return Ok(None);
        }
        let purpose = purpose.into();
        let plain = self.open(purpose, row, sealed)?;
        self.seal(purpose, row, &plain).map(Some)
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
        let sealed = self.current.cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| Unreadable::Damaged)?;
        Ok([MARK, &self.current.id, &nonce, &sealed].concat())
    }

    /// Decrypts what was sealed for the same row and purpose.
    pub fn open(
        &self,
        purpose: impl Into<u8>,
        row: &Hash,
        sealed: &[u8],
    ) -> Result<Vec<u8>, Unreadable> {
        let parts = sealed
            .strip_prefix(MARK)
            .and_then(|rest| rest.split_first_chunk::<ID>())
            .and_then(|(id, rest)| Some((id, rest.split_first_chunk::<NONCE>()?)));
        let (id, (nonce, sealed)) = parts.ok_or(Unreadable::Damaged)?;
        let key = self.keys().find(|key| key.id == *id);
        let key = key.ok_or_else(|| Unreadable::OtherKey {
            sealed: shown(id),
            tried: self
                .keys()
                .map(|key| shown(&key.id))
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        let aad = bound_to(purpose.into(), row);
        let payload = Payload {
            msg: sealed,
            aad: &aad,
        };
        let opened = key.cipher.decrypt(&XNonce::from(*nonce), payload);
        opened.map_err(|_| Unreadable::Damaged)
    }

    fn keys(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.current).chain(&self.others)
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
        for wrong in ["", "\n", "hunter2-hunter2", &Kind::Till.mint()] {
            let error = Sealer::new(PROGRAM, wrong).err().unwrap();
            assert!(wrong.trim().is_empty() || !error.contains(wrong));
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

    #[test]
    fn the_first_key_seals_and_all_open() {
        let [old, new] = [(), ()].map(|()| Kind::Storage.mint());
        let of = |keys: &str| Sealer::new(PROGRAM, keys).unwrap();
        let (before, after) = (of(&old), of(&new));
        let (both, row) = (of(&format!(" {new}\r\n\n{old} \n")), Hash::of("row"));
        let sealed = before.seal(TOKENS, &row, b"secret").unwrap();
        assert_eq!(both.open(TOKENS, &row, &sealed).unwrap(), b"secret");
        let resealed = both.reseal(TOKENS, &row, &sealed).unwrap().unwrap();
        assert_eq!(after.open(TOKENS, &row, &resealed).unwrap(), b"secret");
        assert_eq!(both.reseal(TOKENS, &row, &resealed), Ok(None));
        assert!(both.has(&before.id()) && !after.has(&before.id()));
        let error = of(&Kind::Storage.mint())
            .open(TOKENS, &row, &sealed)
            .unwrap_err();
        assert!(error.to_string().contains(&before.id()));
    }

    #[test]
    fn what_is_no_key_is_counted_and_not_shown() {
        let wrong = format!("{}\nhunter2-hunter2\n", Kind::Storage.mint());
        let error = Sealer::new(PROGRAM, &wrong).err().unwrap();
        assert!(
            error.contains("key 2") && !error.contains("hunter2"),
            "{error}"
        );
    }
}

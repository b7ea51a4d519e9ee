//! A till's key: minted once, recognized by its hash.

use crate::seal::{Purpose, Sealer};
use crate::store::{Addition, Store, StoreError, Till, TillRequest};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::token::{Hash, Kind};
use pos_connect_protocol::text::is_name;

/// Longest name of a till, a fleet key or a merchant, in characters.
pub const LONGEST_NAME: usize = 100;

/// The call of a vendor's server that adds a till. Repeated, it adds none.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Label of the fleet key.
    pub fleet_key: &'a str,
    /// The `Idempotency-Key`.
    pub idempotency_key: &'a str,
}

impl Request<'_> {
    fn hash(&self) -> Hash {
        // The label has no space.
        Hash::of(&format!("{} {}", self.fleet_key, self.idempotency_key))
    }
}

/// A till that the vendor's server asked for.
pub struct Added {
    /// The till.
    pub till: Till,
    /// Its key, unless the till was revoked meanwhile.
    pub key: Option<String>,
    /// Whether an earlier call of the same request added it.
    pub is_repeated: bool,
}

/// Whether a text can be a merchant's name; the error says what can.
pub fn merchant_name(text: &str) -> Result<String, String> {
    match text.is_empty() {
        true => Err("the merchant's name is empty".into()),
        false => name(text),
    }
}

/// Whether a text can be a name, or none, which is empty; the error says what can.
pub fn name(text: &str) -> Result<String, String> {
    let is_short = text.chars().count() <= LONGEST_NAME;
    match text.is_empty() || is_short && is_name(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "a name shows something in at most {LONGEST_NAME} characters, without control characters or outer spaces"
        )),
    }
}

/// Adds a till for the operator and gives its key, which is shown only now.
pub async fn add(
    store: &Store,
    merchant: &str,
    name: &str,
    now: Timestamp,
) -> Result<(Till, String), StoreError> {
    loop {
        let (till, key) = mint(merchant, name, now);
        // Two hashes begin alike one time in millions.
        if let Addition::New = store.add_till(till.clone(), None).await? {
            return Ok((till, key));
        }
    }
}

/// Adds a till for the vendor's server. The same request gets the same key for two days: its answer may have been lost.
/// `None` if its fleet key is revoked.
pub async fn add_for(
    store: &Store,
    sealer: &Sealer,
    request: Request<'_>,
    (merchant, name): (&str, &str),
    now: Timestamp,
) -> Result<Option<Added>, StoreError> {
    let hash = request.hash();
    loop {
        let (till, key) = mint(merchant, name, now);
        let kept = TillRequest {
            hash,
            fleet_key: request.fleet_key.to_owned(),
            sealed_key: sealer.seal(Purpose::TillKey, &hash, key.as_bytes())?,
        };
        let (till, key, is_repeated) = match store.add_till(till.clone(), Some(kept)).await? {
            Addition::LabelTaken => continue,
            Addition::Revoked => return Ok(None),
            Addition::New => (till, Some(key), false),
            Addition::Repeated(till, _) if till.revoked => (till, None, true),
            Addition::Repeated(till, sealed) => {
                let key = sealer.open(Purpose::TillKey, &hash, &sealed)?;
                (till, Some(String::from_utf8_lossy(&key).into_owned()), true)
            }
        };
        return Ok(Some(Added {
            till,
            key,
            is_repeated,
        }));
    }
}

fn mint(merchant: &str, name: &str, now: Timestamp) -> (Till, String) {
    let key = Kind::Till.mint();
    let hash = Hash::of(&key);
    let till = Till {
        label: hash.label(),
        key: hash,
        merchant: merchant.into(),
        name: name.into(),
        created_at: now,
        revoked: false,
    };
    (till, key)
}

/// The till that a key proves, unless it was revoked. It is found by a part of its hash and compared in constant time
/// as a whole.
pub async fn recognize(store: &Store, key: &str) -> Result<Option<Till>, StoreError> {
    let Some(hash) = Kind::Till.digest(key) else {
        return Ok(None);
    };
    let till = store.till(&hash.label()).await?;
    Ok(till.filter(|till| till.key.matches(&hash) && !till.revoked))
}

//! A till's key: minted once, recognized by its hash.

use crate::store::{Store, StoreError, Till};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::token::{Hash, Kind};

/// Adds a till and gives its key, which is shown only now.
pub async fn add(
    store: &Store,
    merchant: &str,
    name: &str,
    now: Timestamp,
) -> Result<(Till, String), StoreError> {
    loop {
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
        match store.add_till(till.clone()).await {
            // Two hashes that begin alike, one time in millions.
            Err(StoreError::Exists) => {}
            added => return added.map(|()| (till, key)),
        }
    }
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

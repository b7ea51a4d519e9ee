//! A fleet key, which proves the vendor's server: minted once, recognized by its hash.

use crate::store::{FleetKey, Store, StoreError};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::token::{Hash, Kind};

/// Adds a fleet key and gives it, which is shown only now.
pub async fn add(
    store: &Store,
    name: &str,
    now: Timestamp,
) -> Result<(FleetKey, String), StoreError> {
    loop {
        let key = Kind::Fleet.mint();
        let hash = Hash::of(&key);
        let added = FleetKey {
            label: hash.label(),
            key: hash,
            name: name.into(),
            created_at: now,
            revoked: false,
        };
        // Two hashes begin alike one time in millions.
        if store.add_fleet_key(added.clone()).await? {
            return Ok((added, key));
        }
    }
}

/// The fleet key that a text is, unless it was revoked; found and compared as the key of a till is.
pub async fn recognize(store: &Store, key: &str) -> Result<Option<FleetKey>, StoreError> {
    let Some(hash) = Kind::Fleet.digest(key) else {
        return Ok(None);
    };
    let known = store.fleet_key(&hash.label()).await?;
    Ok(known.filter(|known| known.key.matches(&hash) && !known.revoked))
}

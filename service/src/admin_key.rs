//! An admin key, which proves a back office of the operator's: minted once, recognized by its hash.

use crate::store::{Act, AdminKey, Store, StoreError};
use crate::token::{Hash, Kind};
use pos_connect_protocol::admin::Scope;

/// Adds an admin key; gives its label and the key itself, which is shown only now.
pub async fn add(
    store: &Store,
    name: &str,
    scopes: &[Scope],
    act: Act,
) -> Result<(String, String), StoreError> {
    loop {
        let key = Kind::Admin.mint();
        let hash = Hash::of(&key);
        // Two hashes begin alike one time in millions.
        if store.add_admin_key(hash, name.into(), scopes, act).await? {
            return Ok((hash.label(), key));
        }
    }
}

/// The admin key that a text is, unless it was revoked: found by its label, compared in constant time.
pub async fn recognize(store: &Store, key: &str) -> Result<Option<AdminKey>, StoreError> {
    let Some(hash) = Kind::Admin.digest(key) else {
        return Ok(None);
    };
    let known = store.admin_key(&hash.label()).await?;
    Ok(known.filter(|known| known.key.matches(&hash) && !known.revoked))
}

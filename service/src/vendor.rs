//! A vendor: its identifier and its secrets, minted once. The commands and the admin API call this.

use crate::origin::Origin;
use crate::store::{Act, Rotated, Rotation, Store, StoreError};
use crate::token::{Hash, Kind, random_text};
use pos_connect_foundation::origin::warn_of_open;
use pos_connect_protocol::Mode;
use std::time::Duration;

/// Longer, and the second secret would become a permanent one.
pub const MAX_OVERLAP_HOURS: u64 = 168;

/// What proves a vendor; the secret is shown only now.
pub struct Credentials {
    /// Identifier.
    pub client_id: String,
    /// Secret.
    pub client_secret: String,
}

/// Adds a vendor; without an identifier that its mode [allows](Mode::allows), one is made.
pub async fn add(
    store: &Store,
    client_id: Option<String>,
    name: String,
    mode: Mode,
    origins: Vec<Origin>,
    act: Act,
) -> Result<Credentials, StoreError> {
    warn_of_open(&origins);
    let added = Credentials {
        client_id: client_id.unwrap_or_else(|| format!("{}pcv_{}", mode.prefix(), random_text(20))),
        client_secret: Kind::ClientSecret.mint(),
    };
    let (id, secret) = (added.client_id.clone(), Hash::of(&added.client_secret));
    store
        .add_vendor(id, name, mode, secret, origins, act)
        .await?;
    Ok(added)
}

/// Gives a vendor a new secret. The old one works on for `overlap_hours`; `ends_older` ends one before that at once.
pub async fn rotate_secret(
    store: &Store,
    client_id: String,
    overlap_hours: u64,
    ends_older: bool,
    act: Act,
) -> Result<(Rotated, String), StoreError> {
    let client_secret = Kind::ClientSecret.mint();
    let rotation = Rotation {
        secret: Hash::of(&client_secret),
        previous_until: act.now.after(Duration::from_secs(overlap_hours * 3600)),
        // Who leaves no overlap wants every secret before this one to end.
        ends_older: ends_older || overlap_hours == 0,
    };
    let rotated = store.rotate_secret(client_id, rotation, act).await?;
    Ok((rotated, client_secret))
}

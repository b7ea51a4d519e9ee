//! Where the relay's secrets come from: the environment or a file, never the command line.

use pos_connect_foundation::command::Failure;
use pos_connect_foundation::secret::{self, StorageKey};
use std::path::{Path, PathBuf};

const SECRET_VARIABLE: &str = "POS_CONNECT_CLIENT_SECRET";
const KEY_VARIABLE: &str = "POS_CONNECT_RELAY_KEY";
const DEFAULT_KEY_FILE: &str = "pos-connect-relay.key";

/// The vendor's client secret.
pub(super) fn client_secret(file: Option<&Path>) -> Result<String, Failure> {
    match file {
        Some(file) => secret::from_file(file),
        None => std::env::var(SECRET_VARIABLE)
            .ok()
            .filter(|secret| !secret.is_empty())
            .ok_or_else(|| {
                format!("there is no client secret: set {SECRET_VARIABLE}, or name a file with --client-secret-file")
                    .into()
            }),
    }
}

/// Where the key is that stored tokens are encrypted with.
pub(super) fn storage_key(file: Option<PathBuf>) -> StorageKey {
    match (file, std::env::var(KEY_VARIABLE)) {
        (Some(file), _) => StorageKey::File(file),
        (None, Ok(key)) => StorageKey::Text(key),
        (None, Err(_)) => StorageKey::File(DEFAULT_KEY_FILE.into()),
    }
}

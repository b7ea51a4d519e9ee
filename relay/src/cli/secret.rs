//! Where the relay's secrets come from: the environment or a file, never the command line.

use pos_connect_foundation::command::Failure;
use pos_connect_foundation::secret;
use std::path::Path;

const SECRET_VARIABLE: &str = "POS_CONNECT_CLIENT_SECRET";
const KEY_VARIABLE: &str = "POS_CONNECT_RELAY_KEY";

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

/// The key that stored tokens are encrypted with. A file that is not there is made, as the first start needs one.
pub(super) fn storage_key(file: &Path, named: bool) -> Result<String, Failure> {
    match std::env::var(KEY_VARIABLE) {
        Ok(key) if !named => Ok(key),
        _ => secret::storage_key(file),
    }
}

//! Where secrets come from: the environment or a file, never the command line.

use pos_connect_foundation::command::Failure;
use pos_connect_foundation::token::Kind;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

const SECRET_VARIABLE: &str = "POS_CONNECT_CLIENT_SECRET";
const KEY_VARIABLE: &str = "POS_CONNECT_RELAY_KEY";
/// Longer than any secret; a wrong file is noticed before it is read whole.
const MAX_LENGTH: u64 = 4096;

/// The vendor's client secret.
pub(super) fn client_secret(file: Option<&Path>) -> Result<String, Failure> {
    match file {
        Some(file) => read(file),
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
    if !named && let Ok(key) = std::env::var(KEY_VARIABLE) {
        return Ok(key);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(mut made) => {
            let key = Kind::Storage.mint();
            made.write_all(format!("{key}\n").as_bytes())?;
            made.sync_all()?;
            tracing::info!(file = %file.display(), "made a storage key; keep a copy apart from the database's");
            Ok(key)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(file),
        Err(error) => Err(format!("cannot make {}: {error}", file.display()).into()),
    }
}

fn read(file: &Path) -> Result<String, Failure> {
    let failed = |why: &str| Failure::from(format!("cannot read {}: {why}", file.display()));
    let opened = std::fs::File::open(file).map_err(|error| failed(&error.to_string()))?;
    let mut text = String::new();
    let read = opened.take(MAX_LENGTH).read_to_string(&mut text);
    read.map_err(|error| failed(&error.to_string()))?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(failed("it is empty")),
        secret => Ok(secret.to_owned()),
    }
}

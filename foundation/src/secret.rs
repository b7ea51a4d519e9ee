//! Where secrets come from: the environment or a file, never the command line.

use crate::command::Failure;
use crate::token::Kind;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// Longer than any secret; a wrong file is noticed before it is read whole.
const MAX_LENGTH: u64 = 4096;

/// A secret that a file holds, alone in its only line.
pub fn from_file(file: &Path) -> Result<String, Failure> {
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

/// The key that a program's database is sealed with. A file that is not there is made, as the first start needs one.
pub fn storage_key(file: &Path) -> Result<String, Failure> {
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
        Err(error) if error.kind() == ErrorKind::AlreadyExists => from_file(file),
        Err(error) => Err(format!("cannot make {}: {error}", file.display()).into()),
    }
}

//! Where secrets come from: the environment or a file, never the command line.

use crate::command::Failure;
use crate::private;
use crate::seal::Sealer;
use crate::token::Kind;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Longer than any secret; a wrong file is noticed before it is read whole.
const MAX_LENGTH: u64 = 4096;

/// What a file holds, without the end of its last line. A file that others can read is named in the log.
pub fn from_file(file: &Path) -> Result<String, Failure> {
    expect_name(file)?;
    let failed = |why: &str| Failure::from(format!("cannot read {}: {why}", file.display()));
    let opened = std::fs::File::open(file).map_err(|error| failed(&error.to_string()))?;
    private::warn_if_shared(file);
    let mut text = String::new();
    let read = opened.take(MAX_LENGTH).read_to_string(&mut text);
    read.map_err(|error| failed(&error.to_string()))?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(failed("it is empty")),
        secret => Ok(secret.to_owned()),
    }
}

/// Refuses a secret in the place of a file's name, before the name is shown or used.
fn expect_name(file: &Path) -> Result<(), Failure> {
    let names = file.iter().map(|name| name.to_string_lossy());
    let mut prefixes = Kind::ALL
        .iter()
        .map(|kind| kind.prefix())
        .chain(["whsec_", "AGE-SECRET-KEY-"]);
    if prefixes.any(|prefix| {
        names
            .clone()
            .any(|name| name.trim_start().starts_with(prefix))
    }) {
        return Err("this option takes the name of a file, and was given a secret".into());
    }
    Ok(())
}

/// Where the key is that a program's database is sealed with. No `Debug`: it may hold the key.
#[derive(Clone)]
pub enum StorageKey {
    /// The keys themselves (`pck_…`), with a space or a line end in between: the first one encrypts, all decrypt.
    Text(String),
    /// In this file.
    File(PathBuf),
}

impl StorageKey {
    /// The sealer with this key. `is_first`: nothing was sealed yet, so a file that is not there is made. The error
    /// names the file, never the key.
    pub fn sealer(&self, program: &str, is_first: bool) -> Result<Sealer, Failure> {
        let file = match self {
            Self::Text(key) => return Ok(Sealer::new(program, key)?),
            Self::File(file) => file,
        };
        let key = if is_first {
            made_or_read(file)?
        } else {
            let read = from_file(file);
            read.map_err(|error| {
                format!(
                    "{error}; the database needs the key that it was written with: `--key-file` names its file"
                )
            })?
        };
        let wrong = |error| Failure::from(format!("{}: {error}", file.display()));
        Sealer::new(program, &key).map_err(wrong)
    }
}

fn made_or_read(file: &Path) -> Result<String, Failure> {
    expect_name(file)?;
    match private::create(file) {
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

//! Files that hold secrets or personal data: made for their owner only, and named when others can read them.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a file that only its owner can read; fails if it is there already.
pub fn create(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Removes a file, if it is there.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a warning to the log if others on this machine can read or write the file.
pub fn warn_if_shared(file: &Path) {
    if is_shared(file) {
        tracing::warn!(file = %file.display(), "others on this machine can read this file; `chmod 600` it");
    }
}

/// Whether others on this machine can read or write the file. Its group may read it: a file of root's that a program
/// reads is so, as are the secrets of a container.
#[cfg(unix)]
pub fn is_shared(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o027 != 0)
}

/// Whether others on this machine can read or write the file: it cannot be told.
#[cfg(not(unix))]
pub fn is_shared(_: &Path) -> bool {
    false
}

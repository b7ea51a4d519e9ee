//! Packages from npm, always as the committed lock file says.

use crate::{Result, command, files};
use std::path::Path;
use std::process::Stdio;

/// Installs into `folder/node_modules` unless what is there came from the same lock file.
pub fn install(folder: &Path) -> Result<()> {
    let lock = files::read(&folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    if files::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let mut npm = command::npm();
    // Nothing used here needs its install script, and none of them should run unread.
    npm.current_dir(folder)
        .args("ci --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error".split(' '));
    command::run(npm.stdout(Stdio::null()))?;
    files::write(&stamp, lock)
}

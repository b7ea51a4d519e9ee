//! Debian's packages, where we are root on a system that has them.

use crate::lock::{self, Lock};
use crate::{Result, command, repo};
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether `install` would do anything.
pub fn can_install() -> bool {
    command::find("apt-get").is_some() && is_root()
}

/// Installs these packages, where that is possible.
pub fn install(packages: &[&str]) -> Result<()> {
    if !can_install() {
        return Ok(());
    }
    println!("tools: installing {} with apt-get", packages.join(" "));
    let _lock = update()?;
    let mut install = apt_get();
    install
        .args(["-qq", "-y", "--no-install-recommends", "install"])
        .args(packages);
    command::run(install.stdout(Stdio::null()))
}

/// apt-get does not wait for another `apt-get update`; two clones on one machine would disturb each other.
fn update() -> Result<Lock> {
    let lock = lock::hold(&repo::cache()?.join("apt.lock"))?;
    command::run(apt_get().args(["-qq", "update"]))?;
    Ok(lock)
}

/// Fetches a package and puts its files into a folder, without what its installation would do.
pub fn unpack(package: &str, folder: &Path) -> Result<()> {
    println!("tools: fetching {package} with apt-get");
    let _lock = update()?;
    command::run(
        apt_get()
            .args(["-qq", "download", package])
            .current_dir(folder),
    )?;
    let archives = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut archives = archives.filter_map(|entry| Some(entry.ok()?.path()));
    let archive = archives.find(|path| path.extension().is_some_and(|kind| kind == "deb"));
    let archive = archive.ok_or_else(|| format!("apt-get brought no {package}"))?;
    command::run(Command::new("dpkg-deb").arg("-x").args([&archive, folder]))
}

/// Asks nothing, and waits for another one.
pub fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .args(["-o", "DPkg::Lock::Timeout=600"]);
    command
}

/// std has no `geteuid`; the owner of our own entry in /proc is the same number.
#[cfg(target_os = "linux")]
pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    Path::new("/proc/self")
        .metadata()
        .is_ok_and(|entry| entry.uid() == 0)
}

#[cfg(not(target_os = "linux"))]
pub fn is_root() -> bool {
    false
}

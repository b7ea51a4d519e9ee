//! nginx and Caddy, which the samples in `docs/operating.md` are tried with.

use crate::{Result, command, debian, files, repo};
use std::path::PathBuf;

/// Each program, which is also the name of its Debian package, and where the package has it.
const PROXIES: [(&str, &str); 2] = [("nginx", "usr/sbin"), ("caddy", "usr/bin")];

/// Fetches what is missing, where that is possible. Debian would start a package's service, so nothing is installed.
pub fn prepare() -> Result<()> {
    for (name, _) in PROXIES {
        if find(name).is_none() && debian::can_install() {
            let folder = folder(name)?;
            files::create_folder(&folder)?;
            debian::unpack(name, &folder)?;
        }
    }
    Ok(())
}

/// The program on `PATH`, or the one that `prepare` fetched.
pub fn find(name: &str) -> Option<PathBuf> {
    command::find(name).or_else(|| {
        let (_, place) = PROXIES.into_iter().find(|(proxy, _)| *proxy == name)?;
        let fetched = folder(name).ok()?.join(place).join(name);
        fetched.is_file().then_some(fetched)
    })
}

fn folder(name: &str) -> Result<PathBuf> {
    Ok(repo::cache()?.join("proxies").join(name))
}

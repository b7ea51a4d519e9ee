//! Where things are.

use crate::Result;
use std::path::PathBuf;

/// The version of every crate here, and of the npm package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The repository this was compiled in.
pub fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}

/// What the commands make. Not cargo's target directory: several clones may share that one.
pub fn made(name: &str) -> PathBuf {
    root().join("target").join(name)
}

/// The finished npm package.
pub fn package() -> PathBuf {
    root().join("pkg")
}

/// The same as one file, as it would be published.
pub fn tarball() -> PathBuf {
    package().join(format!("pos-connect-{VERSION}.tgz"))
}

/// What all clones of this user share: the tools, which take minutes to compile.
pub fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::home_dir().map(|home| home.join(".cache")))
        .ok_or(
            "this user has no home directory; set XDG_CACHE_HOME to a folder for the build tools",
        )?;
    Ok(base.join("pos-connect"))
}

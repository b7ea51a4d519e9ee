//! Where things are.

use crate::Result;
use std::env;
use std::path::{Path, PathBuf};

/// The version of every crate here, and of the npm package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The repository: the one whose package cargo runs, or else that of the current folder. Not the one that this was
/// compiled in, unless neither is one: a target directory may be a copy.
pub fn root() -> PathBuf {
    let run = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let folders = [run, env::current_dir().ok()].into_iter().flatten();
    let compiled = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut roots = folders.filter_map(|folder| root_of(&folder));
    roots
        .next()
        .or_else(|| root_of(compiled))
        .unwrap_or_else(|| compiled.into())
}

fn root_of(folder: &Path) -> Option<PathBuf> {
    let mut folders = folder.ancestors();
    let root = folders.find(|folder| folder.join("xtask/Cargo.toml").is_file())?;
    Some(root.to_owned())
}

/// What the commands make. Not cargo's target directory: several clones may share that one.
pub fn made(name: &str) -> PathBuf {
    root().join("target").join(name)
}

/// The finished npm package.
pub fn package() -> PathBuf {
    root().join("pkg")
}

/// The package as one file, as it would be published.
pub fn tarball() -> PathBuf {
    package().join(format!("pos-connect-{VERSION}.tgz"))
}

/// What all clones of this user share: the tools, which take minutes to compile.
pub fn cache() -> Result<PathBuf> {
    let base = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| env::home_dir().map(|home| home.join(".cache")))
        .ok_or(
            "this user has no home directory; set XDG_CACHE_HOME to a folder for the build tools",
        )?;
    Ok(base.join("pos-connect"))
}

/// Where cargo keeps the sources of crates.
pub fn cargo_home() -> Option<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(env::home_dir()?.join(".cargo")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn the_repository_is_the_one_around_a_folder() {
        let here = made("test/another-checkout");
        let package = here.join("xtask");
        files::create_folder(&package).unwrap();
        files::write(&package.join("Cargo.toml"), "").unwrap();
        for folder in [&here, &package, &here.join("tests/torture")] {
            assert_eq!(root_of(folder).as_ref(), Some(&here));
        }
        assert_eq!(root_of(Path::new("/")), None);
        files::remove(&here).unwrap();
    }
}

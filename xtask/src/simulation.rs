//! The demo till as a static folder that needs no server of ours: a service worker answers in the place of the service.

use crate::{Result, command, files, package, repo, tool};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the till loads of the package.
const LOADED: [&str; 4] = [
    "index.js",
    "core.js",
    "elsewhere.js",
    "wasm/pos_connect_bg.wasm",
];

/// Makes the package if need be, and the folder; gives that.
pub fn build() -> Result<PathBuf> {
    package::build()?;
    let folder = repo::made("simulation/try");
    assemble(&folder)?;
    Ok(folder)
}

/// The pages of `docs/try/`, with the till of `www/` in them.
pub fn assemble(folder: &Path) -> Result<()> {
    let (root, package) = (repo::root(), repo::package());
    files::remove(folder)?;
    files::copy_tree(&root.join("docs/try"), folder)?;
    files::copy_tree(&root.join("www"), &folder.join("till"))?;
    for file in LOADED {
        files::copy(
            &package.join(file),
            &folder.join("till/pos-connect").join(file),
        )?;
    }
    let script = root.join("xtask/js/simulation.mjs");
    let arguments = [&script, folder, &package, &tool::from_npm()?];
    command::run(Command::new("node").args(arguments))
}

/// `cargo xtask demo --static`: serves it until it is stopped.
pub fn serve() -> Result<()> {
    let folder = build()?;
    println!("demo: {} can lie on any web server", folder.display());
    let script = repo::root().join("xtask/js/serve.mjs");
    command::run(Command::new("node").args([script, folder]))
}

//! `cargo xtask docs`: the pages of `docs/` as a site.

use crate::args::Args;
use crate::{Result, command, files, repo, tool};
use std::process::Command;

pub fn run(args: Args) -> Result<()> {
    args.finish()?;
    let mdbook = tool::install(&tool::MDBOOK)?;
    let site = repo::made("site");
    // mdBook leaves what an earlier book had.
    files::remove(&site)?;
    let mut build = Command::new(mdbook);
    build
        .arg("build")
        .arg(repo::root().join("docs"))
        .arg("--dest-dir")
        .arg(&site);
    let (log, result) = command::watch(&mut build, Some("mdbook"))?;
    result?;
    if let Some(warning) = log.lines().find(|line| line.contains(" WARN ")) {
        return Err(format!("mdBook warns: {}", warning.trim()));
    }
    println!("docs: open {}", site.join("index.html").display());
    Ok(())
}

//! `cargo xtask docs`: the pages of `docs/` as a site, and what is made for them from the demo: its picture, and
//! what a screen reader says of it. The texts come from the code.

mod llms;
mod shown;

use crate::args::Args;
use crate::{Result, command, files, npm, package, repo, simulation, tool};
use pos_connect_texts::page;
use std::path::{Path, PathBuf};
use std::process::Command;

type Make = fn() -> Result<()>;

/// What an option makes instead of the site.
const INSTEAD: [(&str, Make); 4] = [
    ("--texts", texts),
    ("--picture", shown::picture),
    ("--speech", shown::speech),
    ("--screens", shown::screens),
];

pub fn run(mut args: Args) -> Result<()> {
    let asked = INSTEAD.map(|(name, make)| args.flag(name).then_some(make));
    args.finish()?;
    if asked.iter().all(Option::is_none) {
        println!("docs: open {}", build()?.join("index.html").display());
    }
    asked.into_iter().flatten().try_for_each(|make| make())
}

fn texts() -> Result<()> {
    let texts = repo::made("texts.md");
    files::write(&texts, page::markdown())?;
    println!("docs: open {}", texts.display());
    Ok(())
}

/// Makes the site, and gives its folder. A warning of mdBook's is an error.
pub fn build() -> Result<PathBuf> {
    let docs = repo::root().join("docs");
    let mdbook = tool::install(&tool::MDBOOK)?;
    let site = repo::made("site");
    // mdBook leaves what an earlier book had.
    files::remove(&site)?;
    let mut build = Command::new(mdbook);
    build.arg("build").arg(&docs).arg("--dest-dir").arg(&site);
    let (log, result) = command::watch(&mut build)?;
    result?;
    if let Some(warning) = log.lines().find(|line| line.contains(" WARN ")) {
        return Err(format!("mdBook warns: {}", warning.trim()));
    }
    // Over the sources that mdBook has copied.
    package::build()?;
    simulation::assemble(&site.join("try"))?;
    llms::write(&docs, &site)?;
    write_reference(&site.join("reference"))?;
    Ok(site)
}

/// The public API, from the declarations of the package. A name that they use and do not export is an error.
fn write_reference(folder: &Path) -> Result<()> {
    let tools = repo::root().join("xtask/typedoc");
    npm::install(&tools)?;
    let mut typedoc = Command::new("node");
    typedoc
        .current_dir(&tools)
        .args("node_modules/typedoc/bin/typedoc --logLevel Warn --out".split(' '))
        .arg(folder);
    command::run(&mut typedoc)
}

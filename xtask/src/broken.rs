//! `cargo xtask torture --broken`: builds of the SDK that each lack one safeguard. Each must be seen red, or the
//! torture is blind.

use crate::{Result, command, files, package, repo};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Begins the name of a patch: the part that must see it. Behind it, how often that runs: too seldom to be held to
/// every kind of fault.
const PARTS: [(&str, u64); 2] = [("proxy", 45), ("outbox", 25)];
/// Where the choices of the first sample begin.
const SEED: u64 = 2026;
/// Samples of a build. What breaks hangs on milliseconds, too.
const SAMPLES: u64 = 4;

/// A build that lacks something.
struct Broken {
    name: String,
    patch: PathBuf,
    part: &'static str,
    runs: u64,
}

pub fn run() -> Result<()> {
    let tree = repo::made("broken");
    copy(&tree)?;
    let mut rows = Vec::new();
    let mut unseen = Vec::new();
    for broken in builds()? {
        // Back to how it was.
        files::remove(&tree.join("src"))?;
        files::copy_tree(&repo::root().join("src"), &tree.join("src"))?;
        apply(&tree, &broken.patch, &[])?;
        let package = package::build_in(&tree)?;
        match broken.seen(&package)? {
            Some(row) => rows.push(row),
            None => unseen.push(broken.name),
        }
    }
    println!("\n{}", rows.join("\n"));
    match unseen.is_empty() {
        true => Ok(()),
        false => Err(format!("not seen to be broken: {}", unseen.join(", "))),
    }
}

impl Broken {
    /// Reads what a patch breaks from its name.
    fn read(patch: PathBuf) -> Result<Self> {
        let name = patch.file_stem().unwrap_or_default().to_string_lossy();
        let (part, what) = name.split_once('-').unwrap_or_default();
        let known = PARTS.iter().find(|(known, _)| *known == part);
        let (part, runs) =
            *known.ok_or_else(|| format!("{name}: no part of the torture sees it"))?;
        Ok(Self {
            name: what.replace('-', " "),
            patch,
            part,
            runs,
        })
    }

    /// What the first sample says that sees it.
    fn seen(&self, package: &Path) -> Result<Option<String>> {
        let Self {
            name, part, runs, ..
        } = self;
        for sample in 0..SAMPLES {
            let seed = SEED + sample;
            println!("--- {name}: {part}, {runs} runs, seed {seed}");
            if let Some(said) = torture_harness::sees_broken(part, package, *runs, seed)? {
                let said = said.lines().next().unwrap_or_default();
                return Ok(Some(format!("{name}: {part}, seed {seed}: {said}")));
            }
        }
        Ok(None)
    }
}

fn builds() -> Result<Vec<Broken>> {
    let folder = repo::root().join("tests/torture/broken");
    let names = files::list(&folder)?;
    let patches = names.iter().map(|name| folder.join(name));
    patches.map(Broken::read).collect()
}

/// Copies what git knows of this clone, and what is new in it.
fn copy(tree: &Path) -> Result<()> {
    let listed = "ls-files -z --cached --others --exclude-standard";
    let mut git = Command::new("git");
    let names = command::output(git.current_dir(repo::root()).args(listed.split(' ')))?;
    for name in names.split_terminator('\0') {
        let from = repo::root().join(name);
        if from.is_file() {
            files::copy(&from, &tree.join(name))?;
        }
    }
    Ok(())
}

/// Changes a tree by a patch, as that repository's own `git apply` would.
fn apply(tree: &Path, patch: &Path, options: &[&str]) -> Result<()> {
    let mut git = Command::new("git");
    git.current_dir(tree)
        // Else git would take the tree for a folder of this clone, and pass over it.
        .env("GIT_CEILING_DIRECTORIES", tree.parent().unwrap_or(tree))
        .arg("apply")
        .args(options)
        .arg(patch);
    command::run(&mut git).map_err(|error| format!("{}: {error}", patch.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_patch_fits_the_sources_as_they_are() {
        let builds = builds().unwrap();
        for (part, _) in PARTS {
            assert!(builds.iter().any(|broken| broken.part == part), "{part}");
        }
        for broken in builds {
            apply(&repo::root(), &broken.patch, &["--check"]).unwrap();
        }
    }
}

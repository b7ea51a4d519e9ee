//! `--broken`: builds of the SDK that each lack one safeguard. Each must be seen red, or the torture is blind.

use crate::{Orders, WENT_WRONG, named};
use std::path::{Path, PathBuf};
use std::process::Command;
use workbench::{Result, command, files, repo};

/// How often a part runs that must see a build: too seldom to be held to every kind of fault.
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

/// `only` those whose names contain this.
pub fn run(only: Option<&str>) -> Result<()> {
    let tree = repo::made("broken");
    copy(&tree)?;
    let (mut rows, mut unseen) = (Vec::new(), Vec::new());
    for broken in builds()? {
        if only.is_some_and(|only| !broken.name.contains(only)) {
            continue;
        }
        // Back to how it was.
        files::remove(&tree.join("src"))?;
        files::copy_tree(&repo::root().join("src"), &tree.join("src"))?;
        apply(&tree, &broken.patch, &[])?;
        command::run(
            command::cargo()
                .current_dir(&tree)
                .args(["xtask", "package"]),
        )?;
        match broken.seen(&tree.join("pkg"))? {
            Some(row) => rows.push(row),
            None => unseen.push(broken.name),
        }
    }
    println!("\n{}", rows.join("\n"));
    match (unseen.is_empty(), rows.is_empty()) {
        (true, false) => Ok(()),
        _ => Err(format!("not seen to be broken: {}", unseen.join(", "))),
    }
}

impl Broken {
    /// Reads from a patch's name which part must see it.
    fn read(patch: PathBuf) -> Result<Self> {
        let name = patch
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let known = PARTS.iter().find(|(part, _)| name.starts_with(part));
        let (part, runs) =
            *known.ok_or_else(|| format!("{name}: no part of the torture sees it"))?;
        Ok(Self {
            name,
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
        for seed in SEED..SEED + SAMPLES {
            println!("--- {name}: {runs} runs, seed {seed}");
            let orders = Orders {
                seed,
                runs: *runs,
                run: None,
                sqlite: true,
                package: package.to_owned(),
            };
            match (named(Some(part))?[0].run)(&orders) {
                Err(said) if said.contains(WENT_WRONG) => {
                    let said = said
                        .lines()
                        .find(|line| line.contains(WENT_WRONG))
                        .unwrap_or_default();
                    return Ok(Some(format!("{name}: seed {seed}: {said}")));
                }
                other => other?,
            }
        }
        Ok(None)
    }
}

fn builds() -> Result<Vec<Broken>> {
    let folder = repo::root().join("tests/torture/broken");
    let names = files::list(&folder)?;
    names
        .iter()
        .map(|name| Broken::read(folder.join(name)))
        .collect()
}

/// Copies what git knows of this clone, and what is new in it.
fn copy(tree: &Path) -> Result<()> {
    let mut git = Command::new("git");
    git.current_dir(repo::root());
    let names = command::output(git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))?;
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
    // Else git would take the tree for a folder of this clone, and pass over it.
    git.env("GIT_CEILING_DIRECTORIES", tree.parent().unwrap_or(tree));
    git.current_dir(tree).arg("apply").args(options).arg(patch);
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

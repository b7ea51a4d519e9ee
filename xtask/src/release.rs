//! `cargo xtask release --dry-run`: everything that a release consists of, in `target/dist/`. It publishes nothing.

use crate::args::Args;
use crate::{Result, command, dist, files, package, repo, sbom};
use repo::VERSION;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

pub fn run(mut args: Args) -> Result<()> {
    if !args.flag("--dry-run") {
        return Err("only with --dry-run; RELEASING.md says how to publish".to_owned());
    }
    args.finish()?;
    package::build()?;
    package::check(false)?;
    let folder = dist::make(true)?;
    files::write(
        &folder.join("pos-connect_npm.cdx.json"),
        sbom::of("pos-connect", "wasm32-unknown-unknown")?,
    )?;
    for package in [repo::package(), repo::root().join("conformance")] {
        pack(&package, &folder)?;
    }
    let changes = files::read_text(&repo::root().join("CHANGELOG.md"))?;
    let (heading, notes) = section(&changes);
    files::write(&folder.join("NOTES.md"), notes)?;
    dist::write_sums(&folder)?;
    println!("release: all of {VERSION} is in {}", folder.display());
    let mut missing = missing(
        heading,
        &manifest("pkg-template")?,
        &manifest("conformance")?,
    );
    if !is_committed()? {
        missing.push("a commit of all changes".to_owned());
    }
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "this is no release yet; missing: {}",
            missing.join(", ")
        )),
    }
}

/// Puts the package's tarball there, and lets npm do all but send it.
fn pack(package: &Path, folder: &Path) -> Result<()> {
    let mut pack = command::npm();
    pack.current_dir(package)
        .args(["pack", "--silent", "--pack-destination"]);
    let tarball = command::output(pack.arg(folder))?;
    let mut publish = command::npm();
    publish
        .current_dir(folder)
        .args(["publish", "--dry-run", "--offline", "--loglevel=error"]);
    command::run(publish.arg(tarball.trim()))
}

/// The heading of this version, and what stands below it.
fn section(changes: &str) -> (&str, &str) {
    let mut sections = changes
        .split("\n## ")
        .filter_map(|section| section.split_once('\n'));
    sections
        .find(|(heading, _)| heading.split(' ').next() == Some(VERSION))
        .unwrap_or_default()
}

fn manifest(folder: &str) -> Result<Value> {
    files::read_json(&repo::root().join(folder).join("package.json"))
}

fn is_committed() -> Result<bool> {
    let mut git = Command::new("git");
    let changed = command::output(
        git.args(["status", "--porcelain"])
            .current_dir(repo::root()),
    )?;
    Ok(changed.is_empty())
}

/// What a release must say, and these do not: the changelog's heading, and the manifests of the npm packages.
fn missing(heading: &str, package: &Value, conformance: &Value) -> Vec<String> {
    let is_real = |address: &Value| {
        let address = address.as_str().unwrap_or_default();
        let host = address.trim_start_matches("git+").strip_prefix("https://");
        let host = host.and_then(|host| host.split('/').next());
        host.is_some_and(|host| !host.ends_with(".example"))
    };
    let is_dated = heading
        .split_once(" (20")
        .is_some_and(|(version, _)| version == VERSION);
    let addresses = [
        ("homepage", &package["homepage"]),
        ("repository", &package["repository"]["url"]),
        ("bugs", &package["bugs"]["url"]),
    ];
    let unreal = addresses
        .into_iter()
        .filter(|(_, address)| !is_real(address));
    let mut missing: Vec<String> = unreal
        .map(|(name, _)| format!("`{name}` in pkg-template/package.json"))
        .collect();
    if !is_dated {
        missing.push(format!("the date of {VERSION} in CHANGELOG.md"));
    }
    if conformance["version"] != VERSION {
        missing.push(format!("version {VERSION} in conformance/package.json"));
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_release_has_a_date_and_addresses() {
        let dated = format!("{VERSION} (2026-12-01)");
        let complete = json!({
            "homepage": "https://pos-connect.dev/",
            "repository": { "url": "git+https://code.dev/pos-connect.git" },
            "bugs": { "url": "https://code.dev/pos-connect/issues" },
        });
        let conformance = json!({ "version": VERSION });
        assert_eq!(missing(&dated, &complete, &conformance), [""; 0]);

        let unready = format!("{VERSION} (not published yet)");
        let placeholder =
            json!({ "homepage": "https://pos-connect.example/", "bugs": { "url": "?" } });
        let found = missing(&unready, &placeholder, &json!({ "version": "0.0.9" }));
        assert_eq!(found.len(), 5, "{found:?}");
    }

    #[test]
    fn the_notes_are_the_section_of_the_version() {
        let changes =
            format!("# Changelog\n\n## {VERSION} (today)\n\nNew.\n\n## 0.0.9 (before)\n\nOld.\n");
        assert_eq!(
            section(&changes),
            (format!("{VERSION} (today)").as_str(), "\nNew.\n")
        );
    }
}

//! What a till downloads.

use crate::{Result, command, files, repo};
use serde::Deserialize;
use std::iter::Sum;
use std::path::Path;
use std::process::Command;

/// Brotli, all files of the default entry together: more is an error. The message of the commit that raises it says
/// what the new bytes are for.
const LIMIT_BYTES: u64 = 195_000;

#[derive(Clone, Copy, Default, Deserialize)]
pub struct Size {
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// One of the ways to load the package.
struct Entry {
    name: &'static str,
    /// Files that only other entries load.
    without: &'static [&'static str],
}

/// No part of what every till downloads, and when they are loaded.
const BESIDE: [(&str, &str); 6] = [
    ("dev.js", "in Node"),
    ("elsewhere.js", "if asked for"),
    ("explain/index.js", "if imported"),
    ("react/index.js", "with React"),
    ("server/index.js", "in Node"),
    ("vue/index.js", "with Vue"),
];

fn beside(name: &str) -> Option<&'static str> {
    let found = BESIDE.iter().find(|(file, _)| *file == name);
    found.map(|(_, when)| *when)
}

const ENTRIES: [Entry; 3] = [
    Entry {
        name: "pos-connect",
        without: &["inline.js", "wasm-base64.js", SCRIPT],
    },
    Entry {
        name: "pos-connect/inline",
        without: &["index.js", "wasm/pos_connect_bg.wasm", SCRIPT],
    },
    Entry {
        name: "pos-connect/pos-connect.iife.js",
        without: &["core.js", "index.js", "inline.js", "wasm-base64.js"],
    },
];

/// The entry for pages without modules.
const SCRIPT: &str = "pos-connect.iife.js";

impl Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |a, b| Self {
            raw: a.raw + b.raw,
            gzip: a.gzip + b.gzip,
            brotli: a.brotli + b.brotli,
        })
    }
}

/// Prints the sizes of the package in `folder`; an error if the default entry is over its limit.
pub fn report(folder: &Path) -> Result<()> {
    let names: Vec<String> = files::list(folder)?
        .iter()
        .map(|path| path.to_string_lossy().replace('\\', "/"))
        // What a till loads; "types/" has nothing to run, and "testing/" runs in no till.
        .filter(|name| !name.starts_with("types/") && !name.starts_with("testing/"))
        .filter(|name| name.ends_with(".js") || name.ends_with(".wasm"))
        .collect();
    let sizes = measure(folder, &names)?;
    command::say(format_args!(
        "{:<64}{:>9}{:>9}{:>9}",
        "downloaded by a till, bytes", "raw", "gzip", "brotli"
    ));
    for (name, size) in names.iter().zip(&sizes) {
        let when = beside(name).map_or(String::new(), |when| format!(", {when}"));
        row(&format!("  {name}{when}"), *size);
    }
    let total = |entry: &Entry| {
        let loaded = names
            .iter()
            .zip(&sizes)
            .filter(|(name, _)| beside(name).is_none() && !entry.without.contains(&name.as_str()));
        loaded.map(|(_, size)| *size).sum::<Size>()
    };
    for entry in &ENTRIES {
        row(&format!("\"{}\" in total", entry.name), total(entry));
    }
    let brotli = total(&ENTRIES[0]).brotli;
    if brotli > LIMIT_BYTES {
        return Err(format!(
            "the package is {brotli} bytes of brotli, over its limit of {LIMIT_BYTES}: spend less, or raise the limit \
             (xtask/src/size.rs) and say in the commit's message what the bytes are for"
        ));
    }
    let left = LIMIT_BYTES - brotli;
    command::say(format_args!(
        "{left} bytes of brotli are left to the limit of {LIMIT_BYTES}"
    ));
    Ok(())
}

/// Prints what pages pin the script by, and the WebAssembly that the script itself pins.
pub fn report_integrity(folder: &Path) -> Result<()> {
    let names = [SCRIPT, "wasm/pos_connect_bg.wasm"];
    let script = repo::root().join("xtask/js/integrity.mjs");
    let mut hashes = Command::new("node");
    let text = command::output(hashes.current_dir(folder).arg(script).args(names))?;
    for (name, hash) in names.iter().zip(text.lines()) {
        command::say(format_args!("integrity of {name}: {hash}"));
    }
    Ok(())
}

/// A file's size after brotli.
pub fn brotli(folder: &Path, name: &str) -> Result<u64> {
    let sizes = measure(folder, &[name.to_owned()])?;
    Ok(sizes.iter().map(|size| size.brotli).sum())
}

fn row(name: &str, size: Size) {
    command::say(format_args!(
        "{name:<54}{:>9}{:>9}{:>9}",
        size.raw, size.gzip, size.brotli
    ));
}

/// Node, because std has no gzip and no brotli.
fn measure(folder: &Path, names: &[String]) -> Result<Vec<Size>> {
    let script = repo::root().join("xtask/js/sizes.mjs");
    let mut node = Command::new("node");
    let text = command::output(node.current_dir(folder).arg(script).args(names))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

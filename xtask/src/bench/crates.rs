//! What each crate costs in the module that ships: twiggy's table, summed up.

use crate::{Result, command, files, package, repo, size, tool};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const OWN: &str = "pos_connect";
/// wasm-pack's options for the module; Cargo.toml has them for the shipped one.
const OPTIMIZED: [&str; 2] = ["-Oz", "-g"];

/// Takes apart the module as published, before its names go.
pub fn report() -> Result<()> {
    let folder = package::compile("bench-wasm")?;
    let named = with_names(&repo::made("bench-names"))?;
    let mut twiggy = Command::new(tool::install(&tool::TWIGGY)?);
    twiggy
        .args("top -n 1000000 --format csv".split(' '))
        .arg(&named);
    let mut rows: BTreeMap<String, u64> = BTreeMap::new();
    // Name,ShallowSize,ShallowSizePercent,RetainedSize,RetainedSizePercent
    for line in command::output(&mut twiggy)?.lines().skip(1) {
        let mut columns = line.rsplit(',').skip(3);
        let (bytes, name) = (columns.next(), columns.collect::<Vec<_>>());
        let name: String = name.into_iter().rev().collect();
        let bytes = bytes.and_then(|bytes| bytes.parse::<u64>().ok());
        *rows.entry(row(&name)).or_default() += bytes.unwrap_or_default();
    }
    let whole: u64 = rows.values().sum();
    let brotli = size::brotli(&folder, "pos_connect_bg.wasm")? as f64;
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    println!("\n{:<44}{:>9}{:>9}", "the module", "raw", "brotli");
    for (name, bytes) in rows {
        let share = bytes as f64 / whole as f64 * brotli;
        println!("{name:<44}{bytes:>9}{share:>9.0}");
    }
    println!(
        "brotli is an estimate: the same share as of the raw bytes. An inlined function counts for its caller."
    );
    Ok(())
}

/// The last steps of wasm-pack, told to keep the names; gives the module.
fn with_names(folder: &Path) -> Result<PathBuf> {
    let compiled = repo::made("wasm32-unknown-unknown/wasm-release/pos_connect.wasm");
    let path = tool::for_wasm()?;
    files::remove(folder)?;
    let mut bindgen = Command::new("wasm-bindgen");
    bindgen
        .env("PATH", &path)
        .args("--target web --no-typescript --omit-default-module-path".split(' '))
        .args("--out-name pos_connect --out-dir".split(' '))
        .args([folder, &compiled]);
    command::run(&mut bindgen)?;
    let module = folder.join("named.wasm");
    let mut optimizer = Command::new("wasm-opt");
    optimizer
        .env("PATH", &path)
        .arg(folder.join("pos_connect_bg.wasm"))
        .arg("-o")
        .arg(&module)
        .args(OPTIMIZED);
    command::run(&mut optimizer)?;
    Ok(module)
}

/// The crate that a function's name begins with; of our own the module, too. What is no function stands for itself.
fn row(name: &str) -> String {
    let path = name.trim_matches('"').trim_start_matches(['<', '&', '*']);
    let path = path.strip_prefix("dyn ").unwrap_or(path);
    let mut parts = path.split("::").map(|part| {
        let is_end = |letter: char| !letter.is_alphanumeric() && letter != '_';
        part.split(is_end).next().unwrap_or_default()
    });
    match (parts.next(), parts.next()) {
        _ if path.starts_with("data") => "data".to_owned(),
        _ if path.starts_with("import ") => "imports".to_owned(),
        (Some(OWN), Some(module)) => format!("{OWN}::{module}"),
        (Some(first), Some(_)) => first.to_owned(),
        _ => "exports, and what wasm-bindgen adds".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn a_function_belongs_to_the_crate_its_name_begins_with() {
        assert_eq!(
            row("pos_connect::keypad::prompt::Ask::on"),
            "pos_connect::keypad"
        );
        assert_eq!(
            row("<pos_connect::error::Failure as core::fmt::Display>::fmt"),
            "pos_connect::error"
        );
        assert_eq!(
            row("core::ptr::drop_in_place<pos_connect::vault::Entry>"),
            "core"
        );
        assert_eq!(row("data[3]"), "data");
        assert_eq!(
            row("import __wbindgen_placeholder__::__wbg_then_1"),
            "imports"
        );
    }
}

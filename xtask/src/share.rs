//! What the phone numbers and the keypad add to the WebAssembly that a till downloads.

use crate::{Result, files, package, repo, size};
use std::path::PathBuf;

const MODULE: &str = "pos_connect_bg.wasm";

/// Each with more than the one before: a name, and cargo's options.
const BUILDS: [(&str, &[&str]); 3] = [
    ("connect only", &["--no-default-features"]),
    (
        "with phone numbers",
        &["--no-default-features", "--features", "phone"],
    ),
    ("with the keypad, as published", &[]),
];

/// Builds the module each way and prints its size; gives the one that is published, which cargo has compiled last.
pub fn report() -> Result<PathBuf> {
    println!("\nbench: compiling the module without the keypad, and without phone numbers");
    let mut sizes = Vec::new();
    let mut published = PathBuf::new();
    for (number, (_, options)) in BUILDS.iter().enumerate() {
        let folder = package::compile(&format!("bench-wasm/{number}"), options)?;
        sizes.push(size::brotli(&folder, MODULE)?);
        published = folder.join(MODULE);
    }
    println!("\nthe module, bytes of brotli");
    let mut before = 0;
    for ((name, _), size) in BUILDS.iter().zip(sizes) {
        let added = size.saturating_sub(before);
        println!("  {name:<32}{size:>8}   (+{added})");
        before = size;
    }
    let table = files::read(&repo::root().join("phone/src/table.bin"))?.len();
    println!(
        "phone numbers are engine and table (its {table} bytes compress no further); \
         the keypad is widget, styles and texts"
    );
    Ok(published)
}

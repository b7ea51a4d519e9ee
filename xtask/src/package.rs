//! The npm package: `pkg/` and the tarball in it.

use crate::args::Args;
use crate::{Result, command, files, fingerprint, lock, repo, size, tool};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything the package is made from; xtask's own part is in here because it decides how.
const INPUTS: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "protocol",
    "phone",
    "texts",
    "pkg-template",
    "README.md",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "xtask/src/package.rs",
    "xtask/js",
    "xtask/npm",
];

/// Copied from the repository's root as they are.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

pub fn run(mut args: Args) -> Result<()> {
    let bless = args.flag("--bless");
    args.finish()?;
    if bless {
        write_options()?;
    }
    build()?;
    check(bless)
}

/// Writes what `index.d.ts` and the pages say about the options; without `BLESS`, the same test compares it.
fn write_options() -> Result<()> {
    let mut cargo = command::cargo();
    let test = "test --quiet --package pos-connect --lib options::tests::what_developers_read";
    command::run(cargo.args(test.split(' ')).env("BLESS", "1"))
}

/// Makes the package unless it is there already, made from the same inputs.
pub fn build() -> Result<()> {
    let _lock = lock::hold(&repo::made("package.lock"))?;
    let stamp = repo::made("package.stamp");
    let inputs = fingerprint::of(INPUTS)?;
    // With what came of them: a bare `wasm-pack build` writes into the same folder.
    let state = || Ok::<_, String>(format!("{inputs} {}", fingerprint::of(&["pkg"])?));
    if files::read_text(&stamp).is_ok_and(|made| state() == Ok(made)) {
        command::say(format_args!(
            "package: {} is up to date",
            relative(&repo::tarball())
        ));
        return Ok(());
    }
    files::remove(&stamp)?;
    let wasm = compile("wasm-pack")?;
    assemble(&repo::root(), &wasm, &repo::package())?;
    let packed = command::output(command::npm().current_dir(repo::package()).args([
        "pack",
        "--json",
        "--loglevel=error",
    ]))?;
    files::write(&repo::made("packed.json"), packed)?;
    command::say(format_args!("package: {}", relative(&repo::tarball())));
    files::write(&stamp, state()?)
}

/// Compares the package with what is expected of it, or, with `bless`, expects from now on what it is.
pub fn check(bless: bool) -> Result<()> {
    let expected = repo::root().join("tests/package/files.txt");
    compare(&expected, &packed_files()?, bless)?;
    size::report_integrity(&repo::package())?;
    size::report(&repo::package())
}

/// Compiles the SDK to WebAssembly, into a folder in `target/`; gives that.
///
/// The standard library is compiled anew: without panic messages, which nobody would read, and optimized for size.
/// That is a sixth of the download. cargo and rustc call it unstable; `RUSTC_BOOTSTRAP` lets the installed toolchain
/// do it all the same.
pub fn compile(folder: &str) -> Result<PathBuf> {
    let (root, out) = (repo::root(), repo::made(folder));
    let path = tool::for_wasm()?;
    files::remove(&out)?;
    let mut wasm_pack = Command::new("wasm-pack");
    wasm_pack
        .current_dir(&root)
        .env("PATH", &path)
        .env("CARGO_ENCODED_RUSTFLAGS", rustflags(&root)?)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
        .env("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size")
        // index.d.ts is written by hand; the generated types name what is not public.
        .args("build --profile wasm-release --target web --no-pack --no-typescript".split(' '))
        .args("--mode no-install".split(' '))
        .args("--out-name pos_connect --out-dir".split(' '))
        .arg(&out)
        // Else cargo would compile all of the workspace's default members for the browser.
        .args(["--", "--package", "pos-connect"]);
    command::run(&mut wasm_pack)?;
    // Says `*`, and npm would ship nothing.
    files::remove(&out.join(".gitignore"))?;
    Ok(out)
}

/// Without what only panic messages need; and without this machine's folders, so that the same sources give the same
/// bytes in any clone.
fn rustflags(root: &Path) -> Result<String> {
    let cargo_home = repo::cargo_home().ok_or("this user has no home directory; set CARGO_HOME")?;
    let flag =
        |folder: &Path, name: &str| format!("--remap-path-prefix={}={name}", folder.display());
    let flags = [
        "-Zunstable-options".to_owned(),
        "-Cpanic=immediate-abort".to_owned(),
        "-Zlocation-detail=none".to_owned(),
        "-Zfmt-debug=none".to_owned(),
        // They would need Chromium 96, and are no gain: wasm-bindgen's own table of objects takes 1 KB less.
        "-Ctarget-feature=-reference-types,-multivalue".to_owned(),
        flag(&cargo_home.join("registry/src"), "crates"),
        flag(root, "pos-connect"),
    ];
    Ok(flags.join("\u{1f}"))
}

fn assemble(root: &Path, wasm: &Path, package: &Path) -> Result<()> {
    files::remove(package)?;
    files::copy_tree(&root.join("pkg-template"), package)?;
    files::copy_tree(wasm, &package.join("wasm"))?;
    name_version(package)?;
    let mut bundle = Command::new("node");
    bundle
        .arg(root.join("xtask/js/bundle.mjs"))
        .args([package.as_os_str(), tool::from_npm()?.as_os_str()]);
    command::run(&mut bundle)?;
    for document in DOCUMENTS {
        files::copy(&root.join(document), &package.join(document))?;
    }
    let module = files::read(&package.join("wasm/pos_connect_bg.wasm"))?;
    files::write(
        &package.join("wasm-base64.js"),
        format!(
            "export const base64 = \"{}\";\n",
            BASE64_STANDARD.encode(&module)
        ),
    )
}

/// Writes the version of `Cargo.toml` into the manifest.
fn name_version(package: &Path) -> Result<()> {
    let manifest = package.join("package.json");
    let text = files::read_text(&manifest)?;
    // As text: serde_json would sort the keys, and in `exports` the first match wins.
    let versioned = text.replacen(
        "\"version\": \"0.0.0\"",
        &format!("\"version\": \"{}\"", repo::VERSION),
        1,
    );
    if versioned == text {
        let why = "pkg-template/package.json must say \"version\": \"0.0.0\"; the version comes from Cargo.toml";
        return Err(why.to_owned());
    }
    files::write(&manifest, versioned)
}

/// The tarball's files as npm listed them, one a line.
fn packed_files() -> Result<String> {
    let listed: Value = files::read_json(&repo::made("packed.json"))?;
    let paths = listed[0]["files"].as_array().into_iter().flatten();
    let names: BTreeSet<String> = paths
        .filter_map(|file| file["path"].as_str())
        .map(|name| [name, "\n"].concat())
        .collect();
    Ok(names.into_iter().collect())
}

fn compare(expected: &Path, found: &str, bless: bool) -> Result<()> {
    if bless {
        return files::write(expected, found);
    }
    let wanted = files::read_text(expected)?;
    if wanted == found {
        return Ok(());
    }
    let only_in = |these: &str, others: &str, word: &str| -> String {
        let is_other = |line: &&str| !others.lines().any(|other| other == *line);
        let lines = these.lines().filter(is_other);
        lines.map(|line| format!("\n  {word} {line}")).collect()
    };
    let difference = only_in(&wanted, found, "gone:") + &only_in(found, &wanted, "new: ");
    Err(format!(
        "the files in the package changed against {}:{difference}\nif that is meant, say so in CHANGELOG.md and run \
         `cargo xtask package --bless`",
        relative(expected)
    ))
}

fn relative(path: &Path) -> String {
    path.strip_prefix(repo::root())
        .unwrap_or(path)
        .display()
        .to_string()
}

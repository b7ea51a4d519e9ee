//! The build tools, pinned and shared by all clones of a user: the wasm target, programs from crates.io, and
//! from npm.

use crate::{Result, command, files, lock, npm, repo};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program installed from crates.io.
pub struct Tool {
    name: &'static str,
    version: &'static str,
    /// The program that is asked for; a crate may install several.
    program: &'static str,
    /// Its features, in place of the default ones.
    features: Option<&'static str>,
    /// What does not work without it.
    without: &'static str,
}

impl Tool {
    /// A crate whose program has its name.
    const fn new(name: &'static str, version: &'static str, without: &'static str) -> Self {
        Self {
            name,
            version,
            program: name,
            features: None,
            without,
        }
    }
}

/// Must be of the very version of the `wasm-bindgen` crate.
const WASM_BINDGEN: Tool = Tool {
    program: "wasm-bindgen",
    // Without TLS, the default: the drivers that the runner calls are on this machine.
    features: Some(""),
    ..Tool::new("wasm-bindgen-cli", "0.2.129", WITHOUT_WASM)
};

const WASM_PACK: Tool = Tool::new("wasm-pack", "0.15.1", WITHOUT_WASM);
const WITHOUT_WASM: &str = "the SDK cannot be packaged or tested in a browser";

/// Firefox's driver.
pub const GECKODRIVER: Tool =
    Tool::new("geckodriver", "0.36.0", "nothing can be tested in Firefox");

/// Makes the site of `docs/`.
pub const MDBOOK: Tool = Tool {
    features: Some("search"),
    ..Tool::new(
        "mdbook",
        "0.5.4",
        "the pages of docs/ cannot be built as a site",
    )
};

/// Makes Debian packages.
pub const CARGO_DEB: Tool = Tool::new("cargo-deb", "3.8.0", "there are no Debian packages");

/// Says what a WebAssembly module's bytes are spent on.
pub const TWIGGY: Tool = Tool::new("twiggy", "0.8.0", "nothing says what each crate costs");

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Installs whatever compiling the SDK needs and gives the `PATH` to do it with.
pub fn for_wasm() -> Result<OsString> {
    wasm_target()?;
    standard_library_sources()?;
    let mut folders = Vec::new();
    for tool in [WASM_BINDGEN, WASM_PACK] {
        let mut folder = install(&tool)?;
        folder.pop();
        folders.push(folder);
    }
    folders.push(from_npm()?.join("node_modules/.bin"));
    command::path_with(&folders)
}

/// wasm-bindgen's runner of tests in a page.
pub fn test_runner() -> Result<PathBuf> {
    let runner = format!("wasm-bindgen-test-runner{}", std::env::consts::EXE_SUFFIX);
    Ok(install(&WASM_BINDGEN)?.with_file_name(runner))
}

/// The standard library for WebAssembly, ready-made: for tests.
pub fn wasm_target() -> Result<()> {
    target(WASM_TARGET)
}

/// The standard library for one of Rust's targets.
pub fn target(name: &str) -> Result<()> {
    rustup(&format!("lib/rustlib/{name}"), ["target", "add", name])
}

/// The standard library's sources: the package compiles its own, see `package::compile`.
fn standard_library_sources() -> Result<()> {
    rustup(
        "lib/rustlib/src/rust/library",
        ["component", "add", "rust-src"],
    )
}

/// Adds a part of the toolchain, unless its folder is there.
fn rustup(folder: &str, arguments: [&str; 3]) -> Result<()> {
    let sysroot = command::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    if PathBuf::from(sysroot.trim()).join(folder).is_dir() {
        return Ok(());
    }
    let [.., part] = arguments;
    println!("tools: adding {part} to the Rust toolchain");
    command::run(Command::new("rustup").args(arguments))
        .map_err(|error| format!("{error}; without {part} nothing can be compiled for its target"))
}

/// Compiles a tool once per user and gives the path of its program.
pub fn install(tool: &Tool) -> Result<PathBuf> {
    let Tool {
        name,
        version,
        program,
        features,
        without,
    } = tool;
    let program = format!("bin/{program}{}", std::env::consts::EXE_SUFFIX);
    once(&format!("{name}-{version}"), &program, |folder| {
        println!("tools: compiling {name} {version}, once for this user; takes a minute or two");
        let mut cargo = command::cargo();
        cargo
            // Outside the repository, whose cargo configuration is not meant for this.
            .current_dir(folder)
            .args(["install", name, "--locked", "--version", version, "--root"])
            .arg(folder)
            // A third of the time to compile, and what they do here takes a second either way.
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        if let Some(features) = features {
            cargo.args(["--no-default-features", "--features", features]);
        }
        command::run(command::quiet_unless_terminal(&mut cargo)).map_err(|error| {
            format!("{name} {version} could not be installed: {error}; without it {without}")
        })
    })
}

/// What compiles and links static programs for Linux on any machine, with their C parts.
pub struct Zigbuild {
    /// cargo-zigbuild.
    pub program: PathBuf,
    /// The compiler and linker that it calls.
    pub zig: PathBuf,
}

/// From PyPI, which alone has zig ready-made.
pub fn zigbuild() -> Result<Zigbuild> {
    const PINNED: [&str; 2] = ["cargo-zigbuild==0.23.4", "ziglang==0.15.2"];
    let name = PINNED.join("-").replace("==", "-");
    let program = once(&name, "bin/cargo-zigbuild", |folder| {
        println!("tools: installing {} with pip", PINNED.join(" and "));
        let mut pip = Command::new("python3");
        pip.env("PIP_ROOT_USER_ACTION", "ignore")
            .args(["-m", "pip", "--quiet", "install", "--no-deps", "--target"])
            .arg(folder)
            .args(PINNED);
        command::run(&mut pip)
            .map_err(|error| format!("{error}; images need Python 3 with pip, which brings zig"))
    })?;
    let zig = program.with_file_name("../ziglang/zig");
    Ok(Zigbuild { program, zig })
}

/// wasm-opt and esbuild. Gives the folder they are installed in.
pub fn from_npm() -> Result<PathBuf> {
    let source = repo::root().join("xtask/npm");
    let manifest: Value = files::read_json(&source.join("package.json"))?;
    let pinned = manifest["dependencies"].as_object().into_iter().flatten();
    let names: Vec<String> = pinned
        .map(|(name, version)| format!("{name}-{}", version.as_str().unwrap_or_default()))
        .collect();
    let mut folder = once(&names.join("-"), "node_modules", |folder| {
        println!("tools: installing {} from npm", names.join(" and "));
        files::copy_tree(&source, folder)?;
        npm::install(folder).map_err(|error| {
            format!(
                "{} could not be installed: {error}; without them the package is too large to ship",
                names.join(" and ")
            )
        })
    })?;
    folder.pop();
    Ok(folder)
}

/// Fills a folder of the cache, unless that was done before, and gives the path of what is wanted in it. Clones that
/// need it at the same time wait for the first one.
pub fn once(name: &str, product: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let tools = repo::cache()?.join("tools");
    let folder = tools.join(name);
    let product = folder.join(product);
    if product.exists() {
        return Ok(product);
    }
    let _lock = lock::hold(&tools.join(format!("{name}.lock")))?;
    if product.exists() {
        return Ok(product);
    }
    // Renamed when complete, so that an interrupted install is never taken for a finished one.
    let partial = tools.join(format!("{name}.partial"));
    files::remove(&folder)?;
    files::remove(&partial)?;
    files::create_folder(&partial)?;
    fill(&partial)?;
    files::rename(&partial, &folder)?;
    Ok(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cli_is_of_the_crates_own_version() {
        let lock = files::read_text(&repo::root().join("Cargo.lock")).unwrap();
        let entry = format!(
            "name = \"wasm-bindgen\"\nversion = \"{}\"\n",
            WASM_BINDGEN.version
        );
        assert!(
            lock.contains(&entry),
            "Cargo.lock has another wasm-bindgen than {}",
            WASM_BINDGEN.version
        );
    }
}

//! The build tools, pinned and shared by all clones of a user: the wasm target, three programs from crates.io, one from npm.

use crate::{Result, command, files, lock, npm, repo};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// A program installed from crates.io.
pub struct Tool {
    name: &'static str,
    version: &'static str,
    /// The program that is asked for; a crate may install several.
    program: &'static str,
    /// What does not work without it.
    without: &'static str,
}

/// Must be of the very version of the `wasm-bindgen` crate.
const WASM_BINDGEN: Tool = Tool {
    name: "wasm-bindgen-cli",
    version: "0.2.129",
    program: "wasm-bindgen",
    without: "the SDK cannot be packaged or tested in a browser",
};

const WASM_PACK: Tool = Tool {
    name: "wasm-pack",
    version: "0.15.1",
    program: "wasm-pack",
    without: "the SDK cannot be packaged or tested in a browser",
};

pub const GECKODRIVER: Tool = Tool {
    name: "geckodriver",
    version: "0.36.0",
    program: "geckodriver",
    without: "nothing can be tested in Firefox",
};

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Installs whatever compiling the SDK needs and gives the `PATH` to do it with.
pub fn for_wasm() -> Result<OsString> {
    wasm_target()?;
    let mut folders = Vec::new();
    for tool in [WASM_BINDGEN, WASM_PACK] {
        let mut folder = install(&tool)?;
        folder.pop();
        folders.push(folder);
    }
    folders.push(binaryen()?);
    command::path_with(&folders)
}

/// The standard library for WebAssembly.
pub fn wasm_target() -> Result<()> {
    let sysroot = command::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    if PathBuf::from(sysroot.trim())
        .join("lib/rustlib")
        .join(WASM_TARGET)
        .is_dir()
    {
        return Ok(());
    }
    println!("tools: adding the Rust target {WASM_TARGET}");
    command::run(Command::new("rustup").args(["target", "add", WASM_TARGET])).map_err(|error| {
        format!("{error}; the SDK is compiled for {WASM_TARGET}, and without that target nothing of it can be built")
    })
}

/// Compiles a tool once per user and gives the path of its program.
pub fn install(tool: &Tool) -> Result<PathBuf> {
    let Tool {
        name,
        version,
        program,
        without,
    } = tool;
    let tools = repo::cache()?.join("tools");
    let folder = tools.join(format!("{name}-{version}"));
    let program = folder
        .join("bin")
        .join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    let _lock = lock::hold(&tools.join(format!("{name}-{version}.lock")))?;
    if program.is_file() {
        return Ok(program);
    }
    println!("tools: compiling {name} {version}, once for this user; takes minutes");
    // Renamed when complete, so that an interrupted install is never taken for a finished one.
    let partial = tools.join(format!("{name}-{version}.partial"));
    files::remove(&folder)?;
    files::remove(&partial)?;
    let mut cargo = command::cargo();
    // Outside the repository, whose cargo configuration is not meant for this.
    cargo
        .current_dir(&tools)
        .args(["install", name, "--locked", "--version", version, "--root"])
        .arg(&partial);
    command::run(command::quiet_unless_terminal(&mut cargo)).map_err(|error| {
        format!("{name} {version} could not be installed: {error}; without it {without}")
    })?;
    files::rename(&partial, &folder)?;
    Ok(program)
}

/// wasm-opt. Gives the folder it is in.
fn binaryen() -> Result<PathBuf> {
    let source = repo::root().join("xtask/npm");
    let manifest: serde_json::Value =
        serde_json::from_slice(&files::read(&source.join("package.json"))?)
            .map_err(|error| error.to_string())?;
    let version = manifest["dependencies"]["binaryen"]
        .as_str()
        .unwrap_or_default();
    let tools = repo::cache()?.join("tools");
    let folder = tools.join(format!("binaryen-{version}"));
    let programs = folder.join("node_modules/.bin");
    if programs.join("wasm-opt").is_file() {
        return Ok(programs);
    }
    let _lock = lock::hold(&tools.join(format!("binaryen-{version}.lock")))?;
    if programs.join("wasm-opt").is_file() {
        return Ok(programs);
    }
    println!("tools: installing binaryen {version} from npm");
    let partial = tools.join(format!("binaryen-{version}.partial"));
    files::remove(&folder)?;
    files::remove(&partial)?;
    files::copy_tree(&source, &partial)?;
    npm::install(&partial).map_err(|error| {
        format!("binaryen {version} could not be installed: {error}; without wasm-opt the package would be too large to ship")
    })?;
    files::rename(&partial, &folder)?;
    Ok(programs)
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

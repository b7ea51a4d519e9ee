//! The workspace's packages, and cargo's builds of them.

use super::outcome::Outcome;
use crate::{Result, command, repo};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cargo feature of the tests that need a rig. It changes nothing else, so everything is compiled with it: once.
pub const RIG_TESTS: &str = "rig-tests";

/// The SDK's tests in a page.
pub const PAGE_TESTS: [&str; 7] = [
    "test",
    "--no-run",
    "--target=wasm32-unknown-unknown",
    "--package=pos-connect",
    "--features=rig-tests",
    // wasm-bindgen reads the whole module before each run; with what debuggers want, it is seven times as long.
    "--config=profile.dev.debug=0",
    "--tests",
];

#[derive(Deserialize)]
pub struct Workspace {
    pub packages: Vec<Package>,
}

#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    manifest_path: PathBuf,
    pub targets: Vec<Target>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
pub struct Target {
    pub name: String,
    pub kind: Vec<String>,
    #[serde(default, rename = "required-features")]
    required_features: Vec<String>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    path: Option<PathBuf>,
}

impl Workspace {
    pub fn read() -> Result<Self> {
        let arguments = "metadata --no-deps --format-version 1 --locked";
        let metadata = command::output(command::cargo().args(arguments.split(' ')))?;
        serde_json::from_str(&metadata).map_err(|error| error.to_string())
    }

    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// The folders of a package and of all that it depends on here.
    pub fn folders(&self, package: &Package) -> Vec<String> {
        let mut names = vec![package.name.as_str()];
        let mut place = 0;
        while let Some(package) = names.get(place).and_then(|name| self.package(name)) {
            let here = package.dependencies.iter().filter(|one| one.path.is_some());
            for dependency in here {
                if !names.contains(&dependency.name.as_str()) {
                    names.push(&dependency.name);
                }
            }
            place += 1;
        }
        let packages = names.iter().filter_map(|name| self.package(name));
        packages.map(Package::sources).collect()
    }
}

impl Package {
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("/"))
    }

    /// Its folder, relative to the repository; `src` for the SDK, whose folder is the repository.
    fn sources(&self) -> String {
        let folder = self.folder();
        match folder.strip_prefix(repo::root()) {
            Ok(below) if !below.as_os_str().is_empty() => below.display().to_string(),
            _ => "src".to_owned(),
        }
    }
}

impl Target {
    pub fn is_test(&self) -> bool {
        self.kind.iter().any(|kind| kind == "test")
    }

    pub fn needs_rig(&self) -> bool {
        self.required_features.iter().any(|name| name == RIG_TESTS)
    }
}

/// A compiled file of tests.
pub struct TestProgram {
    pub package: String,
    pub target: String,
    pub path: PathBuf,
}

/// What cargo made.
#[derive(Default)]
pub struct Build {
    pub tests: Vec<TestProgram>,
    programs: Vec<(String, PathBuf)>,
    pub warnings: Vec<String>,
}

impl Build {
    pub fn program(&self, name: &str) -> Result<PathBuf> {
        let mut programs = self.programs.iter();
        let found = programs.find(|(program, _)| program == name);
        found
            .map(|(_, path)| path.clone())
            .ok_or_else(|| format!("cargo built no {name}"))
    }
}

/// A line of cargo's messages.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    target: Option<Target>,
    executable: Option<PathBuf>,
    profile: Option<Profile>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

/// Cargo with clippy in place of the compiler for the workspace's own packages: what `cargo clippy` does for a check of
/// its own, which would share nothing with the build and take as long again.
fn cargo() -> Result<Command> {
    let sysroot = command::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let clippy = Path::new(sysroot.trim()).join("bin/clippy-driver");
    let mut cargo = command::cargo();
    cargo
        .env("RUSTC_WORKSPACE_WRAPPER", clippy)
        .env("CLIPPY_ARGS", "");
    Ok(cargo)
}

/// The pages of the libraries in a build of tests: `cargo doc` would check each dependency once more, doc tests stand
/// on what the tests are compiled with. `rustdoc.sh` makes pages of them.
pub fn documentation(tests: &[&str]) -> Result<Command> {
    let folder = repo::made("doc");
    let words = tests
        .iter()
        .filter(|word| !["--no-run", "--tests"].contains(word));
    let mut cargo = cargo()?;
    cargo
        .args(words)
        .args(["--doc", "--no-fail-fast", "--locked"])
        .env("RUSTDOC", repo::root().join("xtask/src/test/rustdoc.sh"))
        .env(
            "CARGO_ENCODED_RUSTDOCFLAGS",
            format!("-Dwarnings\x1f--out-dir={}", folder.display()),
        );
    Ok(cargo)
}

/// Runs cargo with these arguments.
pub fn compile(arguments: &[&str], outcome: &mut Outcome) -> Result<Build> {
    let mut cargo = cargo()?;
    cargo
        .args(arguments)
        .args(["--locked", "--message-format=json"]);
    let (messages, result) = command::partial_output(&mut cargo)?;
    let mut build = Build::default();
    let messages = messages.lines().map(serde_json::from_str);
    for message in messages {
        let message: Message = message.map_err(|error| format!("cargo's message: {error}"))?;
        match message.reason.as_str() {
            "compiler-artifact" => build.artifact(message),
            "compiler-message" => build.diagnostic(message, outcome),
            _ => {}
        }
    }
    result.map(|()| build)
}

impl Build {
    fn artifact(&mut self, message: Message) {
        let (Some(target), Some(path)) = (message.target, message.executable) else {
            return;
        };
        match message.profile {
            Some(Profile { test: true }) => self.tests.push(TestProgram {
                package: package_name(&message.package_id),
                target: target.name,
                path,
            }),
            _ => self.programs.push((target.name, path)),
        }
    }

    fn diagnostic(&mut self, message: Message, outcome: &mut Outcome) {
        let Some(Diagnostic { level, rendered }) = message.message else {
            return;
        };
        let text = rendered.unwrap_or_default();
        match level.as_str() {
            "warning" => self.warnings.push(text),
            "error" => outcome.last_words += &text,
            _ => {}
        }
    }
}

/// `path+file:///…/service#pos-connect-service@0.1.0`, or `…/protocol#0.1.0` where the folder has the package's name.
fn package_name(id: &str) -> String {
    let (path, name) = id.split_once('#').unwrap_or(("", id));
    match name.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => path.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_id_has_a_name() {
        let name = package_name("path+file:///r/service#pos-connect-service@0.1.0");
        assert_eq!(name, "pos-connect-service");
        assert_eq!(package_name("path+file:///r/xtask#0.1.0"), "xtask");
    }

    #[test]
    fn a_package_is_watched_with_what_it_depends_on() {
        let workspace = Workspace::read().unwrap();
        let relay = workspace.package("pos-connect-relay").unwrap();
        let folders = workspace.folders(relay);
        for folder in ["relay", "foundation", "protocol", "service"] {
            assert!(
                folders.iter().any(|one| one == folder),
                "{folder} is not in {folders:?}"
            );
        }
        assert!(!folders.iter().any(|one| one == "xtask"));
    }

    /// Else a dependency, and all that stands on it, would be compiled once for the programs and once for the tests.
    #[test]
    fn programs_and_tests_share_the_features_of_their_dependencies() {
        let tree = |packages: &[&str]| {
            let mut cargo = command::cargo();
            let arguments = "tree --locked --prefix none --no-dedupe --format";
            cargo
                .args(arguments.split(' '))
                .arg("{p} {f}")
                .args(packages);
            let tree = command::output(&mut cargo).unwrap();
            tree.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let programs = super::super::product::programs_and_harness();
        let programs = programs.iter().filter(|word| word.starts_with("--package"));
        let programs: Vec<&str> = programs.copied().chain(["--edges=normal,build"]).collect();
        let tests = tree(&["--workspace", "--exclude=phone-oracle"]);
        let apart: Vec<_> = tree(&programs)
            .into_iter()
            .filter(|line| !tests.contains(line))
            .collect();
        assert!(
            apart.is_empty(),
            "turn these features on in workbench/Cargo.toml, or off elsewhere: {apart:?}"
        );
    }
}

//! The workspace's packages, and cargo's builds of them.

use super::outcome::Outcome;
use crate::{Result, command, repo};
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};
use cargo_metadata::{Artifact, Message, MetadataCommand, Package};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cargo feature of the tests that need a rig. It changes nothing else, so everything is compiled with it: once.
pub const RIG_TESTS: &str = "rig-tests";

/// The SDK's tests in a page. wasm-bindgen reads the whole module before each run; with what debuggers want, it is
/// seven times as long.
pub const PAGE_TESTS: &str = "test --no-run --target=wasm32-unknown-unknown --package=pos-connect \
    --features=rig-tests --config=profile.dev.debug=0 --tests";

pub struct Workspace {
    pub packages: Vec<Package>,
}

impl Workspace {
    pub fn read() -> Result<Self> {
        let mut metadata = MetadataCommand::new();
        let metadata = metadata
            .no_deps()
            .current_dir(repo::root())
            .other_options(["--locked".to_owned()])
            .exec();
        let packages = metadata.map_err(|error| error.to_string())?.packages;
        Ok(Self { packages })
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
        packages.map(sources).collect()
    }
}

/// A package's folder, relative to the repository; `src` for the SDK, whose folder is the repository.
fn sources(package: &Package) -> String {
    let manifest = package.manifest_path.strip_prefix(repo::root());
    match manifest.ok().and_then(|below| below.parent()) {
        Some(below) if below != "" => below.to_string(),
        _ => "src".to_owned(),
    }
}

/// A compiled file of tests.
pub struct TestProgram {
    /// Its package's `Cargo.toml`.
    pub manifest: PathBuf,
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

/// Cargo as all builds here run it.
fn cargo() -> Result<Command> {
    let mut cargo = command::cargo();
    with_clippy(&mut cargo)?;
    Ok(cargo)
}

/// Has cargo, or what calls it, put clippy in place of the compiler for the workspace's own packages: what `cargo
/// clippy` does for a check of its own, which would share nothing with the build and take as long again.
pub fn with_clippy(command: &mut Command) -> Result<()> {
    let sysroot = command::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let clippy = Path::new(sysroot.trim()).join("bin/clippy-driver");
    command
        .env("RUSTC_WORKSPACE_WRAPPER", clippy)
        .env("CLIPPY_ARGS", "");
    Ok(())
}

/// The examples of the libraries' documentation, as tests that stand on what the tests are compiled with.
pub fn examples(tests: &str) -> Result<Command> {
    let words = tests.split(' ');
    let words = words.filter(|word| !["--no-run", "--tests"].contains(word));
    let mut cargo = cargo()?;
    cargo
        .args(words)
        .args(["--doc", "--no-fail-fast", "--locked"]);
    Ok(cargo)
}

/// The pages of the libraries, in the same way: `cargo doc` would check each dependency once more. `rustdoc.sh` makes
/// pages where cargo wants examples run.
pub fn documentation(tests: &str) -> Result<Command> {
    let folder = repo::made("doc");
    let mut cargo = examples(tests)?;
    cargo
        .env("RUSTDOC", repo::root().join("xtask/src/test/rustdoc.sh"))
        .env(
            "CARGO_ENCODED_RUSTDOCFLAGS",
            format!("-Dwarnings\x1f--out-dir={}", folder.display()),
        );
    Ok(cargo)
}

/// Runs cargo with these arguments.
pub fn compile(arguments: &str, outcome: &mut Outcome) -> Result<Build> {
    let mut cargo = cargo()?;
    cargo
        .args(arguments.split(' '))
        .args(["--locked", "--message-format=json"]);
    let (messages, result) = command::partial_output(&mut cargo)?;
    let mut build = Build::default();
    for message in Message::parse_stream(messages.as_bytes()) {
        match message.map_err(|error| format!("cargo's message: {error}"))? {
            Message::CompilerArtifact(artifact) => build.artifact(artifact),
            Message::CompilerMessage(message) => build.diagnostic(message.message, outcome),
            _ => {}
        }
    }
    result.map(|()| build)
}

impl Build {
    fn artifact(&mut self, artifact: Artifact) {
        match (artifact.executable, artifact.target.name) {
            (None, _) => {}
            (Some(path), target) if artifact.profile.test => self.tests.push(TestProgram {
                manifest: artifact.manifest_path.into(),
                target,
                path: path.into(),
            }),
            (Some(path), target) => self.programs.push((target, path.into())),
        }
    }

    fn diagnostic(&mut self, message: Diagnostic, outcome: &mut Outcome) {
        let text = message.rendered.unwrap_or_default();
        match message.level {
            DiagnosticLevel::Warning => self.warnings.push(text),
            DiagnosticLevel::Error => outcome.last_words += &text,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let programs = programs
            .split(' ')
            .filter(|word| word.starts_with("--package"));
        let programs: Vec<&str> = programs.chain(["--edges=normal,build"]).collect();
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

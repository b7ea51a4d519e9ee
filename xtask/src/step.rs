//! The steps of `cargo xtask test`.

use crate::command::cargo;
use crate::engine::Engines;
use crate::tally::Tally;
use crate::{Result, command, suite, tool};
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Fmt,
    Clippy,
    Docs,
    Native,
    Package,
    Browser,
    EndToEnd,
}

/// How a step ended: the tests it ran, and all that went wrong.
#[derive(Default)]
pub struct Outcome {
    pub tally: Tally,
    pub failures: Vec<String>,
}

const WASM: [&str; 4] = [
    "--target",
    "wasm32-unknown-unknown",
    "--package",
    "pos-connect",
];

impl Outcome {
    pub fn note(&mut self, result: Result<()>) {
        self.failures.extend(result.err());
    }

    /// Runs a test runner and counts. One that ran no test has failed: it would otherwise pass for ever, unnoticed.
    pub fn tests(&mut self, what: &str, command: &mut Command) {
        match command::watch(command) {
            Err(error) => self.failures.push(error),
            Ok((output, result)) => {
                let tally = Tally::read(&output);
                let failure = match result {
                    Ok(()) if tally.passed == 0 => Some("ran no test".to_owned()),
                    Ok(()) => None,
                    Err(_) if tally.failed > 0 => Some(format!("{} failed", tally.failed)),
                    Err(error) => Some(error),
                };
                self.failures
                    .extend(failure.map(|failure| format!("{what}: {failure}")));
                self.tally += tally;
            }
        }
    }
}

impl Step {
    pub const ALL: [Self; 7] = [
        Self::Fmt,
        Self::Clippy,
        Self::Docs,
        Self::Native,
        Self::Package,
        Self::Browser,
        Self::EndToEnd,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Docs => "docs",
            Self::Native => "native",
            Self::Package => "package",
            Self::Browser => "browser",
            Self::EndToEnd => "e2e",
        }
    }

    pub fn parse_list(names: &str) -> Result<Vec<Self>> {
        let all = || Self::ALL.map(Self::name).join(", ");
        let parse = |name: &str| Self::ALL.into_iter().find(|step| step.name() == name);
        names
            .split(',')
            .map(|name| {
                parse(name.trim())
                    .ok_or_else(|| format!("there is no step `{name}`; there are {}", all()))
            })
            .collect()
    }

    pub fn needs_browsers(self) -> bool {
        matches!(self, Self::Package | Self::Browser | Self::EndToEnd)
    }

    pub fn run(self, engines: &Engines) -> Outcome {
        let mut outcome = Outcome::default();
        let result = match self {
            Self::Fmt => command::run(cargo().args(["fmt", "--all", "--check"])),
            Self::Clippy => clippy(&mut outcome),
            Self::Docs => docs(&mut outcome),
            Self::Native => {
                outcome.tests(
                    "cargo test",
                    cargo().args(["test", "--workspace", "--no-fail-fast"]),
                );
                Ok(())
            }
            Self::Package => suite::package(engines, &mut outcome),
            Self::Browser => suite::browser(engines, &mut outcome),
            Self::EndToEnd => suite::end_to_end(engines, &mut outcome),
        };
        outcome.note(result);
        outcome
    }
}

/// The workspace for this machine and the SDK for the browser, both to the end.
fn clippy(outcome: &mut Outcome) -> Result<()> {
    const STRICT: [&str; 4] = ["--all-targets", "--", "-D", "warnings"];
    outcome.note(command::run(
        cargo().args(["clippy", "--workspace"]).args(STRICT),
    ));
    tool::wasm_target()?;
    command::run(cargo().arg("clippy").args(WASM).args(STRICT))
}

fn docs(outcome: &mut Outcome) -> Result<()> {
    let doc = || {
        let mut cargo = cargo();
        cargo
            .env("RUSTDOCFLAGS", "-D warnings")
            .args(["doc", "--no-deps"]);
        cargo
    };
    outcome.note(command::run(doc().arg("--workspace")));
    tool::wasm_target()?;
    command::run(doc().args(WASM))
}

//! The real service, as a process.

use crate::process::Process;
use crate::{Result, command};
use serde::Deserialize;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The package and its program.
pub const NAME: &str = "pos-connect-service";
/// The relay's.
pub const RELAY: &str = "pos-connect-relay";

/// The harness of `cargo xtask torture`.
pub const TORTURE: &str = "torture-harness";

/// The packages of the programs, for cargo. Both, and this crate: it turns on the features that the tests of the
/// workspace turn on, so that no dependency is compiled a second time for these.
pub const PACKAGES: &str =
    "--package=pos-connect-service --package=pos-connect-relay --package=workbench";

/// The path of one of the two programs: the one that the environment names, or else compiled.
pub fn program(name: &str) -> Result<PathBuf> {
    let variable = match name {
        NAME => "POS_SERVICE_BIN",
        _ => "POS_RELAY_BIN",
    };
    match std::env::var_os(variable) {
        Some(path) => Ok(path.into()),
        None => {
            let options: Vec<&str> = ["--bin", name]
                .into_iter()
                .chain(PACKAGES.split(' '))
                .collect();
            programs([name], &options).map(|[program]| program)
        }
    }
}

/// Compiles the service, the relay or examples beside the service, optimized, and gives their paths.
pub fn optimized<const N: usize>(names: [&str; N]) -> Result<[PathBuf; N]> {
    let mut options = vec!["--release"];
    for name in names {
        options.extend(match name {
            NAME | RELAY => ["--package", name, "--bin", name],
            _ => ["--package", NAME, "--example", name],
        });
    }
    programs(names, &options)
}

/// Asked for rather than guessed: where cargo builds is the user's choice.
fn programs<const N: usize>(names: [&str; N], options: &[&str]) -> Result<[PathBuf; N]> {
    let mut cargo = command::cargo();
    cargo
        .args(["build", "--message-format=json-render-diagnostics"])
        .args(options);
    let messages = command::output(command::quiet_unless_terminal(&mut cargo))?;
    let messages = messages.lines().map(serde_json::from_str::<Value>);
    let executables: Vec<PathBuf> = messages
        .filter_map(|message| Some(message.ok()?["executable"].as_str()?.into()))
        .collect();
    let mut found = names.map(|_| PathBuf::new());
    for (place, name) in found.iter_mut().zip(names) {
        let mut named = executables.iter();
        let named = named.find(|path| path.file_stem().is_some_and(|stem| stem == name));
        *place = named
            .ok_or_else(|| format!("cargo built no {name}"))?
            .clone();
    }
    Ok(found)
}

/// `serve --demo`, running and ready.
pub struct Demo {
    /// Ends with this.
    pub process: Process,
    /// Where it is, and the keys of its demo account.
    pub hello: Hello,
}

/// What the service says of itself in its first line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The address of the API.
    pub base_url: String,
    /// The address of the page where a merchant consents.
    pub connect_url: String,
    /// The address of the demo till.
    pub till_url: String,
    /// The ID of the demo vendor.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
    /// The demo merchant's.
    pub account: Account,
}

/// What a merchant signs in with.
#[derive(Deserialize)]
pub struct Account {
    /// Names it.
    pub email: String,
    /// Proves it.
    pub password: String,
}

/// What each server says of itself in its first line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Listening {
    /// The address of the API.
    pub base_url: String,
}

impl Demo {
    /// Starts `serve --demo --json` with these further options and waits for its first line. Its log goes to `log`;
    /// `till_key` is for a till that talks to a relay.
    pub fn start(
        program: &Path,
        options: &[&OsStr],
        log: Stdio,
        till_key: Option<&str>,
    ) -> Result<Self> {
        let mut command = Command::new(program);
        command
            .stderr(log)
            .args(["serve", "--demo", "--json"])
            .args(options);
        if let Some(key) = till_key {
            command.env("POS_CONNECT_TILL_KEY", key);
        }
        let (process, hello) = Process::start(&mut command)?;
        Ok(Self { process, hello })
    }
}

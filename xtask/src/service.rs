//! The real service, as a process.

use crate::{Result, command};
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// The package and its program.
const NAME: &str = "pos-connect-service";

/// Compiles the service and gives the path of its program. `extra` is for the example that the bench compares with.
pub fn build(extra: &[&str]) -> Result<Vec<PathBuf>> {
    let mut cargo = command::cargo();
    cargo
        .args([
            "build",
            "--package",
            NAME,
            "--bin",
            NAME,
            "--message-format=json-render-diagnostics",
        ])
        .args(extra);
    // Asked for rather than guessed: where cargo builds is the user's choice.
    Ok(executables(&command::output(
        command::quiet_unless_terminal(&mut cargo),
    )?))
}

/// The programs in cargo's messages, the service first.
pub fn executables(messages: &str) -> Vec<PathBuf> {
    let parsed = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut found: Vec<(bool, PathBuf)> = parsed
        .filter_map(|message| {
            Some((
                message["target"]["name"] != NAME,
                message["executable"].as_str()?.into(),
            ))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// `serve --demo`, running and ready.
pub struct Demo {
    child: Child,
    pub hello: Hello,
}

/// What the service says of itself in its first line.
pub struct Hello {
    pub base_url: String,
    pub connect_url: String,
    pub till_url: String,
    pub client_id: String,
    pub client_secret: String,
    pub email: String,
    pub password: String,
}

impl Demo {
    /// Starts `serve --demo --json` with these further options and waits for its first line. Its log goes to `log`.
    pub fn start(program: &Path, options: &[&OsStr], log: Stdio) -> Result<Self> {
        let mut command = Command::new(program);
        command
            .stderr(log)
            .args(["serve", "--demo", "--json"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command::spawn(&mut command)?;
        let stdout = child
            .stdout
            .take()
            .ok_or("the service has no standard output")?;
        let mut reader = BufReader::new(stdout);
        let mut line = String::new();
        let hello = reader
            .read_line(&mut line)
            .ok()
            .and_then(|_| Hello::parse(&line));
        std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::stdout()));
        match hello {
            Some(hello) => Ok(Self { child, hello }),
            None => {
                child.kill().ok();
                child.wait().ok();
                Err(format!(
                    "the service did not start; instead of its addresses it said `{}`",
                    line.trim()
                ))
            }
        }
    }

    /// Something that asks the service to end, for a signal handler's thread. Asking twice does no harm.
    pub fn stopper(&self) -> impl Fn() + Send + use<> {
        let pid = self.child.id().to_string();
        // std can only kill at once; SIGTERM lets calls in progress end.
        move || {
            drop(
                Command::new("kill")
                    .args(["-TERM", &pid])
                    .stderr(Stdio::null())
                    .status(),
            )
        }
    }

    /// Waits until the service ends.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        self.child.wait().map_err(|error| error.to_string())
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Hello {
    fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |pointer: &str| value.pointer(pointer)?.as_str().map(str::to_owned);
        Some(Self {
            base_url: text("/baseUrl")?,
            connect_url: text("/connectUrl")?,
            till_url: text("/tillUrl")?,
            client_id: text("/clientId")?,
            client_secret: text("/clientSecret")?,
            email: text("/account/email")?,
            password: text("/account/password")?,
        })
    }
}

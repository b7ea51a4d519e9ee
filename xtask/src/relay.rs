//! The vendor's relay, as a process, with one till.

use crate::service::{Hello, Listening};
use crate::{Result, command};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use workbench::process::Process;

/// Where a relay runs and keeps its things.
pub struct Relay {
    program: PathBuf,
    folder: PathBuf,
    /// Address and port that it listens on.
    pub listen: String,
}

impl Relay {
    pub fn new(program: PathBuf, folder: &Path, listen: String) -> Self {
        Self {
            program,
            folder: folder.to_owned(),
            listen,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.listen)
    }

    /// Lets a till in; gives its key.
    pub fn add_till(&self) -> Result<String> {
        command::output(&mut self.command(&["migrate"]))?;
        let mut command = self.command(&["till", "add", "--merchant", "demo", "--name", "Till 1"]);
        let added = command::output(command.arg("--json"))?;
        let key = serde_json::from_str::<Value>(&added)
            .ok()
            .and_then(|added| Some(added["key"].as_str()?.to_owned()));
        key.ok_or_else(|| "the relay gave the till no key".to_owned())
    }

    /// Runs it before that service, for the pages of that service's demo till. The tokens stay with it. Its log goes
    /// to `log`.
    pub fn start(&self, hello: &Hello, log: Stdio) -> Result<Process> {
        let other_origin = hello.till_url.replace("127.0.0.1", "localhost");
        let mut command = self.command(&["serve", "--json", "--listen", &self.listen]);
        command
            .args(["--upstream", &hello.base_url])
            .args(["--client-id", &hello.client_id])
            .args(["--origin", &hello.till_url])
            .args(["--origin", &other_origin])
            .env("POS_CONNECT_CLIENT_SECRET", &hello.client_secret)
            .stderr(log);
        let (process, Listening { .. }) = Process::start(&mut command)?;
        Ok(process)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        // One database for each address, as the demo's service has.
        let database = format!("sqlite://{}-relay.db", self.listen.replace(':', "-"));
        command
            .current_dir(&self.folder)
            .args(words)
            .args(["--database", &database]);
        command
    }
}

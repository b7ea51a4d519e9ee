//! A program under test: killed without warning, and started again where it was.

use crate::http::ANSWER_LIMIT;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use workbench::{Result, command, files};

/// How it is started, each time.
pub struct Launcher {
    program: PathBuf,
    folder: PathBuf,
    database: String,
    options: Vec<String>,
    /// Of the environment: what is secret.
    secrets: Vec<(&'static str, String)>,
    /// Its own after the first start.
    port: u16,
}

/// Running until killed or dropped.
pub struct Running {
    child: Child,
    pub address: SocketAddr,
}

impl Launcher {
    /// `folder` holds its log, and its database if that is a file.
    pub fn new(
        program: &Path,
        folder: &Path,
        database: &str,
        options: &[&str],
        secrets: Vec<(&'static str, String)>,
    ) -> Self {
        Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            database: database.to_owned(),
            options: options.iter().map(ToString::to_string).collect(),
            secrets,
            port: 0,
        }
    }

    pub fn start(&mut self) -> Result<Running> {
        self.wait_for_port();
        let mut command = self.command(&["serve", "--json"])?;
        command
            .arg(format!("--listen=127.0.0.1:{}", self.port))
            .args(["--database", &self.database])
            .args(&self.options);
        let mut child = command::spawn(command.stdout(Stdio::piped()))?;
        let mut line = String::new();
        let stdout = child.stdout.take().map(BufReader::new);
        let read = stdout.map(|mut stdout| stdout.read_line(&mut line));
        let hello: Option<Value> = read.and_then(|_| serde_json::from_str(&line).ok());
        let address = hello.as_ref().and_then(|hello| {
            let url = hello["baseUrl"].as_str()?;
            url.strip_prefix("http://")?.parse::<SocketAddr>().ok()
        });
        match address {
            Some(address) => {
                self.port = address.port();
                Ok(Running { child, address })
            }
            None => {
                child.kill().ok();
                child.wait().ok();
                let log = self.folder.join("log");
                Err(format!("it did not start again; see {}", log.display()))
            }
        }
    }

    /// While it is down, its port is anybody's: what another program of this machine took for a moment is waited for.
    fn wait_for_port(&self) {
        let begun = Instant::now();
        while self.port != 0
            && TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).is_err()
            && begun.elapsed() < ANSWER_LIMIT
        {
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs one of its commands to the end, on the same database, and gives what it answers.
    pub fn admin(&self, words: &[&str]) -> Result<Value> {
        let mut command = self.command(words)?;
        let answer = command::output(command.args(["--json", "--database", &self.database]))?;
        serde_json::from_str(&answer).map_err(|error| format!("`{}`: {error}", words.join(" ")))
    }

    fn command(&self, words: &[&str]) -> Result<Command> {
        files::create_folder(&self.folder)?;
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.folder.join("log"))
            .map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.folder)
            .args(words)
            .stdin(Stdio::null())
            .stderr(log);
        for (name, secret) in &self.secrets {
            command.env(name, secret);
        }
        Ok(command)
    }
}

impl Running {
    /// SIGKILL: it gets no chance to finish anything.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill().map_err(|error| error.to_string())?;
        let begun = Instant::now();
        while begun.elapsed() < ANSWER_LIMIT {
            if let Ok(Some(status)) = self.child.try_wait() {
                return match status.code() {
                    None => Ok(()),
                    Some(code) => Err(format!("it had ended by itself before the kill ({code})")),
                };
            }
            thread::yield_now();
        }
        Err("it survived a kill".to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

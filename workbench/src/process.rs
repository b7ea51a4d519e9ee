//! Programs that run beside ours.

use crate::{Result, command};
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const START_LIMIT: Duration = Duration::from_secs(300);
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// A program that says one line when it is ready, and runs until it is dropped.
pub struct Process {
    child: Child,
    /// Open for one that ends with it.
    stdin: Option<ChildStdin>,
}

impl Process {
    /// Starts it and gives what its first line says, in JSON.
    pub fn start<Said: DeserializeOwned>(command: &mut Command) -> Result<(Self, Said)> {
        let name = Path::new(command.get_program()).with_extension("");
        let name = name.file_name().unwrap_or_default().display().to_string();
        let command = command.stdin(Stdio::null());
        Self::ready(&name, command, |line| serde_json::from_str(line).ok())
    }

    /// Starts one that stops when its standard input ends: so it stops with us, however we end. Waits until it says
    /// `ready`.
    pub fn attended(name: &str, command: &mut Command) -> Result<Self> {
        let is_ready = |line: &str| (line.trim() == "ready").then_some(());
        let (process, ()) = Self::ready(name, command.stdin(Stdio::piped()), is_ready)?;
        Ok(process)
    }

    fn ready<Said>(
        name: &str,
        command: &mut Command,
        read: impl FnOnce(&str) -> Option<Said>,
    ) -> Result<(Self, Said)> {
        let mut child = command::spawn(command.stdout(Stdio::piped()))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let process = Self { child, stdin };
        let mut reader = BufReader::new(stdout.ok_or("a program without standard output")?);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            reader.read_line(&mut line).ok();
            sender.send(line).ok();
            // Reads on to the end, so that a talkative program never waits for a reader.
            std::io::copy(&mut reader, &mut std::io::stdout())
        });
        // The line may hold secrets, so it is not repeated.
        let reason = match receiver.recv_timeout(START_LIMIT) {
            Err(_) => "it was not ready in time",
            Ok(line) if line.trim().is_empty() => "it ended without a word on standard output",
            Ok(line) => match read(&line) {
                Some(said) => return Ok((process, said)),
                None => "its first line is not what was expected",
            },
        };
        Err(format!("{name} did not start: {reason}"))
    }

    /// Something that asks the program to end, for a signal handler's thread. Asking twice does no harm.
    pub fn stopper(&self) -> impl Fn() + Send + use<> {
        let id = self.id();
        move || drop(signal(id, "-TERM"))
    }

    /// Sends a signal, as `-TERM`.
    pub fn signal(&self, name: &str) -> Result<()> {
        signal(self.id(), name)
    }

    /// Ends it, now and not when it is dropped.
    pub fn end(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it ends.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        self.child.wait().map_err(|error| error.to_string())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.stdin.take().is_some() {
            for _ in 0..STOP_LIMIT.as_millis() / 50 {
                if matches!(self.child.try_wait(), Ok(Some(_))) {
                    return;
                }
                thread::sleep(Duration::from_millis(50));
            }
            println!(
                "process {} did not stop when its input ended; killing it",
                self.id()
            );
        }
        self.end();
    }
}

/// std can only kill at once; with `-TERM`, calls in progress end.
pub fn signal(id: u32, name: &str) -> Result<()> {
    let mut kill = Command::new("kill");
    command::run(kill.args([name, &id.to_string()]).stderr(Stdio::null()))
}

//! A program that runs beside the tests and stops when its standard input ends: so it stops with us, however we end.

use crate::{Result, command};
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

const START_LIMIT: Duration = Duration::from_secs(60);
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// Runs until dropped.
pub struct Attended {
    name: &'static str,
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Attended {
    /// Waits until it says `ready`.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let mut child = command::spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let attended = Self { name, child, stdin };
        let stdout = stdout.ok_or_else(|| format!("{name} has no standard output"))?;
        let (sender, receiver) = mpsc::channel();
        // Reads on to the end, so that a talkative program never waits for a reader.
        thread::spawn(move || {
            BufReader::new(stdout)
                .lines()
                .map_while(std::result::Result::ok)
                .for_each(|line| drop(sender.send(line)))
        });
        match receiver.recv_timeout(START_LIMIT) {
            Ok(line) if line.trim() == "ready" => Ok(attended),
            Ok(line) => Err(format!("{name} said `{line}` instead of `ready`")),
            Err(RecvTimeoutError::Disconnected) => Err(format!("{name} ended before it was ready")),
            Err(RecvTimeoutError::Timeout) => Err(format!(
                "{name} was not ready within {} seconds",
                START_LIMIT.as_secs()
            )),
        }
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        drop(self.stdin.take());
        for _ in 0..STOP_LIMIT.as_millis() / 50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        println!(
            "{} did not stop when its input ended; killing it",
            self.name
        );
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

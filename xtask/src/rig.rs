//! The servers that the browser tests talk to: the real service, and misbehaving ones. `tests/rig/rig.mjs` runs them.

use crate::{Result, command, repo};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

const START_LIMIT: Duration = Duration::from_secs(60);
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Runs until dropped.
pub struct Rig {
    child: Child,
    /// Its end is the rig's signal to stop, so it stops with us however we end.
    stdin: Option<ChildStdin>,
}

impl Rig {
    pub fn start(service: &Path) -> Result<Self> {
        let mut node = Command::new("node");
        node.current_dir(repo::root())
            .arg("tests/rig/rig.mjs")
            .env("POS_SERVICE_BIN", service);
        let mut child = command::spawn(node.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let stdin = child.stdin.take();
        let stdout = child
            .stdout
            .take()
            .ok_or("the rig has no standard output")?;
        let rig = Self { child, stdin };
        let (sender, receiver) = mpsc::channel();
        // Reads on to the end, so that a talkative rig never waits for a reader.
        thread::spawn(move || {
            BufReader::new(stdout)
                .lines()
                .map_while(std::result::Result::ok)
                .for_each(|line| drop(sender.send(line)))
        });
        match receiver.recv_timeout(START_LIMIT) {
            Ok(line) if line.trim() == "ready" => Ok(rig),
            Ok(line) => Err(format!("the rig said `{line}` instead of `ready`")),
            Err(RecvTimeoutError::Disconnected) => {
                Err("the rig ended before it was ready".to_owned())
            }
            Err(RecvTimeoutError::Timeout) => Err(format!(
                "the rig was not ready within {} seconds",
                START_LIMIT.as_secs()
            )),
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        drop(self.stdin.take());
        for _ in 0..STOP_LIMIT.as_millis() / 50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        println!("the rig did not stop when its input ended; killing it");
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

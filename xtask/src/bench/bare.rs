//! The bare handler, as a process.

use crate::load::Server;
use crate::{Result, command};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// `service/examples/bare.rs`, running until dropped.
pub struct Bare {
    child: Child,
    pub server: Server,
}

impl Bare {
    pub fn start(program: &Path) -> Result<Self> {
        let mut child = command::spawn(Command::new(program).stdout(Stdio::piped()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout)
                .read_line(&mut line)
                .map_err(|error| error.to_string())?;
        }
        match Server::new(line.trim()) {
            Ok(server) => Ok(Self { child, server }),
            Err(error) => {
                child.kill().ok();
                Err(error)
            }
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

//! The bare handler, as a process.

use crate::Result;
use crate::load::Server;
use crate::service::Process;
use std::path::Path;
use std::process::Command;

/// `service/examples/bare.rs`, running until dropped.
pub struct Bare {
    _process: Process,
    pub server: Server,
}

impl Bare {
    pub fn start(program: &Path) -> Result<Self> {
        let (process, line) = Process::start(&mut Command::new(program))?;
        Ok(Self {
            server: Server::new(line.trim())?,
            _process: process,
        })
    }
}

//! The bare handler, as a process.

use crate::Result;
use crate::load::Server;
use crate::service::Listening;
use std::path::Path;
use std::process::Command;
use workbench::process::Process;

/// `service/examples/bare.rs`, running until dropped.
pub struct Bare {
    _process: Process,
    pub server: Server,
}

impl Bare {
    pub fn start(program: &Path) -> Result<Self> {
        let (process, said): (_, Listening) = Process::start(&mut Command::new(program))?;
        Ok(Self {
            server: Server::new(&said.base_url)?,
            _process: process,
        })
    }
}

//! The servers that the browser tests talk to. `tests/rig/rig.mjs` runs them.

use crate::{Result, repo};
use std::process::Command;
use workbench::port;
use workbench::process::Process;

/// Runs until dropped.
pub struct Rig {
    /// The port of the page that talks to it; the rig's ports are the next ones.
    pub page: u16,
    _servers: Process,
}

impl Rig {
    pub fn start() -> Result<Self> {
        let page = port::free();
        let mut node = Command::new("node");
        node.current_dir(repo::root())
            .arg("tests/rig/rig.mjs")
            .env("POS_TEST_PORT", page.to_string());
        let servers = Process::attended("the rig", &mut node)?;
        Ok(Self {
            page,
            _servers: servers,
        })
    }
}

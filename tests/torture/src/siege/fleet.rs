//! A relay before the service, and the fleet key of it that was stolen.

use super::patient;
use crate::programs::{Launcher, Programs, Running, Vendor};
use std::net::SocketAddr;
use std::path::Path;
use workbench::Result;
use workbench::http::{Line, Message};

pub struct Fleet {
    launcher: Launcher,
    running: Running,
    id: String,
    key: String,
}

impl Fleet {
    pub fn lay(
        programs: &Programs,
        folder: &Path,
        database: &str,
        service: SocketAddr,
        vendor: &Vendor,
    ) -> Result<Self> {
        let launcher = programs.relay(folder, database, service, vendor, &[])?;
        let added = launcher.admin(&["fleet-key", "add", "--name", "Back office"])?;
        let text = |name: &str| added[name].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            running: launcher.start()?,
            id: text("id"),
            key: text("key"),
            launcher,
        })
    }

    pub fn line(&self) -> Line {
        Line::new(self.running.address)
    }

    pub fn call(&self, method: &str, path: &str) -> Message {
        Message::request(method, path).bearer(&self.key)
    }

    /// Revokes the key with its tills; says whether it is refused from then on.
    pub fn contain(&self) -> Result<bool> {
        let revoke = ["fleet-key", "revoke", &self.id, "--with-tills"];
        self.launcher.admin(&revoke)?;
        let listed = patient(&mut self.line(), &self.call("GET", "/tills"))?;
        Ok(listed.status() == 401)
    }
}

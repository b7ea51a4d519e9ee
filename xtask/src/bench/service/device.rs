//! `tests/bench/device.mjs`: oidc-provider's device flow, running until dropped.

use super::call::post;
use crate::load::{Measured, Request, Server};
use crate::service::{Process, no_start};
use crate::{Result, npm, repo};
use serde_json::Value;
use std::process::{Command, Stdio};

/// How often each code is asked about in a round.
const REPEATS: usize = 10;

pub struct Device {
    _process: Process,
    server: Server,
    requests: Vec<Request>,
}

impl Device {
    pub fn start() -> Result<Self> {
        let folder = repo::root().join("tests/bench");
        npm::install(&folder)?;
        let mut node = Command::new("node");
        node.arg("device.mjs").current_dir(&folder);
        // It is run without settings that a service in earnest needs, and says so.
        let (process, line) = Process::start(node.stderr(Stdio::null()))?;
        let hello: Value =
            serde_json::from_str(&line).map_err(|_| no_start("device flow", &line))?;
        let text = |name: &str| hello[name].as_str().unwrap_or_default();
        let server = Server::new(text("url"))?.answering("400");
        let keys = format!(
            "client_id={}&client_secret={}&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code",
            text("clientId"),
            text("clientSecret")
        );
        let codes = hello["codes"].as_array().into_iter().flatten();
        let code = |code: &Value| {
            let code = code.as_str().unwrap_or_default();
            post("/token", format!("{keys}&device_code={code}"))
        };
        let all: Vec<_> = codes.map(code).collect();
        Ok(Self {
            _process: process,
            server,
            requests: vec![all; REPEATS].concat(),
        })
    }

    /// Asks for every code, which nobody has confirmed.
    pub fn poll(&mut self) -> Result<Measured> {
        let measured = self.server.send(&self.requests)?;
        let pending = |body: &String| body.contains("authorization_pending");
        match measured.bodies.iter().find(|body| !pending(body)) {
            Some(body) => Err(format!("a poll is answered with {body}")),
            None => Ok(measured),
        }
    }
}

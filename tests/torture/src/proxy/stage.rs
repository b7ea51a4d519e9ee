//! What the runs go against: the service, and two relays before it, one that keeps the tokens and one that hands them
//! out.

use super::gate::RelayGate;
use super::plan::Mode;
use super::registry::Registry;
use crate::programs::{Account, Relay, Vendor, start_service};
use crate::server::Server;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use workbench::Result;
use workbench::service::{self, Demo};

/// Runs until dropped.
pub struct Stage {
    pub registry: Arc<Registry>,
    pub account: Account,
    pub connect_url: String,
    /// The service allows few sign-ins of one account at the same moment.
    pub sign_in: Mutex<()>,
    held: Relay,
    hand_out: Relay,
    _gates: [Server; 2],
    service: Mutex<Option<Demo>>,
}

impl Stage {
    /// `origin` is the page's.
    pub fn start(folder: &Path, origin: &str) -> Result<Self> {
        let program = service::program(service::RELAY)?;
        let demo = start_service(folder, origin, &[])?;
        let vendor = Vendor::of(&demo.hello)?;
        let registry = Arc::new(Registry::new(vendor));
        let gate = || {
            let registry = registry.clone();
            Server::open(RelayGate { registry })
        };
        let gates = [gate()?, gate()?];
        let start = |name: &str, gate: &Server, options: &[&str]| {
            let folder = folder.join(name);
            Relay::start(
                &program,
                folder,
                origin,
                &gate.url(),
                &registry.vendor,
                options,
            )
        };
        Ok(Self {
            held: start("held", &gates[0], &[])?,
            hand_out: start("hand-out", &gates[1], &["--hand-out"])?,
            account: Account::of(&demo.hello)?,
            connect_url: demo.hello.connect_url.clone(),
            sign_in: Mutex::default(),
            service: Mutex::new(Some(demo)),
            _gates: gates,
            registry,
        })
    }

    /// Ends the programs. Connections that the browser left open still hold the stage.
    pub fn stop(&self) {
        for relay in [&self.held, &self.hand_out] {
            relay.stop();
        }
        let service = self.service.lock();
        drop(service.unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Where the till's calls go to, and its key there.
    pub fn upstream(&self, mode: Mode, run: u64) -> Result<(SocketAddr, Option<String>)> {
        let relay = match mode {
            Mode::Plain | Mode::Reissue => return Ok((self.registry.vendor.service, None)),
            Mode::Held => &self.held,
            Mode::HandOut => &self.hand_out,
        };
        Ok((relay.address, Some(relay.till(&format!("run-{run}"))?)))
    }
}

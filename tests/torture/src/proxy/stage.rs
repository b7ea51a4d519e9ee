//! The real programs: the service, and two relays before it, one that keeps the tokens and one that hands them out.

use super::gate::RelayGate;
use super::plan::Mode;
use super::registry::Registry;
use super::run::Vendor;
use super::server::Server;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use workbench::service::{self, Demo};
use workbench::{Result, command, files};

/// Who consents. No `Debug`: it holds the password.
pub struct Account {
    pub service: SocketAddr,
    pub email: String,
    pub password: String,
}

/// Runs until dropped.
pub struct Stage {
    pub registry: Arc<Registry>,
    pub account: Account,
    pub connect_url: String,
    /// The service allows few sign-ins of one account at the same moment.
    pub sign_in: Mutex<()>,
    held: Relay,
    hand_out: Relay,
    service: Mutex<Option<Demo>>,
}

struct Relay {
    child: Mutex<Child>,
    program: PathBuf,
    folder: PathBuf,
    address: SocketAddr,
    _gate: Server,
}

impl Stage {
    /// `origin` is the page's.
    pub fn start(folder: &Path, origin: &str) -> Result<Self> {
        let relay = service::program("pos-connect-relay")?;
        let demo = start_service(folder, origin)?;
        let hello = &demo.hello;
        let address = address(&hello.base_url)?;
        let registry = Arc::new(Registry::new(Vendor {
            service: address,
            client_id: hello.client_id.clone(),
            client_secret: hello.client_secret.clone(),
        }));
        let account = Account {
            service: address,
            email: hello.email.clone(),
            password: hello.password.clone(),
        };
        let start = |name: &str, options: &[&str]| {
            Relay::start(&relay, folder.join(name), origin, &registry, options)
        };
        Ok(Self {
            held: start("held", &[])?,
            hand_out: start("hand-out", &["--hand-out"])?,
            registry,
            account,
            connect_url: hello.connect_url.clone(),
            sign_in: Mutex::default(),
            service: Mutex::new(Some(demo)),
        })
    }

    /// Ends the programs. Connections that the browser left open still hold the stage.
    pub fn stop(&self) {
        for relay in [&self.held, &self.hand_out] {
            end(&mut relay.child.lock().unwrap_or_else(PoisonError::into_inner));
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
        Ok((relay.address, Some(relay.till(run)?)))
    }
}

impl Relay {
    fn start(
        program: &Path,
        folder: PathBuf,
        origin: &str,
        registry: &Arc<Registry>,
        options: &[&str],
    ) -> Result<Self> {
        files::create_folder(&folder)?;
        let gate = Server::open(RelayGate {
            registry: registry.clone(),
        })?;
        let mut command = Command::new(program);
        command
            .current_dir(&folder)
            .args([
                "serve",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--upstream",
                &gate.url(),
            ])
            .args([
                "--client-id",
                &registry.vendor.client_id,
                "--origin",
                origin,
            ])
            .args(options)
            .env("POS_CONNECT_CLIENT_SECRET", &registry.vendor.client_secret)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log(&folder.join("relay.log"))?);
        let mut child = command::spawn(&mut command)?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).ok();
        }
        let hello: Value = serde_json::from_str(&line).unwrap_or_default();
        match address(hello["baseUrl"].as_str().unwrap_or_default()) {
            Ok(address) => Ok(Self {
                child: Mutex::new(child),
                program: program.to_owned(),
                folder,
                address,
                _gate: gate,
            }),
            Err(_) => {
                end(&mut child);
                Err("the relay did not start".to_owned())
            }
        }
    }

    /// The key of a new till of a new merchant.
    fn till(&self, run: u64) -> Result<String> {
        let mut command = Command::new(&self.program);
        let merchant = format!("run-{run}");
        command
            .current_dir(&self.folder)
            .args(["till", "add", "--json", "--merchant", &merchant]);
        let answer: Value =
            serde_json::from_str(&command::output(&mut command)?).unwrap_or_default();
        let key = answer["key"].as_str();
        key.map(str::to_owned)
            .ok_or_else(|| "the relay gave no till key".to_owned())
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        end(self.child.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

fn end(child: &mut Child) {
    child.kill().ok();
    child.wait().ok();
}

fn start_service(folder: &Path, origin: &str) -> Result<Demo> {
    let program = service::program("pos-connect-service")?;
    let till = folder.join("till");
    files::create_folder(&till)?;
    let till = till.display().to_string();
    let database = format!("sqlite://{}", folder.join("service.db").display());
    let options = [
        ["--listen", "127.0.0.1:0"],
        ["--till-listen", "127.0.0.1:0"],
        ["--till", &till],
        ["--database", &database],
        ["--demo-origin", origin],
    ];
    let options = options.as_flattened().iter().map(AsRef::as_ref);
    let log = log(&folder.join("service.log"))?;
    Demo::start(&program, &options.collect::<Vec<_>>(), log, None)
}

fn address(url: &str) -> Result<SocketAddr> {
    let address = url
        .strip_prefix("http://")
        .and_then(|address| address.parse().ok());
    address.ok_or_else(|| "a program did not say where it listens".to_owned())
}

fn log(path: &Path) -> Result<Stdio> {
    let file = File::create(path).map_err(|error| error.to_string())?;
    Ok(file.into())
}

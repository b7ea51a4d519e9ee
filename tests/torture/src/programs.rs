//! The real programs, as processes of the tests that drive a browser: the service and relays before it.

use serde_json::Value;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use workbench::service::{self, Demo, Hello, Process, no_start};
use workbench::{Result, command, files};

/// The vendor's keys, and where they are good for something. No `Debug`: it holds the secret.
pub struct Vendor {
    pub service: SocketAddr,
    pub client_id: String,
    pub client_secret: String,
}

/// Who consents. No `Debug`: it holds the password.
#[derive(Clone)]
pub struct Account {
    pub service: SocketAddr,
    pub email: String,
    pub password: String,
}

/// A relay, until it is dropped.
pub struct Relay {
    process: Mutex<Process>,
    program: PathBuf,
    folder: PathBuf,
    pub address: SocketAddr,
}

impl Vendor {
    pub fn of(hello: &Hello) -> Result<Self> {
        Ok(Self {
            service: address(&hello.base_url)?,
            client_id: hello.client_id.clone(),
            client_secret: hello.client_secret.clone(),
        })
    }
}

impl Account {
    pub fn of(hello: &Hello) -> Result<Self> {
        Ok(Self {
            service: address(&hello.base_url)?,
            email: hello.email.clone(),
            password: hello.password.clone(),
        })
    }
}

impl Relay {
    /// `origin` is the page's.
    pub fn start(
        program: &Path,
        folder: PathBuf,
        origin: &str,
        upstream: &str,
        vendor: &Vendor,
        options: &[&str],
    ) -> Result<Self> {
        files::create_folder(&folder)?;
        let mut command = Command::new(program);
        command
            .current_dir(&folder)
            .args([
                "serve",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--upstream",
                upstream,
            ])
            .args(["--client-id", &vendor.client_id, "--origin", origin])
            .args(options)
            .env("POS_CONNECT_CLIENT_SECRET", &vendor.client_secret)
            .stderr(log(&folder.join("relay.log"))?);
        let (process, line) = Process::start(&mut command)?;
        let hello: Value = serde_json::from_str(&line).unwrap_or_default();
        let address = address(hello["baseUrl"].as_str().unwrap_or_default());
        Ok(Self {
            process: Mutex::new(process),
            program: program.to_owned(),
            folder,
            address: address.map_err(|_| no_start("relay", &line))?,
        })
    }

    /// Ends it, now and not when it is dropped.
    pub fn stop(&self) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.end();
    }

    /// The key of a new till of this merchant.
    pub fn till(&self, merchant: &str) -> Result<String> {
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.folder)
            .args(["till", "add", "--json", "--merchant", merchant]);
        let answer: Value =
            serde_json::from_str(&command::output(&mut command)?).unwrap_or_default();
        let key = answer["key"].as_str();
        key.map(str::to_owned)
            .ok_or_else(|| "the relay gave no till key".to_owned())
    }
}

/// The service with its demo vendor. `origin` is the page's; messages go to `messages.jsonl` in the folder.
pub fn start_service(folder: &Path, origin: &str, more: &[&str]) -> Result<Demo> {
    let program = service::program("pos-connect-service")?;
    let till = folder.join("till");
    files::create_folder(&till)?;
    let till = till.display().to_string();
    let database = format!("sqlite://{}", folder.join("service.db").display());
    let messages = format!("file:{}", folder.join("messages.jsonl").display());
    let options = [
        ["--messages", &messages],
        ["--listen", "127.0.0.1:0"],
        ["--till-listen", "127.0.0.1:0"],
        ["--till", &till],
        ["--database", &database],
        ["--demo-origin", origin],
    ];
    let options = options.as_flattened().iter().chain(more);
    let options = options.map(AsRef::as_ref);
    let log = log(&folder.join("service.log"))?;
    Demo::start(&program, &options.collect::<Vec<_>>(), log, None)
}

/// Where a program says that it listens.
pub fn address(url: &str) -> Result<SocketAddr> {
    let address = url
        .strip_prefix("http://")
        .and_then(|address| address.parse().ok());
    address.ok_or_else(|| "a program did not say where it listens".to_owned())
}

fn log(path: &Path) -> Result<Stdio> {
    let file = File::create(path).map_err(|error| error.to_string())?;
    Ok(file.into())
}

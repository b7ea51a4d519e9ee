//! The programs under test, as processes.

use serde_json::Value;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use workbench::process::Process;
use workbench::service::Listening;
use workbench::{Result, command, files, service};

/// The two, compiled.
#[derive(Clone)]
pub struct Programs {
    pub service: PathBuf,
    pub relay: PathBuf,
}

/// The vendor's keys. No `Debug`: it holds the secret.
#[derive(Clone)]
pub struct Vendor {
    pub id: String,
    pub secret: String,
}

/// Who consents. No `Debug`: it holds the password.
#[derive(Clone)]
pub struct Merchant {
    pub email: String,
    pub password: String,
}

/// A service that knows a vendor and some merchants: sign-ins are limited per account.
pub struct Service {
    pub launcher: Launcher,
    pub vendor: Vendor,
    pub merchants: Vec<Merchant>,
}

/// How a program is started.
pub struct Launcher {
    program: PathBuf,
    /// Holds its log, and its database if that is a file.
    folder: PathBuf,
    database: String,
    options: Vec<String>,
    /// The variable of the environment that is secret.
    secret: (&'static str, String),
}

/// Running until dropped.
pub struct Running {
    process: Process,
    pub address: SocketAddr,
}

/// Nobody is told to slow down.
pub const PATIENT: [&str; 14] = [
    "--creates-per-second",
    "100000",
    "--creates-per-address",
    "100000",
    "--messages-per-number",
    "1000000",
    "--messages-per-till",
    "1000000",
    "--messages-per-store",
    "1000000",
    "--store-mib-per-day",
    "1000000",
    "--store-mib",
    "1000000",
];
/// Where the service's messages go, in the folder of its database.
pub const MESSAGES: &str = "messages.jsonl";

impl Programs {
    /// Those that the environment names, or compiled.
    pub fn find() -> Result<Self> {
        Ok(Self {
            service: service::program(service::NAME)?,
            relay: service::program(service::RELAY)?,
        })
    }

    /// For another program of this kind.
    pub fn tell<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("POS_SERVICE_BIN", &self.service)
            .env("POS_RELAY_BIN", &self.relay)
    }

    /// `origin` is the page's; `options` are more of them.
    pub fn service(
        &self,
        folder: &Path,
        database: &str,
        origin: &str,
        merchants: usize,
        options: &[&str],
    ) -> Result<Service> {
        let outlet = format!("file:{MESSAGES}");
        let outlet = ["--messages", &outlet, "--message-region", "any"];
        let options = [&outlet, options].concat();
        let key = command::output(Command::new(&self.service).arg("key"))?;
        let secret = ("POS_CONNECT_SERVICE_KEY", key.trim().to_owned());
        let launcher = Launcher::new(&self.service, folder, database, &options, secret)?;
        let vendor = launcher.vendor("Torture", origin)?;
        let merchant = |number| {
            let email = format!("merchant-{number}@torture.example");
            let account = ["account", "add", "--name", "Merchant", "--email", &email];
            let password = text(&launcher.admin(&account)?, "password")?;
            Ok(Merchant { email, password })
        };
        Ok(Service {
            merchants: (0..merchants).map(merchant).collect::<Result<_>>()?,
            vendor,
            launcher,
        })
    }

    /// A relay before this service, or before what stands in its place.
    pub fn relay(
        &self,
        folder: &Path,
        database: &str,
        upstream: SocketAddr,
        vendor: &Vendor,
        options: &[&str],
    ) -> Result<Launcher> {
        let upstream = format!("http://{upstream}");
        let own = [
            "--upstream",
            &upstream,
            "--client-id",
            &vendor.id,
            "--creates-per-till",
            "100000",
        ];
        let secret = ("POS_CONNECT_CLIENT_SECRET", vendor.secret.clone());
        Launcher::new(
            &self.relay,
            folder,
            database,
            &[&own, options].concat(),
            secret,
        )
    }
}

impl Launcher {
    fn new(
        program: &Path,
        folder: &Path,
        database: &str,
        options: &[&str],
        secret: (&'static str, String),
    ) -> Result<Self> {
        files::create_folder(folder)?;
        let launcher = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            database: database.to_owned(),
            options: options.iter().map(ToString::to_string).collect(),
            secret,
        };
        launcher.admin(&["migrate"])?;
        Ok(launcher)
    }

    pub fn start(&self) -> Result<Running> {
        let mut command = self.command(&["serve", "--json"])?;
        command
            .arg("--listen=127.0.0.1:0")
            .args(["--database", &self.database])
            .args(&self.options);
        let started = Process::start(&mut command);
        let log = self.folder.join("log");
        let (process, said): (_, Listening) =
            started.map_err(|error| format!("{error}; see {}", log.display()))?;
        let address = address(&said.base_url).ok_or("it listens on no address of this machine")?;
        Ok(Running { process, address })
    }

    /// A new vendor, at a service.
    pub fn vendor(&self, name: &str, origin: &str) -> Result<Vendor> {
        let added = self.admin(&["vendor", "add", "--name", name, "--origin", origin])?;
        Ok(Vendor {
            id: text(&added, "clientId")?,
            secret: text(&added, "clientSecret")?,
        })
    }

    /// The key of a new till of this merchant, at a relay.
    pub fn till(&self, merchant: &str) -> Result<String> {
        text(
            &self.admin(&["till", "add", "--merchant", merchant])?,
            "key",
        )
    }

    /// Runs one of its commands to the end, on the same database, and gives what it answers.
    pub fn admin(&self, words: &[&str]) -> Result<Value> {
        let mut command = self.command(words)?;
        let answer = command::output(command.args(["--json", "--database", &self.database]))?;
        serde_json::from_str(&answer).map_err(|error| format!("`{}`: {error}", words.join(" ")))
    }

    fn command(&self, words: &[&str]) -> Result<Command> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.folder.join("log"));
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.folder)
            .args(words)
            .stderr(log.map_err(|error| error.to_string())?)
            .env(self.secret.0, &self.secret.1);
        Ok(command)
    }
}

impl Running {
    /// The process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }
}

/// Where a program says that it listens.
pub fn address(url: &str) -> Option<SocketAddr> {
    url.strip_prefix("http://")?.parse().ok()
}

fn text(answer: &Value, name: &str) -> Result<String> {
    let text = answer[name].as_str().map(str::to_owned);
    text.ok_or_else(|| format!("a command answered without `{name}`"))
}

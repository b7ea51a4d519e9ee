//! The relay as a process.

use crate::folder::Folder;
use crate::http::{Answer, Call};
use crate::rig::{PAGE, text};
use crate::world::{INTEGRATION, Vendor};
use serde_json::Value;
use std::net::SocketAddr;
use std::process::{Command, Output};
use workbench::process::Process;
use workbench::service::Listening;

/// A running relay, killed with its owner.
pub struct Program {
    process: Process,
    pub address: SocketAddr,
    client_id: String,
}

pub fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pos-connect-relay"));
    command.args(arguments).current_dir(folder.path());
    for name in [
        "RUST_LOG",
        "POS_CONNECT_CLIENT_SECRET",
        "POS_CONNECT_RELAY_KEY",
        "POS_CONNECT_RELAY_DATABASE",
    ] {
        command.env_remove(name);
    }
    // A test that runs on another database than SQLite leaves its URL here.
    let database = std::fs::read_to_string(folder.path().join("database-url"));
    let database = database.unwrap_or_else(|_| "sqlite://test.db".into());
    command.env("POS_CONNECT_RELAY_DATABASE", database);
    command
}

impl Program {
    pub fn serve(folder: &Folder, upstream: &str, vendor: &Vendor, more: &[&str]) -> Self {
        let mut appending = std::fs::File::options();
        appending.create(true).append(true);
        let log = appending.open(folder.path().join("log")).unwrap();
        let mut command = Self::serving(folder, upstream, vendor, more);
        Self::start(command.env("RUST_LOG", "trace").stderr(log), vendor)
    }

    /// The secret comes from a file; so does the key, which the first start makes.
    pub fn serving(folder: &Folder, upstream: &str, vendor: &Vendor, more: &[&str]) -> Command {
        std::fs::write(folder.path().join("secret"), format!("{}\n", vendor.secret)).unwrap();
        let mut command = command(folder, &["serve", "--json", "--listen", "127.0.0.1:0"]);
        command
            .args(["--upstream", upstream, "--client-id", &vendor.id])
            .args(["--client-secret-file", "secret", "--origin", PAGE])
            .args(more);
        command
    }

    /// Until it says where it is.
    pub fn start(command: &mut Command, vendor: &Vendor) -> Self {
        let (process, said): (_, Listening) = Process::start(command).unwrap_or_else(|error| {
            let log = std::fs::read_to_string(command.get_current_dir().unwrap().join("log"));
            panic!("{error} {log:?}")
        });
        Self {
            process,
            address: said
                .base_url
                .strip_prefix("http://")
                .unwrap()
                .parse()
                .unwrap(),
            client_id: vendor.id.clone(),
        }
    }

    pub fn prepared(&self, key: &str, method: &str, path: &str, token: &str) -> Call {
        let mut pairs = vec![("client_id", &*self.client_id)];
        if !token.is_empty() {
            pairs.push(("integration_token", token));
        }
        let target = format!("{path}?{}", crate::http::query(&pairs));
        Call::new(method, target).header("Authorization", format!("Bearer {key}"))
    }

    pub async fn ask(&self, key: &str, method: &str, path: &str, token: &str) -> Answer {
        self.prepared(key, method, path, token)
            .send(self.address)
            .await
    }

    pub async fn create(&self, key: &str) -> String {
        text(
            &self.ask(key, "POST", INTEGRATION, "").await,
            "integrationToken",
        )
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn signal(&self, name: &str) {
        self.process.signal(name).unwrap();
    }

    /// The exit code; `None` after a signal.
    pub fn wait(&mut self) -> Option<i32> {
        self.process.wait().unwrap().code()
    }
}

pub fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = command(folder, &[arguments, &["--json"]].concat())
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

pub fn add_till(folder: &Folder, merchant: &str) -> String {
    let added = json(
        folder,
        &["till", "add", "--merchant", merchant, "--name", "Counter 1"],
    );
    added["key"].as_str().unwrap().to_owned()
}

pub fn said(output: Output) -> String {
    assert!(!output.status.success());
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

pub fn refused(folder: &Folder, arguments: &[&str]) -> String {
    said(
        command(folder, arguments)
            .env("POS_CONNECT_CLIENT_SECRET", "from-the-environment")
            // The usual port may be another one's.
            .env("POS_CONNECT_RELAY_LISTEN", "127.0.0.1:0")
            .output()
            .unwrap(),
    )
}

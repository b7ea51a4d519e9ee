//! The program itself: its command line, and what it prints.

use crate::folder::Folder;
use crate::http::{Answer, Call, query};
use crate::world::{Vendor, target};
use serde_json::Value;
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};
use workbench::process::Process;

/// A running service, killed with its owner.
pub struct Program {
    process: Process,
    pub first_line: Value,
}

pub fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pos-connect-service"));
    command
        .args(arguments)
        .args(["--json", "--database", &folder.database()]);
    if folder.is_on_a_server() && !arguments.contains(&"--key-file") {
        command.arg("--key-file").arg(folder.key());
    }
    command
        .env_remove("RUST_LOG")
        .env_remove("POS_CONNECT_PASSWORD")
        // Somebody's demo may have the default port.
        .env("POS_CONNECT_SERVICE_LISTEN", "127.0.0.1:0");
    command
}

impl Program {
    pub fn serve(folder: &Folder, arguments: &[&str], log: Option<&str>) -> Self {
        Self::serve_with(folder, arguments, log, &[])
    }

    pub fn serve_with(
        folder: &Folder,
        arguments: &[&str],
        log: Option<&str>,
        environment: &[(&str, &str)],
    ) -> Self {
        let mut command = command(
            folder,
            &[&["serve", "--listen", "127.0.0.1:0"], arguments].concat(),
        );
        command.envs(environment.iter().copied());
        let stderr = match log {
            Some(level) => {
                command.env("RUST_LOG", level);
                Stdio::from(std::fs::File::create(folder.path().join("log")).unwrap())
            }
            None => Stdio::null(),
        };
        Self::start(command.stderr(stderr))
    }

    /// Until it says where it is.
    pub fn start(command: &mut Command) -> Self {
        let (process, first_line) = Process::start(command).unwrap();
        Self {
            process,
            first_line,
        }
    }

    pub fn text(&self, name: &str) -> String {
        self.first_line[name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    pub fn address(&self, name: &str) -> SocketAddr {
        self.text(name)
            .strip_prefix("http://")
            .unwrap()
            .parse()
            .unwrap()
    }

    pub fn vendor(&self) -> Vendor {
        Vendor {
            id: self.text("clientId"),
            secret: self.text("clientSecret"),
        }
    }

    pub async fn call(&self, method: &str, path: &str, token: &str) -> Answer {
        Call::new(method, target(path, &self.vendor(), token))
            .send(self.address("baseUrl"))
            .await
    }

    /// The sign-in page of an integration, filled in and not sent.
    pub async fn sign_in_form(&self, token: &str, email: &str) -> Call {
        let id = self.vendor().id;
        let named = [("integration_token", token), ("client_id", &id)];
        let page = Call::new("GET", format!("/connect?{}", query(&named)));
        let page = page.send(self.address("baseUrl")).await;
        let hidden = page.hidden_fields();
        let mut pairs: Vec<(&str, &str)> = hidden
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        pairs.extend([
            ("action", "sign-in"),
            ("email", email),
            ("password", "a guess"),
        ]);
        Call::new("POST", "/connect")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(query(&pairs))
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

pub fn run(folder: &Folder, arguments: &[&str]) -> Output {
    command(folder, arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

pub fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = run(folder, arguments);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

pub fn failure(folder: &Folder, arguments: &[&str]) -> String {
    let mut command = command(folder, arguments);
    // The usual port may be another one's.
    command.env("POS_CONNECT_SERVICE_LISTEN", "127.0.0.1:0");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

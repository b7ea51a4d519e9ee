//! Schemathesis, on one program.

use super::maker::{Desk, Maker};
use super::reached::Reached;
use crate::Orders;
use crate::http::{Line, Message};
use crate::server::Server;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use workbench::{Result, command, files, repo, tool};

/// What has to hold for every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance";
/// Told what the merchant may do before each call that needs it.
const HOOKS: &str = include_str!("hooks.py");
const MODULE: &str = "pos_fuzz_hooks";

pub struct Fuzzer<'a> {
    pub python: &'a Path,
    pub folder: &'a Path,
    pub orders: &'a Orders,
}

impl Fuzzer<'_> {
    /// Calls the operations of a program that `only` names; all of them without one.
    pub fn fuzz<M: Maker>(
        &self,
        name: &str,
        address: SocketAddr,
        settings: &[String],
        maker: M,
        only: &[&str],
    ) -> Result<()> {
        println!("fuzz: {name}");
        let desk = Server::open(Desk(maker))?;
        // Secrets in a file: a command line can be read by everybody on the machine.
        let file = self.folder.join(format!("{name}.toml"));
        files::write(&file, settings.join("\n"))?;
        files::write(&self.folder.join(format!("{MODULE}.py")), HOOKS)?;
        let calls = self.folder.join(format!("{name}.har"));
        let document = format!("http://{address}/openapi.json");
        let mut fuzzer = Command::new(self.python);
        fuzzer
            .args(["-m", "schemathesis.cli", "--config-file"])
            .arg(&file)
            .args(["run", &document, "--no-color", "--checks", CHECKS])
            .args(["--seed", &self.orders.seed.to_string()])
            .args(["--max-examples", &self.orders.runs.to_string()])
            .args(["--report", "har", "--report-har-path"])
            .arg(&calls);
        for operation in only {
            fuzzer.args(["--include-operation-id", operation]);
        }
        fuzzer
            .env("SCHEMATHESIS_HOOKS", MODULE)
            .env("PYTHONPATH", self.folder)
            .env("POS_FUZZ_MAKER", desk.url())
            .env("POS_FUZZ_NEEDY", M::NEEDY.join(","))
            .current_dir(self.folder);
        let passed = command::run(&mut fuzzer)
            .map_err(|error| format!("{error}: an answer is not as the document says"));
        let reached = tell(name, address, &calls, only);
        passed.and(reached)
    }
}

/// Fails if an operation never did what it is for: calls that all fail show little.
fn tell(name: &str, address: SocketAddr, calls: &Path, only: &[&str]) -> Result<()> {
    let mut reached = Reached::read(calls)?;
    // The fuzzer leaves out the document that it has read.
    let request = Message::request("GET", "/openapi.json");
    let answer = Line::new(address).ask(&request, || {});
    let answer = answer.map_err(|error| error.to_string())?;
    reached.add("get", "/openapi.json", answer.status().into());
    let document = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
    let mut missed = Vec::new();
    for operation in reached.by_operation(&document) {
        if only.is_empty() || only.contains(&&*operation.id) {
            println!("fuzz: {name}: {operation}");
            if !operation.succeeded() {
                missed.push(operation.id);
            }
        }
    }
    println!("fuzz: {name} answered {} calls", reached.calls());
    match missed.is_empty() {
        true => Ok(()),
        false => Err(format!("{name}: never a success: {}", missed.join(", "))),
    }
}

/// A Python that has the pinned releases, and nothing else that this machine may have.
pub fn python() -> Result<PathBuf> {
    let requirements = repo::root().join("tests/torture/requirements.txt");
    let pinned = files::read_text(&requirements)?;
    let release = pinned
        .lines()
        .find(|line| line.starts_with("schemathesis=="));
    let name = release
        .ok_or("requirements.txt has no schemathesis")?
        .replace("==", "-");
    tool::once(&name, "bin/python", |folder| {
        println!("tools: installing {name} from PyPI");
        let mut venv = Command::new("python3");
        command::run(venv.args(["-m", "venv"]).arg(folder)).map_err(|error| {
            format!("{error}; Python 3.10 or newer is needed, with its venv module")
        })?;
        let mut pip = Command::new(folder.join("bin/python"));
        let words = "-m pip --disable-pip-version-check install --quiet --no-deps --requirement";
        command::run(pip.args(words.split(' ')).arg(&requirements))
    })
}

//! Calls that follow the documents of service and relay, and calls that break them, from Schemathesis: no answer is a
//! fault of the program, and none is missing in its document.

use crate::Orders;
use crate::http::{Line, Message, query};
use crate::merchant::consent;
use crate::programs::{Account, Relay, Vendor, address, start_service};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use workbench::{Result, command, files, repo, service, tool};

/// What has to hold for every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance";
const INTEGRATION: &str = "/v1/auth/integration";
const ORIGIN: &str = "http://127.0.0.1:1";

/// `orders.runs` is the number of calls that are made up for each operation.
pub fn run(orders: &Orders) -> Result<()> {
    let python = python()?;
    let folder = repo::made("torture").join("fuzz");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let demo = start_service(&folder, ORIGIN)?;
    let (vendor, account) = (Vendor::of(&demo.hello)?, Account::of(&demo.hello)?);
    let keys = [
        ("client_id", &*vendor.client_id),
        ("client_secret", &vendor.client_secret),
    ];
    let caller = Caller {
        address: address(&demo.hello.base_url)?,
        bearer: None,
        keys: &keys,
    };
    let token = caller.tokens(&account, &vendor.client_id)?;
    let access = token["accessToken"].as_str().unwrap_or_default();
    let mut secrets: Vec<_> = keys
        .iter()
        .map(|(name, value)| format!("[auth.openapi.{name}]\napi_key = {value:?}"))
        .collect();
    secrets.push(format!("[auth.openapi.access_token]\nbearer = {access:?}"));
    let pending = caller.integration()?;
    secrets.insert(0, format!("[parameters]\nintegration_token = {pending:?}"));
    fuzz(
        &python,
        &folder.join("service.toml"),
        &secrets,
        caller.address,
        orders,
    )?;

    let program = service::program(service::RELAY)?;
    let relay = Relay::start(
        &program,
        folder.join("relay"),
        ORIGIN,
        &demo.hello.base_url,
        &vendor,
        &[],
    )?;
    let key = relay.till("fuzz")?;
    let caller = Caller {
        address: relay.address,
        bearer: Some(&key),
        keys: &keys[..1],
    };
    caller.tokens(&account, &vendor.client_id)?;
    let pending = caller.integration()?;
    let secrets = [
        format!(
            "[parameters]\nclient_id = {:?}\nintegration_token = {pending:?}",
            vendor.client_id
        ),
        format!("[auth.openapi.till_key]\nbearer = {key:?}"),
    ];
    fuzz(
        &python,
        &folder.join("relay.toml"),
        &secrets,
        relay.address,
        orders,
    )
}

/// Who calls a program before it is fuzzed, so that there is something to find.
struct Caller<'a> {
    address: SocketAddr,
    bearer: Option<&'a str>,
    keys: &'a [(&'a str, &'a str)],
}

impl Caller<'_> {
    fn ask(&self, method: &str, path: &str, more: &[(&str, &str)]) -> Result<Value> {
        let pairs = [self.keys, more].concat();
        let mut request = Message::request(method, &format!("{path}?{}", query(&pairs)));
        if let Some(key) = self.bearer {
            request = request.bearer(key);
        }
        let answer = Line::new(self.address).ask(&request, || {});
        let answer = answer.map_err(|error| format!("{method} {path}: {error}"))?;
        match answer.status() {
            200 => serde_json::from_slice(&answer.body).map_err(|error| error.to_string()),
            status => Err(format!("{method} {path}: {status}")),
        }
    }

    fn integration(&self) -> Result<String> {
        let created = self.ask("POST", INTEGRATION, &[])?;
        Ok(created["integrationToken"]
            .as_str()
            .unwrap_or_default()
            .to_owned())
    }

    /// Those of an integration that the merchant has finished.
    fn tokens(&self, account: &Account, client_id: &str) -> Result<Value> {
        let integration = self.integration()?;
        consent(account, client_id, &integration, true)?;
        let path = format!("{INTEGRATION}/token");
        self.ask("GET", &path, &[("integration_token", &integration)])
    }
}

fn fuzz(
    python: &Path,
    file: &Path,
    secrets: &[String],
    address: SocketAddr,
    orders: &Orders,
) -> Result<()> {
    // Secrets in a file: a command line can be read by everybody on the machine.
    files::write(file, secrets.join("\n"))?;
    let mut fuzzer = Command::new(python);
    fuzzer
        .args(["-m", "schemathesis.cli", "--config-file"])
        .arg(file)
        .args([
            "run",
            &format!("http://{address}/openapi.json"),
            "--no-color",
            "--checks",
            CHECKS,
        ])
        .args([
            "--seed",
            &orders.seed.to_string(),
            "--max-examples",
            &orders.runs.to_string(),
        ])
        .current_dir(repo::made("torture").join("fuzz"));
    command::run(&mut fuzzer)
        .map_err(|error| format!("{error}: an answer is not as the document says"))
}

/// A Python that has the pinned releases, and nothing else that this machine may have.
fn python() -> Result<PathBuf> {
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
        command::run(Command::new("python3").args(["-m", "venv"]).arg(folder)).map_err(
            |error| format!("{error}; Python 3.10 or newer is needed, with its venv module"),
        )?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
            "--no-deps",
            "--requirement",
        ]);
        command::run(pip.arg(&requirements))
    })
}

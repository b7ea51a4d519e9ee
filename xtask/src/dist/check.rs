//! The packages on the Debian that this runs on: installed, started, upgraded, removed, purged.

mod booted;
mod installed;

use self::installed::{Installed, Running};
use super::packages;
use crate::{Result, command, files};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use workbench::debian;

const SERVICE: Installed = Installed {
    name: crate::service::NAME,
    short: "service",
};
const RELAY: Installed = Installed {
    name: crate::service::RELAY,
    short: "relay",
};

/// Changes the machine, and leaves nothing of it behind.
pub fn run(folder: &Path, first: &[PathBuf]) -> Result<()> {
    if !debian::can_install() {
        return Err("--check installs the packages: it needs root on a Debian".to_owned());
    }
    for path in paths() {
        gone(&path).map_err(|_| format!("--check would change what is here: {path}"))?;
    }
    let result = walk(folder, first);
    // Whatever happened before.
    let purged = dpkg(&["--purge", SERVICE.name, RELAY.name]);
    result.and(purged)?;
    for path in paths() {
        gone(&path)?;
    }
    println!("dist: installed, started, upgraded, removed and purged");
    booted::run(folder)
}

fn paths() -> impl Iterator<Item = String> {
    let of = |program: Installed| {
        let (state, settings) = (program.state(), program.settings());
        [state, settings, program.path(), program.variables()]
    };
    [SERVICE, RELAY].into_iter().flat_map(of)
}

fn walk(folder: &Path, first: &[PathBuf]) -> Result<()> {
    install(first)?;
    for program in [SERVICE, RELAY] {
        program.verify()?;
        // Port 0: the usual one may be taken here.
        for port in ["8080", "8090"] {
            program.set(&format!("127.0.0.1:{port}"), "127.0.0.1:0")?;
        }
    }
    let key = connect()?;
    println!("dist: upgrading");
    let settings = files::read_text(Path::new(&SERVICE.settings()))?;
    let second = folder.join("upgrade");
    files::create_folder(&second)?;
    install(&packages(&second, "2")?)?;
    if files::read_text(Path::new(&SERVICE.settings()))? != settings {
        return Err("the upgrade has changed the operator's settings".to_owned());
    }
    go_on(&key)?;
    dpkg(&["--remove", SERVICE.name, RELAY.name])?;
    for program in [SERVICE, RELAY] {
        gone(&program.path())?;
    }
    install(first)?;
    go_on(&key)
}

/// As an operator begins: a vendor at the service, the relay's settings, a till. Gives the till's key.
fn connect() -> Result<String> {
    let service = SERVICE.start()?;
    let vendor = SERVICE.answer(&["vendor", "add", "--name", "Kept"])?;
    let client_id = member(&vendor, "clientId")?;
    let upstream = format!("http://{}", service.address);
    RELAY.set(
        "#upstream = \"https://auth.example.com\"",
        &format!("upstream = \"{upstream}\""),
    )?;
    RELAY.set(
        "#client-id = \"CLIENT-ID\"",
        &format!("client-id = \"{client_id}\""),
    )?;
    let secret = member(&vendor, "clientSecret")?;
    RELAY.keep_secret("POS_CONNECT_CLIENT_SECRET", &secret)?;
    let relay = RELAY.start()?;
    let till = RELAY.answer(&["till", "add", "--merchant", "bakery", "--name", "Counter 1"])?;
    let key = member(&till, "key")?;
    creates(&relay, &client_id, &key)?;
    Ok(key)
}

/// What was there before is there still: the vendor, its secret, the till's key.
fn go_on(key: &str) -> Result<()> {
    let before = files::read_text(Path::new(&RELAY.settings()))?;
    let setting = |name: &str| {
        let line = before.lines().find_map(|line| line.strip_prefix(name));
        let value = line.and_then(|line| line.split('"').nth(1));
        value.ok_or_else(|| format!("the relay's settings have no {name}"))
    };
    let service = SERVICE.start()?;
    RELAY.set(setting("upstream")?, &format!("http://{}", service.address))?;
    creates(&RELAY.start()?, setting("client-id")?, key)
}

/// An integration is created by the relay, and so by the service.
fn creates(relay: &Running, client_id: &str, key: &str) -> Result<()> {
    let target = format!("/v1/auth/integration?client_id={client_id}");
    let status = relay.status("POST", &target, &format!("authorization: Bearer {key}\r\n"))?;
    match status {
        200 => Ok(()),
        other => Err(format!("a till that creates an integration gets {other}")),
    }
}

/// A text in an answer of one line of JSON.
fn member(answer: &str, name: &str) -> Result<String> {
    let from = answer.split(&format!("\"{name}\":\"")).nth(1);
    let value = from.and_then(|rest| rest.split('"').next());
    Ok(value
        .ok_or_else(|| format!("no {name} in the answer"))?
        .to_owned())
}

/// By apt, as an operator does: with what the packages depend on.
fn install(packages: &[PathBuf]) -> Result<()> {
    let mut apt = debian::apt_get();
    apt.args(["-qq", "-y", "--no-install-recommends", "--allow-downgrades"])
        .args(["-o", "Dpkg::Options::=--force-confold", "install"])
        .args(packages);
    command::run(apt.stdout(Stdio::null()))
}

fn dpkg(arguments: &[&str]) -> Result<()> {
    let mut dpkg = Command::new("dpkg");
    command::run(dpkg.args(arguments).stdout(Stdio::null()))
}

fn gone(path: &str) -> Result<()> {
    match Path::new(path).exists() {
        false => Ok(()),
        true => Err(format!("{path} is there")),
    }
}

//! The packages on the Debian that this runs on: installed, started, upgraded, removed, purged.

use super::packages;
use crate::service::{NAME, RELAY};
use crate::{Result, command, files, repo};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use workbench::debian;

const STATE: &str = "/var/lib/pos-connect-service";
const SETTINGS: &str = "/etc/pos-connect/service.toml";
const PROGRAM: &str = "/usr/bin/pos-connect-service";

/// Changes the machine, and leaves nothing of it behind.
pub fn run(folder: &Path, first: &[PathBuf]) -> Result<()> {
    if !debian::can_install() {
        return Err("--check installs the packages: it needs root on a Debian".to_owned());
    }
    for path in [STATE, SETTINGS, PROGRAM] {
        gone(path).map_err(|_| format!("--check would change what is here: {path}"))?;
    }
    let result = walk(folder, first);
    // Whatever happened before.
    let purged = dpkg(&["--purge", NAME, RELAY]);
    result.and(purged)?;
    for path in [STATE, SETTINGS, PROGRAM] {
        gone(path)?;
    }
    println!("dist: installed, started, upgraded, removed and purged");
    Ok(())
}

fn walk(folder: &Path, first: &[PathBuf]) -> Result<()> {
    install(first)?;
    for name in [NAME, RELAY] {
        let unit = unit(name)?;
        let mut verify = Command::new("systemd-analyze");
        command::run(verify.args(["verify", "--man=no"]).arg(unit))?;
        let page = format!("/usr/share/man/man1/{name}.1.gz");
        fs::metadata(&page).map_err(|error| format!("{page}: {error}"))?;
    }
    // Port 0: 8080 may be taken here. The operator's own change has to outlive the upgrade.
    let settings = files::read_text(Path::new(SETTINGS))?;
    let settings = settings.replace("127.0.0.1:8080", "127.0.0.1:0");
    files::write(Path::new(SETTINGS), &settings)?;
    drop(Started::by_unit()?);
    let kept = vendor(&["add", "--name", "Kept"])?;
    println!("dist: upgrading");
    let second = folder.join("upgrade");
    files::create_folder(&second)?;
    install(&packages(&second, "2")?)?;
    if files::read_text(Path::new(SETTINGS))? != settings {
        return Err("the upgrade has changed the operator's settings".to_owned());
    }
    drop(Started::by_unit()?);
    dpkg(&["--remove", NAME])?;
    gone(PROGRAM)?;
    let database = format!("{STATE}/service.db");
    fs::metadata(&database).map_err(|error| format!("removed, and the data with it: {error}"))?;
    install(first)?;
    match vendor(&["list"])? == kept {
        true => Ok(()),
        false => Err("the vendor of before the upgrade is gone".to_owned()),
    }
}

/// Where Debian puts units depends on its release.
fn unit(name: &str) -> Result<PathBuf> {
    let places = ["/usr/lib/systemd/system", "/lib/systemd/system"];
    let files = places.map(|folder| Path::new(folder).join(format!("{name}.service")));
    let there = files.into_iter().find(|file| file.exists());
    there.ok_or_else(|| format!("{name} has no unit"))
}

/// Runs a command of the service as the operator does; gives the vendor's id in its answer.
fn vendor(words: &[&str]) -> Result<String> {
    let database = format!("sqlite://{STATE}/service.db");
    let mut vendor = as_user();
    vendor
        .args([PROGRAM, "vendor"])
        .args(words)
        .args(["--json", "--database", &database]);
    let answer = command::output(&mut vendor)?;
    let from = answer.find("pcv_").ok_or("the vendor has no id")?;
    let id = answer[from..].chars();
    Ok(id.take_while(|letter| *letter != '"').collect())
}

fn as_user() -> Command {
    let mut command = Command::new("setpriv");
    command
        .args([&format!("--reuid={NAME}"), &format!("--regid={NAME}")])
        .arg("--clear-groups")
        .current_dir(STATE);
    command
}

/// What the unit starts, as the unit's user. systemd may not run here: its sandbox is only verified.
struct Started(Child);

impl Started {
    fn by_unit() -> Result<Self> {
        let unit = files::read_text(&repo::root().join("dist/debian/pos-connect-service.service"))?;
        let mut lines = unit.lines();
        let line = lines.find_map(|line| line.strip_prefix("ExecStart="));
        let line = line.ok_or("the unit starts nothing")?;
        let mut command = as_user();
        command.args(line.split(' ')).arg("--json");
        let mut child = command::spawn(command.stdout(Stdio::piped()))?;
        let mut hello = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut hello).ok();
        }
        let started = Self(child);
        let url = hello
            .split('"')
            .find_map(|word| word.strip_prefix("http://"));
        let address = url.ok_or("the unit's program did not start")?;
        let status = readiness(address).map_err(|error| format!("/readyz: {error}"))?;
        match status.starts_with("HTTP/1.1 200") {
            true => println!("dist: started, and ready"),
            false => return Err(format!("/readyz: {status}")),
        }
        Ok(started)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The first line of the answer.
fn readiness(address: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.lines().next().unwrap_or_default().to_owned())
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

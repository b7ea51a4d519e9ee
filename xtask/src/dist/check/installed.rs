//! A program that a package has installed.

use crate::{Result, command, files, repo};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

#[derive(Clone, Copy)]
pub struct Installed {
    /// The name of package, program, unit and user.
    pub name: &'static str,
    /// The name of settings and database.
    pub short: &'static str,
}

impl Installed {
    pub fn state(self) -> String {
        format!("/var/lib/{}", self.name)
    }

    pub fn settings(self) -> String {
        format!("/etc/pos-connect/{}.toml", self.short)
    }

    /// Where the operator puts secrets.
    pub fn variables(self) -> String {
        format!("/etc/default/{}", self.name)
    }

    pub fn path(self) -> String {
        format!("/usr/bin/{}", self.name)
    }

    /// The unit is one that systemd reads, and the manual is there.
    pub fn verify(self) -> Result<()> {
        // Where Debian puts units depends on its release.
        let places = ["/usr/lib/systemd/system", "/lib/systemd/system"];
        let files = places.map(|folder| PathBuf::from(format!("{folder}/{}.service", self.name)));
        let unit = files.into_iter().find(|file| file.exists());
        let unit = unit.ok_or_else(|| format!("{} has no unit", self.name))?;
        let mut verify = Command::new("systemd-analyze");
        command::run(verify.args(["verify", "--man=no"]).arg(unit))?;
        let page = format!("/usr/share/man/man1/{}.1.gz", self.name);
        fs::metadata(&page).map_err(|error| format!("{page}: {error}"))?;
        Ok(())
    }

    /// Edits the settings as an operator does.
    pub fn set(self, old: &str, new: &str) -> Result<()> {
        let path = self.settings();
        let text = files::read_text(Path::new(&path))?.replace(old, new);
        files::write(Path::new(&path), text)
    }

    pub fn keep_secret(self, name: &str, value: &str) -> Result<()> {
        let path = self.variables();
        let mut only_root = fs::File::options();
        only_root.create_new(true).write(true).mode(0o600);
        let file = only_root.open(&path);
        file.and_then(|mut file| writeln!(file, "{name}={value}"))
            .map_err(|error| format!("{path}: {error}"))
    }

    /// What a command answers, run as the operator runs it.
    pub fn answer(self, words: &[&str]) -> Result<String> {
        let database = format!("sqlite://{}/{}.db", self.state(), self.short);
        let mut command = self.as_user();
        command
            .arg(self.path())
            .args(words)
            .args(["--json", "--database", &database]);
        command::output(&mut command)
    }

    /// What the unit starts, as the unit's user. systemd may not run here: its sandbox is only verified.
    pub fn start(self) -> Result<Running> {
        let unit = repo::root().join(format!("dist/debian/{}.service", self.name));
        let unit = files::read_text(&unit)?;
        let line = unit
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart="));
        let line = line.ok_or("the unit starts nothing")?;
        let mut command = self.as_user();
        command.args(line.split(' ')).arg("--json");
        let variables = fs::read_to_string(self.variables()).unwrap_or_default();
        command.envs(variables.lines().filter_map(|line| line.split_once('=')));
        let mut child = command::spawn(command.stdout(Stdio::piped()))?;
        let mut hello = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut hello).ok();
        }
        let mut words = hello.split('"');
        let address = words.find_map(|word| word.strip_prefix("http://"));
        let running = Running {
            child,
            address: address.unwrap_or_default().to_owned(),
        };
        match running.status("GET", "/readyz", "")? {
            200 => println!("dist: {} started, and is ready", self.name),
            other => return Err(format!("/readyz of {}: {other}", self.name)),
        }
        Ok(running)
    }

    fn as_user(self) -> Command {
        let mut command = Command::new("setpriv");
        command
            .args([
                &format!("--reuid={}", self.name),
                &format!("--regid={}", self.name),
            ])
            .arg("--clear-groups")
            .current_dir(self.state());
        command
    }
}

/// Killed with its owner.
pub struct Running {
    child: Child,
    pub address: String,
}

impl Running {
    /// The status of the answer.
    pub fn status(&self, method: &str, target: &str, headers: &str) -> Result<u16> {
        let host = &self.address;
        let ask = || {
            let mut stream = TcpStream::connect(host)?;
            write!(
                stream,
                "{method} {target} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n"
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            std::io::Result::Ok(answer)
        };
        let answer = ask().map_err(|error| format!("{method} at {host:?}: {error}"))?;
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
        status.ok_or_else(|| format!("{method} at {host}: no answer"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

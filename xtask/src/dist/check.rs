//! The packages on the Debian that this runs on, in a container of it where systemd is process 1: installed, started,
//! upgraded, removed, purged. The machine itself stays as it is. The images by themselves.

mod image;

use super::packages;
use crate::{Result, command, files, repo};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use workbench::{debian, process};

const NEEDED: [&str; 6] = [
    "systemd-nspawn",
    "systemctl",
    "unshare",
    "nsenter",
    "curl",
    "ip",
];
/// Seconds are usual.
const LIMIT: Duration = Duration::from_secs(120);

/// `folder` has the packages, and perhaps the images.
pub fn run(folder: &Path, with_images: bool) -> Result<()> {
    let missing = || {
        NEEDED
            .into_iter()
            .find(|name| command::find(name).is_none())
    };
    if missing().is_some() {
        debian::install(&["systemd-container", "curl", "iproute2"])?;
    }
    if let Some(missing) = missing() {
        return Err(format!("--check needs root on a Debian, and {missing}"));
    }
    if with_images {
        image::run(folder)?;
    }
    let second = folder.join("upgrade");
    files::create_folder(&second)?;
    packages(&second, "2")?;
    let machine = Machine::boot(folder)?;
    let script = script("walk.sh");
    let script = File::open(&script).map_err(|error| format!("{}: {error}", script.display()))?;
    command::run(machine.command(&["sh"]).stdin(script))
}

fn script(name: &str) -> PathBuf {
    repo::root().join("xtask/src/dist/check").join(name)
}

/// A container that runs systemd, killed with its owner.
struct Machine {
    outside: Child,
    /// Its process 1, as it is called here.
    leader: u32,
}

impl Machine {
    fn boot(folder: &Path) -> Result<Self> {
        let mut boot = Command::new("unshare");
        boot.args(["--mount", "--propagation", "private", "sh"])
            .arg(script("boot.sh"))
            .arg(folder)
            .stdin(Stdio::null());
        let outside = command::spawn(&mut boot)?;
        let mut machine = Self { outside, leader: 0 };
        let begun = Instant::now();
        while !machine.is_up() {
            if begun.elapsed() > LIMIT {
                return Err("systemd does not come up in the container".to_owned());
            }
            if let Ok(Some(status)) = machine.outside.try_wait() {
                return Err(format!("the container has ended: {status}"));
            }
            sleep(Duration::from_millis(200));
        }
        Ok(machine)
    }

    /// systemd has begun everything. `degraded` is a service of this machine's that needs what a container lacks.
    fn is_up(&mut self) -> bool {
        let id = self.outside.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let first = children.unwrap_or_default();
        let first = first.split(' ').next().and_then(|word| word.parse().ok());
        self.leader = first.unwrap_or_default();
        if self.leader == 0 || !self.is_booted() {
            return false;
        }
        let mut state = self.command(&["timeout", "5", "systemctl", "is-system-running"]);
        let output = state.stderr(Stdio::null()).output();
        let said = output.map(|output| output.stdout).unwrap_or_default();
        matches!(said.as_slice(), b"running\n" | b"degraded\n")
    }

    /// Before, it is still a child of systemd-nspawn's that makes the container.
    fn is_booted(&self) -> bool {
        let name = fs::read_to_string(format!("/proc/{}/comm", self.leader));
        name.is_ok_and(|name| name == "systemd\n")
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--target={}", self.leader))
            .args(["--mount", "--uts", "--ipc", "--net", "--pid"])
            .args(words);
        command
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // systemd-nspawn leaves its system behind when it is killed. A system ends with its process 1.
        if self.leader != 0 {
            process::signal(self.leader, "-KILL").ok();
        }
        self.outside.kill().ok();
        self.outside.wait().ok();
    }
}

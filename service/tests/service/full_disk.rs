//! A disk that is full: for one process, which has a limit on the size of its files that it can lose again (to SQLite a
//! write beyond it fails as on a full disk); or for all, where root can mount one.

use std::fs::{File, create_dir};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A small disk in memory, until it is dropped.
pub struct Disk(PathBuf);

impl Disk {
    pub fn mount(folder: PathBuf, mib: u32) -> Self {
        create_dir(&folder).unwrap();
        let size = format!("size={mib}m");
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&folder);
        assert!(mount.status().unwrap().success());
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Takes all the room that is left.
    pub fn fill(&self) {
        let mut options = File::options();
        let mut file = options
            .create(true)
            .append(true)
            .open(self.filler())
            .unwrap();
        let full = loop {
            if let Err(error) = file.write_all(&[0; 4096]) {
                break error;
            }
        };
        assert_eq!(full.kind(), ErrorKind::StorageFull);
    }

    pub fn make_room(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A program may be about to stop.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// The same command with that limit, in blocks of 512 bytes.
pub fn limited(plain: &Command, blocks: u32) -> Command {
    let script = format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
    let mut limited = Command::new("sh");
    limited.args(["-c", &script]).arg(plain.get_program());
    limited.args(plain.get_args()).stderr(Stdio::null());
    if let Some(folder) = plain.get_current_dir() {
        limited.current_dir(folder);
    }
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

/// Takes the limit from a running process.
pub fn make_room(process: u32) {
    let done = Command::new("prlimit")
        .args(["--pid", &process.to_string(), "--fsize=unlimited"])
        .status();
    assert!(done.unwrap().success());
}

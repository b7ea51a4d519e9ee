//! A disk that is full for one process: it has a limit on the size of its files, which it can lose again. To SQLite a
//! write beyond it fails as on a full disk.

use std::process::{Command, Stdio};

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

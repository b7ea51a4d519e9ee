//! Running other programs.

use crate::{Result, files, repo};
use std::cell::RefCell;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, IsTerminal, PipeReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// The cargo that runs us, so that a `cargo +toolchain xtask` stays on its toolchain. In the repository, wherever we
/// are, and with the variables of a cargo that a person starts.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root());
    // `cargo run` describes our own package in them. ring's build script watches them, so ring and all that stands on
    // it would be compiled anew whenever a person's cargo follows ours, and the other way around.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_MANIFEST_") || text.starts_with("CARGO_PKG_") {
            cargo.env_remove(&name);
        }
    }
    cargo
}

/// npm is a script of another name on Windows.
pub fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

thread_local! {
    /// Where the output of this thread's commands goes, if not to the terminal.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// From now on, what this thread's commands print goes into this new file instead of to the terminal.
pub fn log_into(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent() {
        files::create_folder(folder)?;
    }
    files::remove(path)?;
    let file = File::options().create(true).append(true).open(path);
    let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
    LOG.set(Some(file));
    Ok(())
}

/// This thread's log, to be handed to a command or written to.
fn log() -> Option<File> {
    LOG.with_borrow(|log| log.as_ref().and_then(|file| file.try_clone().ok()))
}

/// A line for whoever watches: on the terminal, or in this thread's log.
pub fn say(line: impl std::fmt::Display) {
    match log() {
        Some(mut file) => drop(writeln!(file, "{line}")),
        None => println!("{line}"),
    }
}

/// Runs to the end, with our own output or into this thread's log.
pub fn run(command: &mut Command) -> Result<()> {
    if let (Some(stdout), Some(stderr)) = (log(), log()) {
        command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    }
    let status = command
        .status()
        .map_err(|error| not_started(command, &error))?;
    verdict(command, status)
}

/// Runs to the end and gives what it wrote to standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let (text, result) = partial_output(command)?;
    result.map(|()| text)
}

/// The output of a command that may fail: what it wrote until then, and whether it succeeded.
pub fn partial_output(command: &mut Command) -> Result<(String, Result<()>)> {
    let output = command
        .stderr(log().map_or_else(Stdio::inherit, Stdio::from))
        .output()
        .map_err(|error| not_started(command, &error))?;
    let text = String::from_utf8(output.stdout)
        .map_err(|_| format!("`{}` wrote something that is not UTF-8", line(command)))?;
    Ok((text, verdict(command, output.status)))
}

/// Runs to the end, shows or logs what it writes as it comes, and gives that together with whether the run succeeded.
pub fn watch(command: &mut Command) -> Result<(String, Result<()>)> {
    let (output, to_output) = std::io::pipe().map_err(|error| error.to_string())?;
    let to_errors = to_output.try_clone().map_err(|error| error.to_string())?;
    command.stdin(Stdio::null()).stderr(to_errors);
    let mut child = spawn(command.stdout(to_output))?;
    // The command keeps our ends of the pipe open, and there would be no end to read.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let text = show(output);
    let status = child.wait().map_err(|error| error.to_string())?;
    Ok((text, verdict(command, status)))
}

fn verdict(command: &Command, status: ExitStatus) -> Result<()> {
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{}` failed ({status})", line(command))),
    }
}

fn show(output: PipeReader) -> String {
    let mut screen: Box<dyn Write> = match log() {
        Some(file) => Box::new(file),
        None => Box::new(std::io::stdout()),
    };
    let mut reader = BufReader::new(output);
    let mut text = String::new();
    let mut bytes = Vec::new();
    while reader
        .read_until(b'\n', &mut bytes)
        .is_ok_and(|count| count > 0)
    {
        screen.write_all(&bytes).ok();
        // A dot per test has no line end; without this it would show up late.
        screen.flush().ok();
        text.push_str(&String::from_utf8_lossy(&bytes));
        bytes.clear();
    }
    text
}

/// Starts it; an error says which program was not found.
pub fn spawn(command: &mut Command) -> Result<Child> {
    command
        .spawn()
        .map_err(|error| not_started(command, &error))
}

/// cargo's list of crates is worth reading on a terminal only, where it moves.
pub fn quiet_unless_terminal(command: &mut Command) -> &mut Command {
    if !std::io::stderr().is_terminal() {
        command.arg("--quiet");
    }
    command
}

/// `PATH` with these folders first.
pub fn path_with(folders: &[PathBuf]) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths(folders.iter().cloned().chain(env::split_paths(&path)))
        .map_err(|error| error.to_string())
}

/// The full path of a program on `PATH`.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path)
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}

/// The command as a person would type it, less folders.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default();
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    let name = command.get_program().to_string_lossy();
    match (error.kind(), name.as_ref()) {
        (ErrorKind::NotFound, "node" | "npm" | "npm.cmd") => {
            format!("`{name}` was not found: install Node.js 20 or newer, with npm")
        }
        (ErrorKind::NotFound, _) => format!("`{name}` was not found"),
        _ => format!("`{name}` could not be started: {error}"),
    }
}

//! Running other programs.

use crate::{Result, repo};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, ErrorKind, IsTerminal, PipeReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The cargo that runs us, so that a `cargo +toolchain xtask` stays on its toolchain. In the repository, wherever we
/// are.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root());
    cargo
}

/// npm is a script of another name on Windows.
pub fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Runs to the end, with our own output.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .map_err(|error| not_started(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed ({status})", line(command)))
    }
}

/// Runs to the end and gives what it wrote to standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| not_started(command, &error))?;
    if !output.status.success() {
        return Err(format!("`{}` failed ({})", line(command), output.status));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("`{}` wrote something that is not UTF-8", line(command)))
}

/// Runs to the end, shows what it writes as it comes, and gives that together with whether the run succeeded. With a
/// label, each line begins with it, those to standard error too, and nothing reaches the terminal otherwise: several
/// may run at once.
pub fn watch(command: &mut Command, label: Option<&str>) -> Result<(String, Result<()>)> {
    let (output, to_output) = std::io::pipe().map_err(|error| error.to_string())?;
    if label.is_some() {
        let to_output = to_output.try_clone().map_err(|error| error.to_string())?;
        command.stdin(Stdio::null()).stderr(to_output);
    }
    let mut child = spawn(command.stdout(to_output))?;
    // The command keeps our ends of the pipe open, and there would be no end to read.
    command.stdout(Stdio::null());
    if label.is_some() {
        command.stderr(Stdio::null());
    }
    let text = show(output, label);
    let status = child.wait().map_err(|error| error.to_string())?;
    let result = if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed ({status})", line(command)))
    };
    Ok((text, result))
}

fn show(output: PipeReader, label: Option<&str>) -> String {
    let prefix = label.map_or_else(String::new, |label| format!("{label:<8} | "));
    let mut reader = BufReader::new(output);
    let mut text = String::new();
    let mut bytes = Vec::new();
    while reader
        .read_until(b'\n', &mut bytes)
        .is_ok_and(|count| count > 0)
    {
        let part = String::from_utf8_lossy(&bytes);
        let end = if label.is_some() && !part.ends_with('\n') {
            "\n"
        } else {
            ""
        };
        // At once, so that no other's line comes in between.
        print!("{prefix}{part}{end}");
        // A dot per test has no line end; without this it would show up late.
        std::io::stdout().flush().ok();
        text.push_str(&part);
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

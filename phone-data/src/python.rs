//! The Python package `phonenumbers`: upstream's metadata as its ports use them.

use std::path::{Path, PathBuf};
use std::process::Command;
use workbench::{Result, command, files, repo, tool};

const PACKAGE: &str = "phonenumbers";

fn requirements() -> PathBuf {
    repo::root().join("phone-data/py/requirements.txt")
}

/// What upstream's build made of its XML, as JSON.
pub fn metadata() -> Result<String> {
    let script = repo::root().join("phone-data/py/phone_metadata.py");
    command::output(Command::new(python()?).arg(script))
}

/// Writes down another release, with its checksum.
pub fn pin(version: &str) -> Result<()> {
    if !version
        .chars()
        .all(|char| char.is_ascii_digit() || char == '.')
    {
        return Err(format!("`{version}` is no version of {PACKAGE}"));
    }
    let folder = repo::made("phonenumbers");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let python = python()?;
    let package = format!("{PACKAGE}=={version}");
    command::run(
        pip(&python)
            .args([
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
                &package,
                "--dest",
            ])
            .arg(&folder),
    )?;
    let wheel = files::list(&folder)?
        .pop()
        .ok_or_else(|| format!("pip downloaded nothing for {package}"))?;
    let output = command::output(pip(&python).arg("hash").arg(folder.join(wheel)))?;
    let hash = output
        .split_whitespace()
        .find_map(|word| word.strip_prefix("--hash="))
        .ok_or("pip told no checksum")?;
    files::write(
        &requirements(),
        format!("{package} --hash={hash}\n").as_bytes(),
    )
}

/// A Python that has the pinned release, and nothing else that this machine may have.
fn python() -> Result<PathBuf> {
    let requirements = requirements();
    let text = files::read_text(&requirements)?;
    let name = text
        .split_whitespace()
        .next()
        .ok_or("phone-data/py/requirements.txt is empty")?
        .replace("==", "-");
    let program = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    tool::once(&name, program, |folder| {
        println!("tools: installing {name} from PyPI");
        let python = if cfg!(windows) { "python" } else { "python3" };
        command::run(Command::new(python).args(["-m", "venv"]).arg(folder)).map_err(|error| {
            format!("{error}; Python 3.10 or newer is needed, with its venv module")
        })?;
        command::run(
            pip(&folder.join(program))
                .args([
                    "install",
                    "--quiet",
                    "--require-hashes",
                    "--no-deps",
                    "--requirement",
                ])
                .arg(&requirements),
        )
    })
}

fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}

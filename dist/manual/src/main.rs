//! `manual FOLDER`: the man pages and the completions of service and relay, from their command lines.

use clap::Command;
use clap_complete::Shell;
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("which folder?")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    for command in [
        pos_connect_service::cli::command(),
        pos_connect_relay::cli::command(),
    ] {
        write(&command, folder)?;
    }
    Ok(())
}

/// One page for each command, as `git` has them, and a file for each shell.
fn write(command: &Command, folder: &Path) -> Result<(), Box<dyn Error>> {
    clap_mangen::generate_to(command.clone(), folder)?;
    let name = command.get_name().to_owned();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command.clone(), &name, folder)?;
    }
    Ok(())
}

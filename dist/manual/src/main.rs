//! `manual FOLDER`: the man pages and the completions of service and relay, from their command lines.

use clap::Command;
use clap_complete::Shell;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
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

/// Where the Debian package has what, in the language of man pages.
fn files(name: &str) -> String {
    let short = name.trim_start_matches("pos-connect-");
    let key = match short {
        "service" => "service.db.key",
        _ => "relay.key",
    };
    let rows = [
        (
            format!("/etc/pos-connect/{short}.toml"),
            "The settings; \\fB--config\\fR names another file.",
        ),
        (
            format!("/etc/default/{name}"),
            "Variables of the unit, such as secrets. Only root should read it.",
        ),
        (
            format!("/var/lib/{name}/{short}.db"),
            "The database. While the program runs, -wal and -shm belong to it.",
        ),
        (
            format!("/var/lib/{name}/{key}"),
            "The storage key. Without it, the database cannot be read.",
        ),
    ];
    let row = |(path, what): (String, &str)| {
        format!(".TP\n\\fI{}\\fR\n{what}\n", path.replace('-', "\\-"))
    };
    format!(".SH FILES\n{}", rows.map(row).concat())
}

/// One page for each command, as `git` has them, and a file for each shell.
fn write(command: &Command, folder: &Path) -> Result<(), Box<dyn Error>> {
    clap_mangen::generate_to(command.clone(), folder)?;
    let name = command.get_name().to_owned();
    for page in [format!("{name}.1"), format!("{name}-serve.1")] {
        let mut page = File::options().append(true).open(folder.join(page))?;
        page.write_all(files(&name).as_bytes())?;
    }
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command.clone(), &name, folder)?;
    }
    Ok(())
}

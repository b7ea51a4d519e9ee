//! `cargo xtask dist`: the programs, packages for Debian and container images, in `target/dist/`.

mod check;
mod image;

use crate::args::Args;
use crate::service::{NAME, RELAY};
use crate::{Result, command, files, repo, tool};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs, each a package of its own.
const PROGRAMS: [&str; 2] = [NAME, RELAY];

pub fn run(mut args: Args) -> Result<()> {
    let checks = args.flag("--check");
    let with_images = args.flag("--images");
    args.finish()?;
    let folder = make(with_images)?;
    write_sums(&folder)?;
    match checks {
        true => check::run(&folder, with_images),
        false => Ok(()),
    }
}

/// Puts everything there but the sums; gives the folder.
pub fn make(with_images: bool) -> Result<PathBuf> {
    let folder = repo::made("dist");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    println!("dist: compiling {}", PROGRAMS.join(" and "));
    let mut build = command::cargo();
    build.args(["build", "--release", "--locked"]);
    for name in PROGRAMS {
        build.args(["--package", name, "--bin", name]);
    }
    command::run(&mut build)?;
    let mut manual = command::cargo();
    manual.args(["run", "--quiet", "--locked", "--package", "manual", "--"]);
    command::run(manual.arg(folder.join("manual")))?;
    for name in PROGRAMS {
        files::copy(&repo::made("release").join(name), &folder.join(name))?;
    }
    let packages = packages(&folder, "1")?;
    for package in &packages {
        println!("dist: {}", package.display());
    }
    if with_images {
        image::make(&folder)?;
    }
    Ok(folder)
}

/// Puts the packages there, of what is compiled. `revision` is Debian's: two of them are two versions.
fn packages(folder: &Path, revision: &str) -> Result<Vec<PathBuf>> {
    let cargo_deb = tool::install(&tool::CARGO_DEB)?;
    let mut packages = Vec::new();
    for name in PROGRAMS {
        let mut deb = Command::new(&cargo_deb);
        deb.current_dir(repo::root())
            .args(["--no-build", "--locked", "--quiet", "--package", name])
            .args(["--deb-revision", revision, "--output"])
            .arg(folder);
        let made = command::output(&mut deb)?;
        let file = made.trim().lines().last().unwrap_or_default();
        packages.push(PathBuf::from(file));
    }
    Ok(packages)
}

/// As `sha256sum --check SHA256SUMS` reads them.
pub fn write_sums(folder: &Path) -> Result<()> {
    let mut names = files::list(folder)?;
    names.retain(|file| file.components().count() == 1);
    let mut sums = Command::new("sha256sum");
    let sums = command::output(sums.current_dir(folder).args(&names))?;
    files::write(&folder.join("SHA256SUMS"), sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemd_listens_where_the_settings_say_for_as_long_as_the_service_is_to_run() {
        for (name, settings) in [(NAME, "service.toml"), (RELAY, "relay.toml")] {
            let read = |file: &str| {
                files::read_text(&repo::root().join("dist/debian").join(file)).unwrap()
            };
            let socket_name = format!("{name}-listen.socket");
            let (socket, unit) = (read(&socket_name), read(&format!("{name}.service")));
            let settings = read(settings);
            let listen = settings
                .lines()
                .find_map(|line| line.strip_prefix("listen = "));
            let address = listen.unwrap().trim_matches('"');
            for (text, key, value) in [
                (&socket, "ListenStream", address),
                (&socket, "Service", &format!("{name}.service")),
                (&unit, "Requires", &socket_name),
                (&unit, "PropagatesStopTo", &socket_name),
            ] {
                let line = format!("{key}={value}");
                assert!(text.lines().any(|known| known == line), "{line}");
            }
            let after = unit.lines().find(|line| line.starts_with("After="));
            assert!(after.unwrap().ends_with(&socket_name));
        }
    }
}

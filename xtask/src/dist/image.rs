//! Container images of the programs, for both architectures, made without a daemon. The programs are static.

use super::PROGRAMS;
use crate::{Result, command, files, member, repo, sbom, tool};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rust's targets, and what images call them.
const TARGETS: [(&str, &str); 2] = [
    ("x86_64-unknown-linux-musl", "amd64"),
    ("aarch64-unknown-linux-musl", "arm64"),
];

/// Puts an archive of each program there, `NAME_VERSION_oci.tar`, and what it is made of.
pub fn make(folder: &Path) -> Result<()> {
    compile()?;
    for name in PROGRAMS {
        let archive = archive(folder, name);
        let mut image = member("image");
        image.args([archive.as_os_str(), name.as_ref()]);
        for (target, architecture) in TARGETS {
            let program = repo::made(target).join("release").join(name);
            let sbom = folder.join(format!("{name}_{architecture}.cdx.json"));
            files::write(&sbom, sbom::of(name, target)?)?;
            image.arg(architecture).args([program, sbom]);
        }
        command::run(&mut image)?;
        println!("dist: {}", archive.display());
    }
    Ok(())
}

pub fn archive(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}_{}_oci.tar", repo::VERSION))
}

fn compile() -> Result<()> {
    let zigbuild = tool::zigbuild()?;
    for (target, _) in TARGETS {
        tool::target(target)?;
    }
    println!("dist: compiling {} for images", PROGRAMS.join(" and "));
    let mut build = Command::new(&zigbuild.program);
    build
        .current_dir(repo::root())
        .env("CARGO_ZIGBUILD_ZIG_PATH", &zigbuild.zig)
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .env("CARGO_ENCODED_RUSTFLAGS", without_folders())
        .args(["zigbuild", "--release", "--locked"]);
    for (target, _) in TARGETS {
        build.args(["--target", target]);
    }
    for name in PROGRAMS {
        build.args(["--package", name, "--bin", name]);
    }
    command::run(&mut build)
}

/// The texts of panics name source files: every clone makes the same program.
fn without_folders() -> String {
    let remap = |from: &Path, to| format!("--remap-path-prefix={}={to}", from.display());
    let folders = repo::cargo_home().map(|cargo| remap(&cargo, "/cargo"));
    [Some(remap(&repo::root(), "/source")), folders]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\u{1f}")
}

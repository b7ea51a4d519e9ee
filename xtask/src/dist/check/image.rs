//! The programs of the images, each with nothing but the files of its image: those are the root that it sees, and it
//! runs as the image says.

use super::script;
use crate::dist::{PROGRAMS, image};
use crate::service::NAME;
use crate::{Result, command, files};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const RELAY_SETTINGS: [&str; 3] = [
    "POS_CONNECT_RELAY_UPSTREAM=https://127.0.0.1:8090",
    "POS_CONNECT_RELAY_CLIENT_ID=nobody",
    "POS_CONNECT_CLIENT_SECRET=nothing",
];

/// `folder` has the archives.
pub fn run(folder: &Path) -> Result<()> {
    let work = folder.join("image");
    for name in PROGRAMS {
        files::remove(&work)?;
        files::create_folder(&work)?;
        unpack(&image::archive(folder, name), &work)?;
        let top: Value = files::read_json(&work.join("index.json"))?;
        let index = document(&work, &top["manifests"][0])?;
        for manifest in index["manifests"].as_array().into_iter().flatten() {
            let architecture = word(&manifest["platform"]["architecture"])?;
            let is_ours = architecture == ours();
            let done = if is_ours {
                "starts from its own root"
            } else {
                "NOT STARTED: this machine is of another kind"
            };
            if is_ours {
                start(&work, name, &document(&work, manifest)?)?;
            }
            println!("dist: image of {name} for {architecture}: {done}");
        }
    }
    files::remove(&work)
}

/// This machine's architecture, as images call it.
fn ours() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

fn start(work: &Path, name: &str, manifest: &Value) -> Result<()> {
    let root = work.join("root");
    files::create_folder(&root)?;
    unpack(&blob(work, &manifest["layers"][0])?, &root)?;
    let config = document(work, &manifest["config"])?;
    let config = &config["config"];
    let (user, group) = word(&config["User"])?.split_once(':').ok_or("no group")?;
    // The relay calls itself by TLS, and is answered without.
    let (port, says, settings) = match name {
        NAME => ("8080", "the service starts", &[][..]),
        _ => ("8090", "received corrupt message", &RELAY_SETTINGS[..]),
    };
    let mut run = Command::new("unshare");
    run.args(["--mount", "--net", "--propagation", "private", "sh"])
        .arg(script("image.sh"))
        .arg(&root)
        .args([port, user, says])
        .args(words(&config["Env"]))
        .args(settings);
    run.args(["unshare", "--setuid", user, "--setgid", group])
        .arg(format!("--root={}", root.display()))
        .arg(format!("--wd={}", word(&config["WorkingDir"])?))
        .args(words(&config["Entrypoint"]))
        .args(words(&config["Cmd"]));
    command::run(&mut run)
}

/// With owners and modes, as root.
fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--same-owner", "--same-permissions", "--file"]);
    command::run(tar.arg(archive).arg("--directory").arg(folder))
}

fn blob(work: &Path, descriptor: &Value) -> Result<std::path::PathBuf> {
    let digest = word(&descriptor["digest"])?;
    Ok(work.join("blobs").join(digest.replace(':', "/")))
}

fn document(work: &Path, descriptor: &Value) -> Result<Value> {
    files::read_json(&blob(work, descriptor)?)
}

fn word(value: &Value) -> Result<&str> {
    value
        .as_str()
        .ok_or_else(|| format!("{value} is not a text"))
}

fn words(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

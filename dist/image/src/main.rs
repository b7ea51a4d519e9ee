//! `image FILE NAME (ARCHITECTURE PROGRAM SBOM)…`: a container image of a program as an OCI archive, for several
//! architectures. The same files make the same bytes: nothing in it tells time, place or user.

mod archive;
mod layer;

use archive::Archive;
use serde_json::{Value, json};
use std::error::Error;
use std::fs;

/// An error is a sentence for the person at the terminal.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Who runs it, user and group: nobody whom a system has.
const USER: u64 = 65532;
/// The working folder, where SQLite files and storage key lie by default.
const DATA: &str = "var/lib/pos-connect";
/// Bytes of an image, unpacked.
const LIMIT: usize = 30_000_000;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, name, programs @ ..] = words.as_slice() else {
        return Err("which file, which name, which programs?".into());
    };
    let (programs, []) = programs.as_chunks() else {
        return Err("a program needs an architecture and a list of its parts".into());
    };
    let part = |[architecture, program, sbom]: &[String; 3]| -> Result<Part> {
        Ok(Part {
            architecture: architecture.clone(),
            program: fs::read(program)?,
            sbom: fs::read(sbom)?,
        })
    };
    let parts = programs.iter().map(part).collect::<Result<Vec<_>>>()?;
    Ok(fs::write(file, image(name, &parts)?)?)
}

/// What differs between architectures.
struct Part {
    /// Go's name, as images have it: `amd64`.
    architecture: String,
    /// A static program.
    program: Vec<u8>,
    /// What it is made of, in CycloneDX.
    sbom: Vec<u8>,
}

/// The archive: an OCI layout whose only image is an index of one image for each architecture.
fn image(name: &str, parts: &[Part]) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    let mut manifests = Vec::new();
    for part in parts {
        let mut manifest = manifest(&mut archive, name, part)?;
        manifest["platform"] = json!({ "architecture": part.architecture, "os": "linux" });
        manifests.push(manifest);
    }
    let mut index = archive.document(
        INDEX,
        &json!({
            "schemaVersion": 2,
            "mediaType": INDEX,
            "manifests": manifests,
        }),
    )?;
    let version = env!("CARGO_PKG_VERSION");
    index["annotations"] = json!({
        "org.opencontainers.image.ref.name": version,
        "io.containerd.image.name": format!("docker.io/library/{name}:{version}"),
    });
    archive.finish(&json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [index] }))
}

const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// Puts the image of an architecture there, and gives its descriptor.
fn manifest(archive: &mut Archive, name: &str, part: &Part) -> Result<Value> {
    let plain = layer::tar(name, part)?;
    if plain.len() > LIMIT {
        return Err(format!(
            "{name} for {} has {} bytes, more than {LIMIT}",
            part.architecture,
            plain.len()
        )
        .into());
    }
    let (prefix, port) = match name {
        "pos-connect-service" => ("POS_CONNECT_SERVICE", 8080),
        "pos-connect-relay" => ("POS_CONNECT_RELAY", 8090),
        _ => return Err(format!("there is no program {name}").into()),
    };
    let config = archive.document(CONFIG, &json!({
        "created": "1970-01-01T00:00:00Z",
        "architecture": part.architecture,
        "os": "linux",
        "config": {
            "User": format!("{USER}:{USER}"),
            "Entrypoint": [format!("/usr/bin/{name}")],
            "Cmd": ["serve"],
            "WorkingDir": format!("/{DATA}"),
            "Env": [format!("{prefix}_LISTEN=0.0.0.0:{port}")],
            "ExposedPorts": { format!("{port}/tcp"): {} },
        },
        "rootfs": { "type": "layers", "diff_ids": [archive::digest(&plain)] },
        "history": [{ "created": "1970-01-01T00:00:00Z", "created_by": "cargo xtask dist --images" }],
    }))?;
    let layer = archive.blob(LAYER, layer::gzip(&plain)?);
    archive.document(
        MANIFEST,
        &json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": config,
            "layers": [layer],
            "annotations": {
                "org.opencontainers.image.title": name,
                "org.opencontainers.image.version": env!("CARGO_PKG_VERSION"),
                "org.opencontainers.image.licenses": env!("CARGO_PKG_LICENSE"),
            },
        }),
    )
}

#[cfg(test)]
mod tests;

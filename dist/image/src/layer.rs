//! The files of an image: the program, the certificates that it knows servers by, and its papers. There is no shell,
//! and no library.

use crate::{DATA, Part, Result, USER};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use std::io::Write;
use tar::{Builder, EntryType, Header};

const COPYRIGHT: &[u8] = include_bytes!("../../debian/copyright");

/// The layer, before it is compressed. Runtimes want each folder before what is in it.
pub fn tar(name: &str, part: &Part) -> Result<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    for path in [
        "etc",
        "etc/ssl",
        "etc/ssl/certs",
        "usr",
        "usr/bin",
        "usr/share",
        "usr/share/doc",
        "var",
        "var/lib",
    ] {
        folder(&mut tar, path, 0, 0o755)?;
    }
    let papers = format!("usr/share/doc/{name}");
    folder(&mut tar, &papers, 0, 0o755)?;
    // SQLite puts large sorts there.
    folder(&mut tar, "tmp", 0, 0o1777)?;
    // A new volume takes owner and mode from here.
    folder(&mut tar, DATA, USER, 0o700)?;
    file(
        &mut tar,
        "etc/ssl/certs/ca-certificates.crt",
        certificates().as_bytes(),
        0o644,
    )?;
    file(&mut tar, &format!("usr/bin/{name}"), &part.program, 0o755)?;
    file(&mut tar, &format!("{papers}/copyright"), COPYRIGHT, 0o644)?;
    file(
        &mut tar,
        &format!("{papers}/{name}.cdx.json"),
        &part.sbom,
        0o644,
    )?;
    Ok(tar.into_inner()?)
}

/// Without a name and a time.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?)
}

/// A file of root's.
pub fn file(tar: &mut Builder<Vec<u8>>, path: &str, bytes: &[u8], mode: u32) -> Result<()> {
    let size = u64::try_from(bytes.len())?;
    Ok(tar.append_data(&mut header(EntryType::Regular, 0, mode, size), path, bytes)?)
}

fn folder(tar: &mut Builder<Vec<u8>>, path: &str, owner: u64, mode: u32) -> Result<()> {
    let header = &mut header(EntryType::Directory, owner, mode, 0);
    Ok(tar.append_data(header, format!("{path}/"), std::io::empty())?)
}

fn header(kind: EntryType, owner: u64, mode: u32, size: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_uid(owner);
    header.set_gid(owner);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(0);
    header
}

/// In PEM, where programs on Linux look first.
fn certificates() -> String {
    let mut text = String::new();
    for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        text.push_str("-----BEGIN CERTIFICATE-----\n");
        let mut encoded = STANDARD.encode(certificate).into_bytes();
        for line in encoded.chunks_mut(64) {
            text.push_str(&String::from_utf8_lossy(line));
            text.push('\n');
        }
        text.push_str("-----END CERTIFICATE-----\n");
    }
    text
}

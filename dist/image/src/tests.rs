use super::*;
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::Read;

type Files = BTreeMap<String, (u32, u64, Vec<u8>)>;

fn parts() -> [Part; 2] {
    ["amd64", "arm64"].map(|architecture| Part {
        architecture: architecture.to_owned(),
        program: format!("a program for {architecture}").into_bytes(),
        sbom: b"{}".to_vec(),
    })
}

/// The entries of a tar file by their paths: mode, owner, content. Each has no time.
fn files(bytes: &[u8]) -> Files {
    let mut tar = tar::Archive::new(bytes);
    let entry = |entry: std::io::Result<tar::Entry<'_, &[u8]>>| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let header = entry.header();
        assert_eq!(header.mtime().unwrap(), 0);
        let path = entry.path().unwrap().display().to_string();
        (
            path,
            (header.mode().unwrap(), header.uid().unwrap(), content),
        )
    };
    tar.entries().unwrap().map(entry).collect()
}

/// The blob that a descriptor names, held to the digest and the size.
fn blob<'f>(files: &'f Files, descriptor: &Value) -> &'f [u8] {
    let digest = descriptor["digest"].as_str().unwrap();
    let (_, _, bytes) = &files[&format!("blobs/{}", digest.replace(':', "/"))];
    assert_eq!(archive::digest(bytes), digest);
    assert_eq!(descriptor["size"], bytes.len());
    bytes
}

fn document(files: &Files, descriptor: &Value) -> Value {
    serde_json::from_slice(blob(files, descriptor)).unwrap()
}

#[test]
fn the_same_files_make_the_same_image() {
    let made = || image("pos-connect-relay", &parts()).unwrap();
    assert_eq!(archive::digest(&made()), archive::digest(&made()));
    let mut others = parts();
    others[1].program.push(b'!');
    assert_ne!(made(), image("pos-connect-relay", &others).unwrap());
}

#[test]
fn each_architecture_has_its_program_for_nobody_and_nothing_else_to_run() {
    let archive = files(&image("pos-connect-service", &parts()).unwrap());
    let index: Value = serde_json::from_slice(&archive["index.json"].2).unwrap();
    let index = document(&archive, &index["manifests"][0]);
    for part in parts() {
        let manifests = index["manifests"].as_array().unwrap();
        let of = |manifest: &&Value| manifest["platform"]["architecture"] == *part.architecture;
        let manifest = document(&archive, manifests.iter().find(of).unwrap());
        let config = document(&archive, &manifest["config"]);
        assert_eq!(config["architecture"], *part.architecture);
        assert_eq!(config["config"]["User"], "65532:65532");
        let mut plain = Vec::new();
        let layer = blob(&archive, &manifest["layers"][0]);
        GzDecoder::new(layer).read_to_end(&mut plain).unwrap();
        assert_eq!(config["rootfs"]["diff_ids"][0], archive::digest(&plain));
        let layer = files(&plain);
        assert_eq!(
            layer["usr/bin/pos-connect-service"],
            (0o755, 0, part.program)
        );
        assert_eq!(layer["var/lib/pos-connect/"], (0o700, USER, Vec::new()));
        let runs = |(path, (mode, ..)): &(&String, &(u32, u64, _))| {
            !path.ends_with('/') && mode & 0o111 != 0
        };
        assert_eq!(layer.iter().filter(runs).count(), 1);
        let folder = |path: &str| path.rfind('/').map(|end| path[..=end].to_owned());
        for path in layer
            .keys()
            .filter_map(|path| folder(path.trim_end_matches('/')))
        {
            assert!(layer.contains_key(&path), "{path}");
        }
    }
}

#[test]
fn the_certificates_can_be_read() {
    let archive = layer::tar("pos-connect-relay", &parts()[0]).unwrap();
    let (mode, owner, text) = &files(&archive)["etc/ssl/certs/ca-certificates.crt"];
    assert_eq!((*mode, *owner), (0o644, 0));
    let file = std::env::temp_dir().join(format!("pos-connect-image-{}.pem", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let read = pos_connect_foundation::trust::file(&file);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        read.unwrap().len(),
        webpki_root_certs::TLS_SERVER_ROOT_CERTS.len()
    );
}

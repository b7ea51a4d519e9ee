//! What a crate's product is made of, in CycloneDX.

use crate::{Result, command, repo};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The crates in it, as cargo resolves them for that target alone.
pub fn of(name: &str, target: &str) -> Result<String> {
    let mut tree = command::cargo();
    tree.args(["tree", "--locked", "--package", name, "--target", target])
        .args("--edges normal --prefix none --no-dedupe".split(' '))
        .args(["--format", "{p}\t{l}"]);
    let tree = command::output(&mut tree)?;
    let lines: BTreeSet<&str> = tree.lines().collect();
    let components: Vec<Value> = lines.into_iter().filter_map(component).collect();
    let sbom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": name, "version": repo::VERSION } },
        "components": components,
    });
    Ok(sbom.to_string())
}

/// The package in a line such as `serde v1.0.229 (proc-macro)`, a tab, its license. Ours have a folder behind the
/// version.
fn component(line: &str) -> Option<Value> {
    let (package, license) = line.split_once('\t')?;
    if package.contains("(/") {
        return None;
    }
    let mut words = package.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    Some(json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
        "licenses": [{ "expression": license.replace('/', " OR ") }],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_the_crates_of_one_product() {
        for (product, target, has, lacks) in [
            (
                "pos-connect-relay",
                "x86_64-unknown-linux-musl",
                ["libsqlite3-sys", "rustls", "ring"],
                ["jsonschema", "argon2"],
            ),
            (
                "pos-connect",
                "wasm32-unknown-unknown",
                ["gloo-net", "wasm-bindgen", "web-sys"],
                ["wasm-bindgen-test", "tokio"],
            ),
        ] {
            let sbom: Value = serde_json::from_str(&of(product, target).unwrap()).unwrap();
            let components = sbom["components"].as_array().unwrap();
            let named = |name| components.iter().filter(|one| one["name"] == name).count();
            assert_eq!(has.map(named), [1; 3], "{has:?}");
            assert_eq!(lacks.map(named), [0; 2], "{lacks:?}");
        }
    }
}

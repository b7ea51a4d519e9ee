//! An OCI layout in one file: documents and layers by their digests, each once.

use crate::{Result, layer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The blobs by their paths, in the order of these.
#[derive(Default)]
pub struct Archive {
    blobs: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    /// Adds it, and gives its descriptor.
    pub fn blob(&mut self, media_type: &str, bytes: Vec<u8>) -> Value {
        let (digest, size) = (digest(&bytes), bytes.len());
        let path = format!("blobs/{}", digest.replace(':', "/"));
        self.blobs.insert(path, bytes);
        json!({ "mediaType": media_type, "digest": digest, "size": size })
    }

    /// The same for JSON.
    pub fn document(&mut self, media_type: &str, value: &Value) -> Result<Value> {
        Ok(self.blob(media_type, serde_json::to_vec(value)?))
    }

    /// The whole, as a tar file.
    pub fn finish(self, index: &Value) -> Result<Vec<u8>> {
        let mut tar = tar::Builder::new(Vec::new());
        let layout = serde_json::to_vec(&json!({ "imageLayoutVersion": "1.0.0" }))?;
        layer::file(&mut tar, "oci-layout", &layout, 0o644)?;
        layer::file(&mut tar, "index.json", &serde_json::to_vec(index)?, 0o644)?;
        for (path, bytes) in &self.blobs {
            layer::file(&mut tar, path, bytes, 0o644)?;
        }
        Ok(tar.into_inner()?)
    }
}

/// As descriptors have it: `sha256:` and hex digits.
pub fn digest(bytes: &[u8]) -> String {
    let hex = Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>();
    format!("sha256:{hex}")
}

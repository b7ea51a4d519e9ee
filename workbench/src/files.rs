//! File system calls whose errors name the path.

use crate::Result;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

fn at<E: Display>(path: &Path) -> impl FnOnce(E) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}

/// The whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(at(path))
}

/// The whole file, which is UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(at(path))
}

/// The whole file, which is JSON.
pub fn read_json<Content: DeserializeOwned>(path: &Path) -> Result<Content> {
    serde_json::from_slice(&read(path)?).map_err(at(path))
}

/// Replaces what is there.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    fs::write(path, contents).map_err(at(path))
}

/// With the folders above it; one that is there is fine.
pub fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(at(path))
}

/// Removes a file or a folder with all that is in it; nothing there is fine.
pub fn remove(path: &Path) -> Result<()> {
    let result = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Moves within one file system.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(at(to))
}

/// One file; makes the folders above its copy.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        create_folder(folder)?;
    }
    fs::copy(from, to).map(drop).map_err(at(from))
}

/// Copies all files below `from`, dot files excepted.
pub fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    for file in list(from)? {
        copy(&from.join(&file), &to.join(&file))?;
    }
    Ok(())
}

/// Every file below `folder`, relative to it and sorted. Leaves out dot files and `node_modules`.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(folder, Path::new(""), &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(root: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let folder = root.join(below);
    for entry in fs::read_dir(&folder).map_err(at(&folder))? {
        let entry = entry.map_err(at(&folder))?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
            continue;
        }
        let path = below.join(&name);
        if entry.path().is_dir() {
            walk(root, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

//! Whether something was already built from the very same inputs.

use crate::{Result, files, repo};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

/// A hash over the names and contents of files and folders of the repository. What does not exist counts as empty.
pub fn of(inputs: &[&str]) -> Result<String> {
    let root = repo::root();
    let mut hasher = DefaultHasher::new();
    for input in inputs {
        let path = root.join(input);
        if path.is_dir() {
            for file in files::list(&path)? {
                add(&mut hasher, &root, &Path::new(input).join(file))?;
            }
        } else if path.is_file() {
            add(&mut hasher, &root, Path::new(input))?;
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn add(hasher: &mut DefaultHasher, root: &Path, file: &Path) -> Result<()> {
    let contents = files::read(&root.join(file))?;
    for part in [file.as_os_str().as_encoded_bytes(), &contents] {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    Ok(())
}

//! A copy on its way into the place of a database: beside it until it is whole and checked, then there in one step.

use super::{StoreError, opened_to_read, texts, with_suffix};
use crate::private;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The copy, which is erased with this value unless it was put into its place.
pub struct Staged {
    /// `FILE.restore`.
    part: PathBuf,
    place: PathBuf,
}

impl Staged {
    /// Makes an empty copy beside the place of a database. One of an attempt that was killed is replaced.
    pub(crate) fn beside(place: PathBuf) -> io::Result<Self> {
        let part = with_suffix(&place, ".restore");
        let staged = Self { part, place };
        staged.clear();
        private::create(&staged.part)?;
        Ok(staged)
    }

    /// Writes the content of the copy, which is on the disk when this returns.
    pub(crate) fn fill(&self, from: &mut impl Read) -> io::Result<()> {
        let mut file = File::options().write(true).open(&self.part)?;
        io::copy(from, &mut file)?;
        file.sync_all()
    }

    /// The URL by which the copy can be opened.
    pub fn url(&self) -> String {
        format!("sqlite://{}", self.part.display())
    }

    /// What is wrong with the file, and with the references in it.
    pub(crate) fn damage(&self) -> Result<Vec<String>, StoreError> {
        let connection = opened_to_read(&self.part)?;
        let mut damage = texts(&connection, "PRAGMA integrity_check", &[])?;
        damage.retain(|line| line != "ok");
        damage.extend(texts(&connection, "PRAGMA foreign_key_check", &[])?);
        Ok(damage)
    }

    /// Puts the copy into its place, once nobody has it open. Gives where the database is now that was there.
    pub fn put(self, suffix: &str) -> io::Result<Option<PathBuf>> {
        if with_suffix(&self.part, "-wal").exists() {
            return Err(io::Error::other("the copy is still open"));
        }
        let aside = with_suffix(&self.place, suffix);
        let is_there = self.place.exists();
        // The log of the one that was there would break the copy: it goes first.
        for end in ["-wal", "-shm", ""] {
            match std::fs::rename(with_suffix(&self.place, end), with_suffix(&aside, end)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        File::open(&self.part)?.sync_all()?;
        std::fs::rename(&self.part, &self.place)?;
        if let Some(folder) = self
            .place
            .parent()
            .filter(|folder| *folder != Path::new(""))
        {
            File::open(folder)?.sync_all()?;
        }
        Ok(is_there.then_some(aside))
    }

    fn clear(&self) {
        let own = self
            .part
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        // Its log, and the copies from before migrations.
        let is_own = |name: &str| {
            let rest = name.strip_prefix(&own);
            rest.is_some_and(|rest| ["", "-wal", "-shm"].contains(&rest) || rest.starts_with(".v"))
        };
        let folder = self.part.parent().filter(|folder| *folder != Path::new(""));
        let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
        for entry in entries.into_iter().flatten().flatten() {
            if is_own(&entry.file_name().to_string_lossy()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.clear();
    }
}

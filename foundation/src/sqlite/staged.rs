//! A copy on its way into the place of a database: beside it until it is whole and checked, then there in one step.

use super::{StoreError, opened, opened_to_read, texts, with_suffix};
use crate::private;
use rusqlite::OpenFlags;
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
        // A link to the disk that the database belongs on stays, and leads to the copy afterwards.
        let place = place.canonicalize().unwrap_or(place);
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
        let tables = "SELECT count(*) FROM sqlite_schema";
        if connection.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0 {
            // To SQLite, a file without a byte is a database, and a migration would make it one of ours.
            return Err(StoreError::Unsupported(
                "it is empty, and no copy that `backup` has made".into(),
            ));
        }
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
        take_log_in(&self.place);
        // The log of the one that was there would break the copy: it goes first.
        for end in ["-wal", "-shm", ""] {
            match std::fs::rename(with_suffix(&self.place, end), with_suffix(&aside, end)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        File::open(&self.part)?.sync_all()?;
        std::fs::rename(&self.part, &self.place)?;
        sync_folder(&self.place)?;
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
        let entries = std::fs::read_dir(folder_of(&self.part));
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

/// Leaves the database that is there in one file, if it can be read: one that a kill parts from its log has lost rows.
fn take_log_in(place: &Path) {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(connection) = opened(place, flags) else {
        return;
    };
    let taken = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    if let Err(error) = taken {
        tracing::warn!(%error, "the log of the database of before stays beside it");
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Writes a folder to the disk: until then, a power failure can take a new name of a file back.
pub(crate) fn sync_folder(of: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder_of(of))?.sync_all(),
        // A folder is no file there.
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn folder(name: &str) -> PathBuf {
        let name = format!("pos-connect-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    #[test]
    fn an_empty_file_is_no_copy() {
        let folder = folder("empty-copy");
        let staged = Staged::beside(folder.join("x.db")).unwrap();
        staged.fill(&mut io::empty()).unwrap();
        let error = staged.damage().unwrap_err().to_string();
        assert!(error.contains("it is empty"), "{error}");
        drop(staged);
        std::fs::remove_dir(&folder).unwrap();
    }

    /// As a service leaves it that was killed: its last rows are in the log alone.
    #[cfg(unix)]
    #[test]
    fn the_database_of_before_is_one_file_with_all_its_rows() {
        let folder = folder("put-aside");
        let (live, place) = (folder.join("live.db"), folder.join("x.db"));
        let link = folder.join("link.db");
        std::os::unix::fs::symlink(&place, &link).unwrap();
        let writer = Connection::open(&live).unwrap();
        let sql = "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (7)";
        writer.execute_batch(sql).unwrap();
        for end in ["", "-wal"] {
            std::fs::copy(with_suffix(&live, end), with_suffix(&place, end)).unwrap();
        }
        let staged = Staged::beside(link.clone()).unwrap();
        let mut copy = File::open(&live).unwrap();
        staged.fill(&mut copy).unwrap();
        let aside = staged.put(".before").unwrap().unwrap();
        let files = ["-wal", "-shm"].map(|end| with_suffix(&aside, end).exists());
        assert_eq!(files, [false, false]);
        let kept = Connection::open(&aside).unwrap();
        let row: i64 = kept
            .query_row("SELECT x FROM t", [], |row| row.get(0))
            .unwrap();
        assert_eq!((row, place.exists(), link.is_symlink()), (7, true, true));
        drop((kept, writer));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! Room on the disk for commands that contain an incident: a file beside the database, `FILE.reserve`. They give it up
//! piece by piece when the disk is full. Nothing else touches it, so revoking works when nothing else can be written.

use super::{StoreError, sqlite_file, with_suffix};
use crate::private;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;

/// What one transaction takes, with all that SQLite writes beside it.
const PIECE: usize = 4 * 1024 * 1024;
/// Time from one look at whether the reserve is whole to the next.
const LOOK_EVERY: Duration = Duration::from_secs(10 * 60);

/// The file of the reserve.
#[derive(Clone)]
pub struct Reserve(PathBuf);

impl Reserve {
    /// The reserve beside the file of `sqlite://FILE`.
    pub fn beside(url: &str) -> Result<Self, StoreError> {
        Ok(Self::of(&sqlite_file(url)?))
    }

    pub(super) fn of(database: &Path) -> Self {
        Self(with_suffix(database, ".reserve"))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Keeps so many bytes, now and again, until `stop` turns true: what was given up is taken again once there is
    /// room.
    pub async fn keep(self, bytes: u64, mut stop: watch::Receiver<bool>) {
        loop {
            let reserve = self.clone();
            let kept = tokio::task::spawn_blocking(move || reserve.resize(bytes)).await;
            if let Ok(Err(error)) = kept {
                tracing::warn!(
                    cause = %error,
                    "there is no room for the reserve: with a full disk, not even revoking will work"
                );
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    /// Gives the file this size, or leaves the size from before if there is no room.
    fn resize(&self, bytes: u64) -> io::Result<()> {
        let mut file = self.open()?;
        let before = file.metadata()?.len();
        if before >= bytes {
            return file.set_len(bytes);
        }
        file.seek(SeekFrom::End(0))?;
        let added = write_zeros(&mut file, bytes - before).and_then(|()| file.sync_all());
        if added.is_err() {
            file.set_len(before)?;
        }
        added
    }

    fn open(&self) -> io::Result<File> {
        match private::create(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                OpenOptions::new().write(true).open(&self.0)
            }
            made => made,
        }
    }

    /// Gives pieces up until there is room for a transaction, or nothing is left to give up.
    pub(super) fn make_room(&self) {
        while !self.has_room() {
            let Ok(file) = OpenOptions::new().write(true).open(&self.0) else {
                return;
            };
            let left = file.metadata().map_or(0, |metadata| metadata.len());
            if left == 0 || file.set_len(left.saturating_sub(PIECE as u64)).is_err() {
                return;
            }
            tracing::warn!("the disk is full: this command takes its room from the reserve");
        }
    }

    /// Whether there is room, which only a try tells: a file of another user may have a quota.
    fn has_room(&self) -> bool {
        let probe = with_suffix(&self.0, ".probe");
        let _ = std::fs::remove_file(&probe);
        let tried =
            private::create(&probe).and_then(|mut file| write_zeros(&mut file, PIECE as u64));
        let _ = std::fs::remove_file(&probe);
        tried.is_ok()
    }
}

fn write_zeros(file: &mut File, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::Read::take(io::repeat(0), bytes), file)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_size_that_is_wanted_and_gives_nothing_up_while_there_is_room() {
        let name = format!("pos-connect-reserve-{}.db", std::process::id());
        let database = std::env::temp_dir().join(name);
        let reserve = Reserve::of(&database);
        let length = || std::fs::metadata(&reserve.0).unwrap().len();
        for bytes in [3 << 20, 5 << 20, 1 << 20] {
            reserve.resize(bytes).unwrap();
            assert_eq!(length(), bytes);
        }
        reserve.make_room();
        assert_eq!(length(), 1 << 20);
        reserve.resize(0).unwrap();
        assert_eq!(length(), 0);
        std::fs::remove_file(&reserve.0).unwrap();
    }
}

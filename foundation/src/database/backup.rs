//! Backups of a SQLite file: where they go, for whom they are encrypted, how many are kept, and the way back.

use super::{Named, is_postgres};
use crate::clock::Timestamp;
use crate::command::{BackupOptions, Failure};
use crate::private;
use crate::sqlite::{self, Exclusive, Staged, sqlite_file, sync_folder, with_suffix};
use age::x25519::Recipient;
use age::{Decryptor, Encryptor, IdentityFile};
use serde::Serialize;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// What every file of `age` begins with, in its first version.
const ENCRYPTED: &[u8] = b"age-encryption.org/v1";
/// What follows the database's name in that of a copy which is not encrypted yet: no copy of anybody's is called so.
const PLAIN: &str = ".backup-unfinished";
/// Characters of the time in a name, as `2026-11-27T120000Z`.
const TIME: usize = 18;

/// A copy that was made.
#[derive(Serialize)]
pub struct Copied {
    file: PathBuf,
    /// How many older copies were erased.
    erased: usize,
}

impl fmt::Display for Copied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        write!(
            f,
            "{file} is a copy of the database; the storage key is not in it"
        )?;
        match self.erased {
            0 => Ok(()),
            erased => write!(f, "; {erased} older were erased"),
        }
    }
}

impl Named {
    /// Copies the database, also while the program runs.
    pub fn back_up(&self, options: &BackupOptions, now: Timestamp) -> Result<Copied, Failure> {
        let database = self.file("backup copies SQLite databases; for PostgreSQL use pg_dump")?;
        let copies = Copies::of(&options.to, &database);
        if options.keep.is_some() && copies.is_none() {
            return Err("--keep needs a folder, where the older copies are".into());
        }
        let is_encrypted = !options.recipients.is_empty();
        let (to, part) = match &copies {
            Some(copies) => (copies.next(now, is_encrypted), copies.part()),
            None => (options.to.clone(), with_suffix(&options.to, ".unfinished")),
        };
        let failed = |error: &dyn std::fmt::Display| format!("no copy was made: {error}");
        if !database.exists() {
            return Err(failed(&sqlite::nothing_at(&database)).into());
        }
        // Another one at the same time would take this one's unfinished files for those of a program that was killed.
        let _alone = Exclusive::to_copy(&database).map_err(|error| failed(&error))?;
        if to.symlink_metadata().is_ok() {
            return Err(failed(&format!("{} is there already", to.display())).into());
        }
        let mut unfinished = Unfinished(vec![part.clone(), with_suffix(&database, PLAIN)]);
        unfinished.clear()?;
        let plain = unfinished.0[usize::from(is_encrypted)].clone();
        sqlite::copy(self.url(), &plain).map_err(|error| failed(&error))?;
        if is_encrypted {
            let encrypted = encrypt(&plain, &part, &options.recipients);
            encrypted.map_err(|error| failed(&format!("{}: {error}", to.display())))?;
            private::remove(&plain)?;
        }
        // Only a whole copy has the name of one, also when a signal or a power failure ends this program.
        std::fs::rename(&part, &to)?;
        unfinished.0.clear();
        sync_folder(&to)?;
        let erased = match (&copies, options.keep) {
            (Some(copies), Some(keep)) => copies.erase_all_but(keep as usize, &to)?,
            _ => 0,
        };
        Ok(Copied { file: to, erased })
    }

    /// Puts a copy beside the place of the database, opened and looked through. Refuses to take the place of one that
    /// is there, unless told.
    pub fn stage(
        &self,
        from: &Path,
        identity: Option<&Path>,
        may_replace: bool,
    ) -> Result<Staged, Failure> {
        let database =
            self.file("restore is for SQLite databases; for PostgreSQL use pg_restore or psql")?;
        let length = database.metadata().map_or(0, |metadata| metadata.len());
        if length > 0 && !may_replace {
            return Err(format!(
                "there is a database {}; `--replace` moves it aside and takes its place",
                database.display()
            )
            .into());
        }
        let unread =
            |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", from.display());
        let mut source = BufReader::new(File::open(from).map_err(|error| unread(&error))?);
        let staged = Staged::beside(database)?;
        let is_encrypted = io::BufRead::fill_buf(&mut source)?.starts_with(ENCRYPTED);
        let filled = match (is_encrypted, identity) {
            (false, _) => staged.fill(&mut source).map_err(|error| unread(&error)),
            (true, Some(identity)) => staged
                .fill(&mut decrypted(source, identity)?)
                .map_err(|error| unread(&error)),
            (true, None) => Err(unread(
                &"it is encrypted; name the file with its private key with --identity",
            )),
        };
        filled?;
        let damage = staged.damage().map_err(|error| unread(&error))?;
        match damage.is_empty() {
            true => Ok(staged),
            false => Err(unread(&format!("{} places of it are damaged", damage.len())).into()),
        }
    }

    fn file(&self, otherwise: &str) -> Result<PathBuf, Failure> {
        match is_postgres(self.url()) {
            true => Err(format!("{otherwise}, with --schema={}", self.schema()).into()),
            false => Ok(sqlite_file(self.url())?),
        }
    }
}

/// The copies of one database in a folder.
struct Copies {
    folder: PathBuf,
    /// Before the time in each name.
    prefix: String,
}

impl Copies {
    /// `None` where a file is meant.
    fn of(folder: &Path, database: &Path) -> Option<Self> {
        let name = database.file_stem()?.to_str()?;
        folder.is_dir().then(|| Self {
            folder: folder.to_owned(),
            prefix: format!("{name}-"),
        })
    }

    fn next(&self, now: Timestamp, is_encrypted: bool) -> PathBuf {
        let time = now.to_string().replace(':', "");
        let end = if is_encrypted { ".db.age" } else { ".db" };
        self.folder.join(format!("{}{time}{end}", self.prefix))
    }

    /// What the next one is called until it is whole. One name for all: so the next one replaces what is left of it.
    fn part(&self) -> PathBuf {
        self.folder.join(format!("{}unfinished", self.prefix))
    }

    /// Whether a name is one of ours, and not just like it.
    fn has(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&self.prefix);
        let Some((time, end)) = rest.and_then(|rest| rest.split_at_checked(TIME)) else {
            return false;
        };
        let is_time = time
            .bytes()
            .zip(*b"0000-00-00T000000Z")
            .all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                _ => byte == form,
            });
        is_time && (end == ".db" || end == ".db.age")
    }

    /// A copy with a later time than the `newest` is of a clock that was wrong: it neither counts nor goes, or it would
    /// have the one erased that was just made.
    fn erase_all_but(&self, keep: usize, newest: &Path) -> Result<usize, Failure> {
        let newest = newest.file_name().and_then(|name| name.to_str());
        let entries = std::fs::read_dir(&self.folder)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_ours = |name: &String| self.has(name) && Some(&**name) <= newest;
        let mut names: Vec<String> = names.filter(is_ours).collect();
        names.sort();
        names.truncate(names.len().saturating_sub(keep));
        for name in &names {
            std::fs::remove_file(self.folder.join(name))?;
        }
        Ok(names.len())
    }
}

/// Files that no copy needs any more, and that must not be taken for one. Gone with their owner; those of a program
/// that was killed go with the next one's.
struct Unfinished(Vec<PathBuf>);

impl Unfinished {
    fn clear(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|file| {
            // SQLite would play the journal of a copy that was killed back into the next one.
            private::remove(&with_suffix(file, "-journal"))?;
            private::remove(file)
        })
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = self.clear();
    }
}

fn encrypt(plain: &Path, to: &Path, recipients: &[Recipient]) -> Result<(), Failure> {
    let encryptor = Encryptor::with_recipients(recipients.iter().map(|recipient| recipient as _))?;
    let file = private::create(to)?;
    let mut encrypted = encryptor.wrap_output(&file)?;
    io::copy(&mut File::open(plain)?, &mut encrypted)?;
    encrypted.finish()?.flush()?;
    Ok(file.sync_all()?)
}

fn decrypted(source: BufReader<File>, identity: &Path) -> Result<impl Read, Failure> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", identity.display());
    let file = File::open(identity).map_err(|error| failed(&error))?;
    private::warn_if_shared(identity);
    let file = IdentityFile::from_buffer(BufReader::new(file)).map_err(|error| failed(&error))?;
    let identities = file.into_identities().map_err(|error| failed(&error))?;
    let decryptor = Decryptor::new_buffered(source)?;
    let opened = decryptor.decrypt(identities.iter().map(|identity| &**identity as _));
    Ok(opened.map_err(|error| failed(&error))?)
}

/// Removes what a [`Named::back_up`] that was killed has left of a database in plain, unless another one runs. What
/// cannot be removed stops no program, and is named in the log.
pub(super) fn remove_plain(database: &Path) {
    let database = database
        .canonicalize()
        .unwrap_or_else(|_| database.to_owned());
    let plain = with_suffix(&database, PLAIN);
    if !plain.exists() {
        return;
    }
    let removed = Exclusive::to_copy(&database)
        .map_err(Failure::from)
        .and_then(|_alone| Ok(Unfinished(vec![plain.clone()]).clear()?));
    if let Err(error) = removed {
        tracing::warn!(file = %plain.display(), %error, "a plain copy of the database is left");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Naming;

    #[test]
    fn only_copies_of_this_database_are_erased_and_the_oldest_first() {
        let folder =
            std::env::temp_dir().join(format!("pos-connect-copies-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let copies = Copies::of(&folder, Path::new("/var/lib/x/service.db")).unwrap();
        let next = |second: i64, is_encrypted| {
            copies.next(Timestamp(1_800_000_000_000 + second * 1000), is_encrypted)
        };
        let ours = [next(0, false), next(1, true), next(2, false)];
        assert!(ours[1].ends_with("service-2027-01-15T080001Z.db.age"));
        let others = [
            "service-2027-01-15T080000Z.db.part",
            "service-2027-01-15.db",
            "service-2027-01-15T08:0000Z.db",
            "relay-2027-01-15T080000Z.db",
            "service.db",
        ];
        let others = others.map(|name| folder.join(name));
        for file in ours.iter().chain(&others) {
            std::fs::write(file, "").unwrap();
        }
        assert_eq!(copies.erase_all_but(5, &ours[2]).unwrap(), 0);
        // While the clock was set back: what it made before stays, and so does the new one.
        assert_eq!(copies.erase_all_but(1, &ours[0]).unwrap(), 0);
        assert_eq!(copies.erase_all_but(1, &ours[2]).unwrap(), 2);
        assert_eq!(
            ours.each_ref().map(|file| file.exists()),
            [false, false, true]
        );
        assert!(others.iter().all(|file| file.exists()));
        assert!(Copies::of(&others[0], Path::new("service.db")).is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_copy_has_its_name_once_it_is_whole_and_takes_no_others() {
        let folder = std::env::temp_dir().join(format!("pos-connect-whole-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let database = folder.join("x.db");
        let connection = rusqlite::Connection::open(&database).unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        let naming = Naming {
            variable: "",
            default: "",
            schema: "",
        };
        let url = format!("sqlite://{}", database.display());
        let named = naming.find(Some(&url)).unwrap();
        let left = [
            "x-unfinished",
            "x-unfinished-journal",
            "x.db.backup-unfinished",
            "x.db.backup-unfinished-journal",
        ];
        // Somebody's own copy.
        std::fs::write(folder.join("x.db.backup"), "").unwrap();
        let secret = age::x25519::Identity::generate();
        let recipients = [vec![], vec![secret.to_public()]];
        for (second, recipients) in recipients.into_iter().enumerate() {
            let options = BackupOptions {
                to: folder.clone(),
                recipients,
                keep: None,
            };
            // A program that was killed leaves these.
            for name in left {
                std::fs::write(folder.join(name), "half of it").unwrap();
            }
            let now = Timestamp(1_800_000_000_000 + second as i64 * 1000);
            let failed = || named.back_up(&options, now).err().unwrap().to_string();
            let alone = Exclusive::to_copy(&database).unwrap();
            assert!(failed().contains("another program copies"), "{}", failed());
            drop(alone);
            let made = named.back_up(&options, now).unwrap().file;
            let length = made.metadata().unwrap().len();
            assert!(failed().contains("is there already"), "{}", failed());
            assert_eq!(made.metadata().unwrap().len(), length);
            for name in left {
                assert!(!folder.join(name).exists(), "{name}");
            }
        }
        assert!(folder.join("x.db.backup").exists());
        // A server that starts leaves none of it, but that of a copy which is being made.
        let plain = folder.join("x.db.backup-unfinished");
        std::fs::write(&plain, "half of it").unwrap();
        let alone = Exclusive::to_copy(&database).unwrap();
        drop(named.exclusive().unwrap());
        assert!(plain.exists());
        drop(alone);
        drop(named.exclusive().unwrap());
        assert!(!plain.exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

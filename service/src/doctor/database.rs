//! The database, its disk, its keys, and the files with them.

use super::clock::Reading;
use super::{Doctor, LIMIT, Outcome, Report};
use crate::clock::Timestamp;
use crate::store::{Opening, SCHEMA, Store, StoreError, key_beside};
use pos_connect_foundation::database::{Database, is_postgres, shown};
use pos_connect_foundation::private::is_shared;
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::sqlite::{Sizes, quick_check, sqlite_file};
use pos_connect_foundation::values;
use std::time::Duration;

const MIB: u64 = 1024 * 1024;
/// Less room on a disk is none.
const NO_ROOM: u64 = 64 * MIB;
/// The service keeps the write-ahead log at a quarter of it.
const LONG_LOG: u64 = 64 * MIB;
/// A file of 10 GiB takes longer: what is damaged often shows in its first part.
const LONGEST_LOOK: Duration = Duration::from_secs(10);
const RESTORE: &str = "stop the service, keep the damaged file, and `restore` the newest backup";

async fn in_time<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let late = || Err(StoreError::Unavailable("no answer in time".into()));
    tokio::time::timeout(LIMIT, work)
        .await
        .unwrap_or_else(|_| late())
}

impl Doctor<'_> {
    /// The database; `None` if it cannot be worked with.
    pub(super) async fn database(&self, report: &mut Report) -> Option<Store> {
        let url = &self.installation.database;
        let opening = Database::open(url, &SCHEMA, Opening::Existing);
        let database = match in_time(opening).await {
            Ok(database) => database,
            Err(error) => {
                let advice = advice(url, &error);
                report.add(Outcome::Fault, "database", error.to_string(), advice);
                return None;
            }
        };
        let shown = shown(url);
        if let Err(error) = in_time(database.ping()).await {
            let advice = match is_postgres(url) {
                true => {
                    "let the URL name the server that takes writes, and look at its disk and its log"
                }
                false => "make room on the disk, or mount it for writing",
            };
            report.fault("database", format!("{shown} takes no row: {error}"), advice);
            return None;
        }
        report.ok(
            "database",
            format!("{shown} has a schema that this program works with, and takes rows"),
        );
        match is_postgres(url) {
            true => self.shared_clock(&database, report).await,
            false => {
                let wanted = self.installation.reserve;
                match Sizes::of(url) {
                    Ok(sizes) => disk(&sizes, wanted, report),
                    Err(error) => report.warn("disk", error.to_string(), "look at the disk"),
                }
                self.integrity(report).await;
            }
        }
        self.newest_row(&database, report).await;
        self.keys(database, report).await
    }

    async fn shared_clock(&self, database: &Database, report: &mut Report) {
        let sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";
        let theirs = database.one(sql, values![], |row| row.get(0)).await;
        if let Ok(theirs) = theirs {
            report
                .clocks
                .push(Reading::of_database(theirs, self.clock.now()));
        }
    }

    async fn integrity(&self, report: &mut Report) {
        let Ok(file) = sqlite_file(&self.installation.database) else {
            return;
        };
        let checked = tokio::task::spawn_blocking(move || quick_check(&file, LONGEST_LOOK)).await;
        match checked {
            Ok(Ok(Some(found))) if found.is_empty() => report.ok("integrity", "the file is whole"),
            Ok(Ok(Some(found))) => report.fault(
                "integrity",
                format!("{} places of the file are damaged", found.len()),
                RESTORE,
            ),
            Ok(Ok(None)) => report.ok(
                "integrity",
                format!("no damage was found within {} s", LONGEST_LOOK.as_secs()),
            ),
            Ok(Err(error)) => report.fault("integrity", error.to_string(), RESTORE),
            Err(error) => report.fault("integrity", error.to_string(), "try again"),
        }
    }

    /// A clock that was set back shows in the audit, whose newest row is then of the future.
    async fn newest_row(&self, database: &Database, report: &mut Report) {
        let sql = "SELECT max(at) FROM audit";
        let newest: Result<Option<Timestamp>, _> =
            database.one(sql, values![], |row| row.get(0)).await;
        let now = self.clock.now();
        if let Ok(Some(newest)) = newest
            && newest > now
        {
            report.clocks.push(Reading::of_database(newest, now));
        }
    }

    /// The storage key, and the sealing keys under it.
    async fn keys(&self, database: Database, report: &mut Report) -> Option<Store> {
        let url = &self.installation.database;
        let key = self.installation.settings.storage_key.clone();
        let key = key.or_else(|| key_beside(url).ok());
        let file = match &key {
            Some(StorageKey::File(file)) => Some(file.clone()),
            _ => None,
        };
        let store = match Store::with_key(database, url, key).await {
            Ok(store) => store,
            Err(error) => {
                report.fault(
                    "storage-key",
                    error.to_string(),
                    "put the copy of the right key there",
                );
                return None;
            }
        };
        let shared = [file, sqlite_file(url).ok()]
            .into_iter()
            .flatten()
            .find(|file| is_shared(file));
        match shared {
            Some(file) => report.warn(
                "storage-key",
                format!("others on this machine can read {}", file.display()),
                "`chmod 600` it; if somebody has read the key, run `rotate-key`",
            ),
            None => report.ok(
                "storage-key",
                format!("{} opens what is sealed", store.key_id()),
            ),
        }
        self.sealing_keys(&store, report).await;
        Some(store)
    }

    async fn sealing_keys(&self, store: &Store, report: &mut Report) {
        let keys = match store.sealing_keys().await {
            Ok(keys) => keys,
            Err(error) => {
                return report.fault("sealing-keys", error.to_string(), "look at the database");
            }
        };
        for key in &keys {
            if let Err(error) = store.private_key(&key.key_id).await {
                let found = format!("{} cannot be read: {error}", key.key_id);
                return report.fault("sealing-keys", found, "run `sealing-key rotate`");
            }
        }
        report.ok(
            "sealing-keys",
            match keys.len() {
                0 => "the first till that asks for one makes it".into(),
                count => format!("{count}, and each opens"),
            },
        );
    }
}

/// What to do about a database that does not open; `None` where the error says it.
fn advice(url: &str, error: &StoreError) -> Option<String> {
    let advice = match (error, is_postgres(url)) {
        (StoreError::Unsupported(_), _) => return None,
        (_, true) => "start the server, or correct the URL; `psql` with the same URL shows more",
        (StoreError::Unavailable(_), false) => {
            "run this as the service's user; look at the disk and the file's owner"
        }
        (_, false) => RESTORE,
    };
    Some(advice.into())
}

/// Whether there is room, for orders and for what an incident needs.
fn disk(sizes: &Sizes, wanted: u64, report: &mut Report) {
    let [file, log, free] = [sizes.file, sizes.log, sizes.free].map(|bytes| bytes / MIB);
    if sizes.free < NO_ROOM {
        let advice = "make room before it is full, or no order is accepted any more";
        report.fault("disk", format!("{free} MiB are free"), advice);
    } else if sizes.free < sizes.file {
        let found = format!("{free} MiB are free, and the database has {file} MiB");
        let advice = "make room: an upgrade and `backup` write a copy of it";
        report.warn("disk", found, advice);
    } else {
        let found = format!("{free} MiB are free; the database has {file} MiB");
        report.ok("disk", found);
    }
    match sizes.reserve.map(|bytes| bytes / MIB) {
        Some(mib) if mib < wanted / MIB => report.warn(
            "reserve",
            format!(
                "it has {mib} of {} MiB: `serve` is filling it, or a command took some on a full disk",
                wanted / MIB
            ),
            "`serve` makes it whole again within ten minutes, once there is room",
        ),
        Some(mib) => report.ok("reserve", format!("it has {mib} MiB")),
        None => report.ok("reserve", "the first `serve` makes it"),
    }
    match sizes.log > LONG_LOG {
        true => report.warn(
            "log",
            format!("the write-ahead log has {log} MiB: some program has been reading for long"),
            "end the programs that read the database beside the service, and restart it",
        ),
        false => report.ok("log", format!("the write-ahead log has {log} MiB")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_told_before_there_is_none() {
        let whole = || Sizes {
            file: 100 * MIB,
            log: MIB,
            reserve: Some(16 * MIB),
            free: 1000 * MIB,
        };
        let of = |free, reserve, log| Sizes {
            free,
            reserve,
            log,
            ..whole()
        };
        use Outcome::{Fault, Ok, Warning};
        for (sizes, outcomes) in [
            (whole(), [Ok, Ok, Ok]),
            (of(99 * MIB, None, 0), [Warning, Ok, Ok]),
            (
                of(63 * MIB, Some(15 * MIB), 65 * MIB),
                [Fault, Warning, Warning],
            ),
        ] {
            let mut report = Report::default();
            disk(&sizes, 16 * MIB, &mut report);
            let found: Vec<_> = report
                .findings
                .iter()
                .map(|finding| finding.outcome)
                .collect();
            assert_eq!(found, outcomes);
        }
    }
}

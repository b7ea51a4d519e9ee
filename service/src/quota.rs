//! How many bytes a vendor's tills may store for a store: on a day, and in all. Calls are limited by their number, too;
//! but a till's key would fill the disk with large ones.
//!
//! Each process counts for itself and tells the database now and then, so that orders of one store do not wait for one
//! row. What a crash or another process leaves out is small beside the quota.

use crate::clock::Timestamp;
use crate::store::{Growth, Owner, Store, StoreError, StoredBytes};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that the database is not told of yet, at most.
const UNSAVED: i64 = 1024 * 1024;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Seconds of `Retry-After`, when there is no room in all: somebody has to erase something, and tills keep their
/// orders.
const FULL_SECONDS: u64 = 60 * 60;

/// What may be stored for one vendor and store.
#[derive(Clone, Copy, Debug)]
pub struct StorageLimits {
    /// Bytes on a day (UTC).
    pub a_day: u64,
    /// Bytes in all.
    pub in_all: u64,
}

/// What is stored, for each vendor and store that has stored something lately.
#[derive(Clone)]
pub(crate) struct Quota {
    limits: StorageLimits,
    used: Arc<Mutex<HashMap<Owner, Used>>>,
}

#[derive(Clone, Copy, Default)]
struct Used {
    /// What the database had, and what was added since.
    now: StoredBytes,
    /// What the database does not have yet.
    unsaved: StoredBytes,
    /// By calls that are not over.
    reserved: i64,
}

/// Room for one call, until it is dropped.
pub(crate) struct Reserved {
    quota: Quota,
    owner: Owner,
    bytes: i64,
}

impl Used {
    /// A day that is over counts no more.
    fn turn(&mut self, day: i64) {
        for count in [&mut self.now, &mut self.unsaved] {
            if count.day != day {
                (count.day, count.on_day) = (day, 0);
            }
        }
    }

    /// In how many seconds there may be room, if there is none.
    fn wait(&self, bytes: i64, limits: StorageLimits, now: Timestamp) -> Option<u64> {
        let more = self.reserved.saturating_add(bytes);
        let fits = |used: i64, limit: u64| {
            u64::try_from(used.saturating_add(more)).unwrap_or_default() <= limit
        };
        if !fits(self.now.total, limits.in_all) {
            return Some(FULL_SECONDS);
        }
        let left = (DAY_MS - now.0.rem_euclid(DAY_MS)).cast_unsigned();
        (!fits(self.now.on_day, limits.a_day)).then(|| left.div_ceil(1000))
    }

    const fn is_idle(&self) -> bool {
        self.reserved == 0 && self.unsaved.total == 0 && self.unsaved.on_day == 0
    }
}

impl Quota {
    pub(crate) fn new(limits: StorageLimits) -> Self {
        let used = Arc::default();
        Self { limits, used }
    }

    /// Makes room for a call that may store so many bytes, or says in how many seconds there may be some.
    pub(crate) async fn reserve(
        &self,
        store: &Store,
        owner: Owner,
        bytes: usize,
        now: Timestamp,
    ) -> Result<Result<Reserved, u64>, StoreError> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let mut stored = None;
        let reserved = loop {
            match self.reserve_known(owner, bytes, stored, now) {
                Some(reserved) => break reserved,
                None => stored = Some(store.stored_bytes(owner).await?),
            }
        };
        if reserved.is_err() {
            self.save(store, owner).await;
            // The next call looks again: somebody may have erased something.
            self.forget_idle();
        }
        Ok(reserved)
    }

    /// Counts what a call has stored.
    pub(crate) async fn add(&self, store: &Store, reserved: Reserved, grown: Growth) {
        if self.count(reserved.owner, grown) {
            self.save(store, reserved.owner).await;
        }
    }

    /// Tells the database what was stored, and forgets what it knows.
    pub(crate) async fn save_all(&self, store: &Store) {
        let owners: Vec<Owner> = self.all().keys().copied().collect();
        for owner in owners {
            self.save(store, owner).await;
        }
        self.forget_idle();
    }

    async fn save(&self, store: &Store, owner: Owner) {
        let Some(told) = self.begin_save(owner) else {
            return;
        };
        if told.total == 0 && told.on_day == 0 {
            return;
        }
        let stored = store.add_stored_bytes(owner, told).await;
        if let Err(error) = &stored {
            tracing::warn!(cause = %error, "what was stored for a store is not counted yet");
        }
        self.end_save(owner, told, stored.ok());
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Owner, Used>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a call. `stored` is what the database has; `None` without it, for an owner who is not known.
    fn reserve_known(
        &self,
        owner: Owner,
        bytes: i64,
        stored: Option<StoredBytes>,
        now: Timestamp,
    ) -> Option<Result<Reserved, u64>> {
        let mut all = self.all();
        let used = match stored {
            None => all.get_mut(&owner)?,
            Some(stored) => all.entry(owner).or_insert(Used {
                now: stored,
                ..Used::default()
            }),
        };
        used.turn(now.0.div_euclid(DAY_MS));
        if let Some(wait) = used.wait(bytes, self.limits, now) {
            return Some(Err(wait));
        }
        used.reserved += bytes;
        Some(Ok(Reserved {
            quota: self.clone(),
            owner,
            bytes,
        }))
    }

    fn forget_idle(&self) {
        self.all().retain(|_, used| !used.is_idle());
    }

    /// Counts what the call has stored; says whether the database should hear of it.
    fn count(&self, owner: Owner, grown: Growth) -> bool {
        let mut all = self.all();
        let Some(used) = all.get_mut(&owner) else {
            return false;
        };
        for count in [&mut used.now, &mut used.unsaved] {
            count.total += grown.kept;
            count.on_day += grown.written;
        }
        used.unsaved.on_day >= UNSAVED
    }

    /// What the database is told of now.
    fn begin_save(&self, owner: Owner) -> Option<StoredBytes> {
        let mut all = self.all();
        let unsaved = &mut all.get_mut(&owner)?.unsaved;
        let day = unsaved.day;
        Some(std::mem::replace(
            unsaved,
            StoredBytes {
                day,
                ..StoredBytes::default()
            },
        ))
    }

    /// What the database has now, or has not been told of.
    fn end_save(&self, owner: Owner, told: StoredBytes, stored: Option<StoredBytes>) {
        let mut all = self.all();
        let Some(used) = all.get_mut(&owner) else {
            return;
        };
        match stored {
            Some(stored) => {
                used.now = stored;
                used.now.total += used.unsaved.total;
                used.turn(used.unsaved.day);
                used.now.on_day += used.unsaved.on_day;
            }
            None => {
                used.unsaved.total += told.total;
                used.unsaved.on_day += told.on_day;
            }
        }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if let Some(used) = self.quota.all().get_mut(&self.owner) {
            used.reserved -= self.bytes;
        }
    }
}

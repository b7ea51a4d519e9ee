//! How many integrations a vendor may leave pending.
//!
//! A vendor's are counted in the database now and then; in between, every create counts as one more. So a create costs
//! no count of its own, and several services on one database pass the limit by what they create in ten seconds at most.

use crate::clock::Timestamp;
use crate::store::{Store, StoreError};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a count is built upon.
const COUNTED: Duration = Duration::from_secs(10);
/// Longest time that a refused caller is told to wait, in seconds: one can be cancelled or finished at any moment.
const LONGEST_WAIT: u64 = 60;

/// Why a vendor may create no more.
pub(crate) struct Full {
    /// Those that are pending.
    pub(crate) count: i64,
    /// In how many seconds there may be room.
    pub(crate) wait: u64,
}

/// What is known of each vendor's.
pub(crate) struct Pending {
    limit: u32,
    counted: Mutex<HashMap<i64, Counted>>,
}

/// The pending ones of a vendor.
struct Counted {
    count: u32,
    at: Timestamp,
}

impl Pending {
    pub(crate) fn new(limit: u32) -> Self {
        let counted = Mutex::default();
        Self { limit, counted }
    }

    /// Counts one more, unless the vendor has too many.
    pub(crate) async fn admit(
        &self,
        store: &Store,
        vendor: i64,
        now: Timestamp,
    ) -> Result<Result<(), Full>, StoreError> {
        if self.admits(vendor, now) {
            return Ok(Ok(()));
        }
        let (count, first_end) = store.pending(vendor, now).await?;
        if self.counts(vendor, count, now) {
            return Ok(Ok(()));
        }
        let wait = first_end.map_or(LONGEST_WAIT, |end| now.seconds_until(end));
        let wait = wait.min(LONGEST_WAIT);
        Ok(Err(Full { count, wait }))
    }

    /// Counts one more; false if the database has to be asked first.
    fn admits(&self, vendor: i64, now: Timestamp) -> bool {
        let mut all = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(counted) = all.get_mut(&vendor) else {
            return false;
        };
        // A clock that was set back makes a count old, too.
        let is_fresh = counted.at <= now && now < counted.at.after(COUNTED);
        let admits = is_fresh && counted.count < self.limit;
        counted.count += u32::from(admits);
        admits
    }

    /// Takes what the database has, and one more; false if there is no room for that.
    fn counts(&self, vendor: i64, count: i64, now: Timestamp) -> bool {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let admits = count < self.limit;
        let counted = Counted {
            count: count.saturating_add(u32::from(admits)),
            at: now,
        };
        let mut all = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(vendor, counted);
        admits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_built_upon_until_it_is_old_or_full() {
        let pending = Pending::new(5);
        let admits = |now| pending.admits(1, Timestamp(now));
        assert!(!admits(0), "nobody has counted");
        assert!(pending.counts(1, 2, Timestamp(1_000)));
        assert!(admits(1_000) && admits(10_999));
        assert!(!admits(10_999), "five");
        assert!(!pending.counts(1, 5, Timestamp(10_999)));
        assert!(!admits(10_999));
        assert!(pending.counts(1, 0, Timestamp(11_000)));
        assert!(!admits(21_000), "old");
        assert!(!admits(10_999), "set back");
        assert!(admits(20_999));
        assert!(!pending.admits(2, Timestamp(20_999)), "another vendor");
    }
}

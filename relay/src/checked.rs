//! When the connections were checked last, so that each is checked now and then.

use crate::store::TokenSet;
use pos_connect_foundation::clock::{Timestamp, millis};
use pos_connect_foundation::token::Hash;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// When each token set was checked last; failed checks count, so that a service that is down is not asked more often.
#[derive(Default)]
pub(crate) struct Checked {
    at: Mutex<HashMap<Hash, Timestamp>>,
    /// Sets on their way into the database.
    arriving: Mutex<HashSet<Hash>>,
}

/// A set on its way into the database, until this is dropped.
pub(crate) struct Arriving<'c> {
    checked: &'c Checked,
    hash: Hash,
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        locked(&self.checked.arriving).remove(&self.hash);
    }
}

impl Checked {
    /// The service has just told of this set what a check asks for; it is not in the database yet.
    pub(crate) fn arrives(&self, hash: Hash, now: Timestamp) -> Arriving<'_> {
        locked(&self.arriving).insert(hash);
        self.note(hash, now);
        Arriving {
            checked: self,
            hash,
        }
    }

    /// The service has just told of this set what a check asks for.
    pub(crate) fn note(&self, hash: Hash, now: Timestamp) {
        self.lock().insert(hash, now);
    }

    /// Whether its last check is older than `every`; if so, it counts as checked from now on.
    pub(crate) fn begin(&self, hash: Hash, now: Timestamp, every: Duration) -> bool {
        let mut checked = self.lock();
        let age = checked.get(&hash).map(|at| now.0 - at.0);
        // A clock that was set back makes an age negative.
        let is_due = age.is_none_or(|age| !(0..millis(every)).contains(&age));
        if is_due {
            checked.insert(hash, now);
        }
        is_due
    }

    /// Those that were never checked, then those whose check is longest ago.
    pub(crate) fn oldest_first(&self, sets: &mut [TokenSet]) {
        let checked = self.lock();
        sets.sort_by_key(|set| checked.get(&set.integration).map(|at| at.0));
    }

    /// Those that a list of the database has, if they are still there.
    pub(crate) fn known(&self) -> HashSet<Hash> {
        let known: HashSet<Hash> = self.lock().keys().copied().collect();
        &known - &locked(&self.arriving)
    }

    /// Forgets those of `known` that are no longer kept.
    pub(crate) fn forget_gone(&self, known: &HashSet<Hash>, sets: &[TokenSet]) {
        let kept: HashSet<_> = sets.iter().map(|set| set.integration).collect();
        self.lock()
            .retain(|hash, _| kept.contains(hash) || !known.contains(hash));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, Timestamp>> {
        locked(&self.at)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: Duration = Duration::from_secs(300);

    #[test]
    fn a_check_is_due_after_its_time_and_when_the_clock_was_set_back() {
        let (checked, hash) = (Checked::default(), Hash::of("one"));
        for (now, is_due) in [
            (1_000_000, true),
            (1_000_000, false),
            (1_299_999, false),
            (1_300_000, true),
            (1_599_999, false),
            (500_000, true),
        ] {
            assert_eq!(checked.begin(hash, Timestamp(now), EVERY), is_due, "{now}");
        }
        checked.note(Hash::of("two"), Timestamp(500_000));
        assert!(!checked.begin(Hash::of("two"), Timestamp(500_001), EVERY));
    }

    #[test]
    fn what_is_kept_while_others_are_listed_stays_checked() {
        let (checked, hash) = (Checked::default(), Hash::of("one"));
        let known = checked.known();
        checked.note(hash, Timestamp(0));
        checked.forget_gone(&known, &[]);
        assert!(!checked.begin(hash, Timestamp(1), EVERY));
        checked.forget_gone(&checked.known(), &[]);
        assert!(checked.begin(hash, Timestamp(1), EVERY));
    }

    #[test]
    fn what_is_listed_before_it_is_kept_stays_checked() {
        let (checked, hash) = (Checked::default(), Hash::of("one"));
        let arriving = checked.arrives(hash, Timestamp(0));
        let known = checked.known();
        drop(arriving);
        checked.forget_gone(&known, &[]);
        assert!(!checked.begin(hash, Timestamp(1), EVERY));
        checked.forget_gone(&checked.known(), &[]);
        assert!(checked.begin(hash, Timestamp(1), EVERY));
    }
}

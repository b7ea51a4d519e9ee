//! When the service was last asked about each connection, so that it is asked now and then, and not while it wants to
//! be left alone.

use crate::store::TokenSet;
use pos_connect_foundation::clock::{Timestamp, millis};
use pos_connect_foundation::token::Hash;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest that the service can put it off: a proxy may say any time.
const LONGEST_REST: Duration = Duration::from_secs(5 * 60);

/// When each token set was checked last; failed checks count, so that a service that is down is not asked more often.
#[derive(Default)]
pub(crate) struct Checked {
    /// Each with how long the service then asked to be left alone.
    at: Mutex<HashMap<Hash, (Timestamp, Duration)>>,
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
        self.rest(hash, now, Duration::ZERO);
    }

    /// The service does not tell now, and wants to be asked no sooner than after `rest`.
    pub(crate) fn rest(&self, hash: Hash, now: Timestamp, rest: Duration) {
        self.lock().insert(hash, (now, rest.min(LONGEST_REST)));
    }

    /// How long the service still wants to be left alone.
    pub(crate) fn left(&self, hash: Hash, now: Timestamp) -> Duration {
        let checked = self.lock();
        checked.get(&hash).map_or(Duration::ZERO, |&(at, rest)| {
            // A clock that was set back makes an age negative.
            let age = u64::try_from(now.0 - at.0).unwrap_or(u64::MAX);
            rest.saturating_sub(Duration::from_millis(age))
        })
    }

    /// Whether its last check is older than `every`, and than the rest that the service asked for; if so, it counts as
    /// checked from now on.
    pub(crate) fn begin(&self, hash: Hash, now: Timestamp, every: Duration) -> bool {
        let mut checked = self.lock();
        let is_due = checked.get(&hash).is_none_or(|&(at, rest)| {
            // A clock that was set back makes an age negative.
            !(0..millis(every.max(rest))).contains(&(now.0 - at.0))
        });
        if is_due {
            checked.insert(hash, (now, Duration::ZERO));
        }
        is_due
    }

    /// Sorts token sets: those that were never checked, then those whose check is longest ago.
    pub(crate) fn oldest_first(&self, sets: &mut [TokenSet]) {
        let checked = self.lock();
        sets.sort_by_key(|set| checked.get(&set.integration).map(|(at, _)| at.0));
    }

    /// The token sets that a list of the database has, if they are still there.
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

    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, (Timestamp, Duration)>> {
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
    fn a_service_that_wants_rest_has_it_and_five_minutes_at_most() {
        let (checked, hash) = (Checked::default(), Hash::of("one"));
        let begins = |now, every| checked.begin(hash, Timestamp(now), Duration::from_secs(every));
        for (rest, from) in [(0, 15_000), (60, 60_000), (u64::MAX, 300_000)] {
            checked.rest(hash, Timestamp(0), Duration::from_secs(rest));
            assert!(!begins(from - 1, 15), "{rest}");
            assert!(begins(from, 15), "{rest}");
            // It asked for that once.
            assert!(begins(from + 15_000, 15), "{rest}");
        }
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

//! Budgets: how much at once, and how much in the long run. And limits by key, in process and bounded in memory.

use crate::clock::Timestamp;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Keys it remembers at most; each is a key and a moment.
const CAPACITY: usize = 65_536;
/// How many give way together when all are in force, so that a flood does not look through all of them for each new
/// one.
const EVICTED: usize = CAPACITY / 16;

/// A limit: a burst of so many, and one more for each time that passes (GCRA: the moment at which it is full again is
/// all the state there is).
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    burst: i64,
    /// In microseconds, as all below: a limit may be more than one a millisecond.
    refill: i64,
}

impl Budget {
    /// `burst` at once, one more for each `refill` that passes.
    pub fn new(burst: u32, refill: Duration) -> Self {
        Self {
            burst: burst.into(),
            refill: i64::try_from(refill.as_micros()).unwrap_or(i64::MAX).max(1),
        }
    }

    /// When it is full again after one more, or in how many seconds there is room for it.
    pub fn spend(self, full_at: i64, now: i64) -> Result<i64, u64> {
        self.spend_many(full_at, now, 1)
    }

    /// When it is full again after `count` more, or after as many as fit at once.
    fn spend_many(self, full_at: i64, now: i64, count: usize) -> Result<i64, u64> {
        let longest = self.refill.saturating_mul(self.burst);
        let count = i64::try_from(count).map_or(self.burst, |count| count.min(self.burst));
        let spent = self.refill.saturating_mul(count);
        let full_at = match full_at > now.saturating_add(longest) {
            // A clock that was set back makes it so, and must not lock for as long as that: there is room for these.
            true => now.saturating_add(longest - spent),
            false => full_at,
        };
        let open_at = full_at.saturating_sub(longest - spent);
        if now < open_at {
            return Err(u64::try_from(open_at - now).map_or(0, |wait| wait.div_ceil(1_000_000)));
        }
        Ok(full_at.max(now).saturating_add(spent))
    }
}

/// Now, as a budget counts.
pub const fn micros(now: Timestamp) -> i64 {
    now.0.saturating_mul(1000)
}

/// A budget for each key.
pub struct Limit<K> {
    budget: Budget,
    full_at: Mutex<HashMap<K, i64>>,
}

impl<K: Eq + Hash> Limit<K> {
    /// `burst` at once, one more for each `refill` that passes.
    pub fn new(burst: u32, refill: Duration) -> Self {
        Self {
            budget: Budget::new(burst, refill),
            full_at: Mutex::default(),
        }
    }

    /// Counts one more, or says in how many seconds it will fit.
    pub fn count(&self, key: K, now: Timestamp) -> Result<(), u64> {
        self.count_many(key, now, 1)
    }

    /// Counts so many more, or as many as fit at once; or says in how many seconds they will fit.
    pub fn count_many(&self, key: K, now: Timestamp, count: usize) -> Result<(), u64> {
        let now = micros(now);
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if full_at.len() >= CAPACITY && !full_at.contains_key(&key) {
            make_room(&mut full_at, now);
        }
        let entry = full_at.entry(key).or_insert(now);
        *entry = self.budget.spend_many(*entry, now, count)?;
        Ok(())
    }
}

/// Forgets what is over, and failing that those nearest to it: the most failures are remembered the longest.
fn make_room<K: Eq + Hash>(full_at: &mut HashMap<K, i64>, now: i64) {
    full_at.retain(|_, full_at| *full_at > now);
    if full_at.len() < CAPACITY {
        return;
    }
    let mut moments: Vec<i64> = full_at.values().copied().collect();
    let last = *moments.select_nth_unstable(EVICTED - 1).1;
    let mut left = EVICTED;
    full_at.retain(|_, full_at| {
        let keep = *full_at > last || left == 0;
        left -= usize::from(!keep);
        keep
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_then_one_per_refill() {
        let limit = Limit::new(3, Duration::from_secs(10));
        let count = |key, now| limit.count(key, Timestamp(now));
        for _ in 0..3 {
            assert_eq!(count("a", 0), Ok(()));
        }
        assert_eq!(count("a", 0), Err(10));
        assert_eq!(count("a", 9_999), Err(1));
        assert_eq!(count("b", 0), Ok(()));
        assert_eq!(count("a", 10_000), Ok(()));
        assert_eq!(count("a", 10_000), Err(10));
    }

    #[test]
    fn many_need_room_for_all_and_more_than_fit_pass_when_it_is_full() {
        let limit = Limit::new(5, Duration::from_secs(10));
        let count = |now, count| limit.count_many("a", Timestamp(now), count);
        assert_eq!(count(0, 3), Ok(()));
        assert_eq!(count(0, 3), Err(10));
        assert_eq!(count(0, 2), Ok(()));
        assert_eq!(count(0, 9), Err(50));
        assert_eq!(count(50_000, 9), Ok(()));
        assert_eq!(count(50_000, 1), Err(10));
        // The clock is set back.
        assert_eq!(count(-50_000, 3), Ok(()));
    }

    #[test]
    fn more_than_one_a_millisecond_is_a_limit_too() {
        let limit = Limit::new(10, Duration::from_secs(1) / 4_000);
        let passed = (0..1_000).flat_map(|now| [now; 100]);
        let passed = passed.filter(|now| limit.count("a", Timestamp(*now)).is_ok());
        let count = passed.count();
        assert!((4_000..=4_010).contains(&count), "{count}");
    }

    #[test]
    fn memory_is_bounded() {
        let limit = Limit::new(1, Duration::from_secs(1));
        for key in 0..200_000 {
            assert_eq!(limit.count(key, Timestamp(0)), Ok(()));
        }
        assert!(limit.full_at.lock().unwrap().len() <= CAPACITY);
    }

    #[test]
    fn a_clock_set_back_leaves_room_for_one_and_one_more_for_each_refill() {
        let limit = Limit::new(3, Duration::from_secs(10));
        let count = |now| limit.count("a", Timestamp(now));
        for _ in 0..3 {
            assert_eq!(count(1_000_000_000), Ok(()));
        }
        assert_eq!(count(0), Ok(()));
        assert_eq!(count(0), Err(10));
        assert_eq!(count(10_000), Ok(()));
        assert_eq!(count(10_000), Err(10));
    }

    #[test]
    fn a_flood_of_keys_frees_none_that_is_locked() {
        let limit = Limit::new(2, Duration::from_secs(10));
        for _ in 0..2 {
            assert_eq!(limit.count(-1, Timestamp(0)), Ok(()));
        }
        for key in 0..100_000 {
            assert_eq!(limit.count(key, Timestamp(1)), Ok(()));
        }
        assert_eq!(limit.count(-1, Timestamp(2)), Err(10));
    }
}

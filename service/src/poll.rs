//! How often one integration's status may be asked for (RFC 8628 §3.5).

use crate::clock::{Timestamp, millis};
use crate::token::Hash;
use pos_connect_protocol::Status;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A timer in a browser may fire a little early, and two answers may travel at different speeds.
const TOLERANCE: Duration = Duration::from_millis(500);
const SHARDS: usize = 16;
/// 16 × 8,192 integrations asked about within one interval; beyond that a shard starts over and every window in it is
/// open again.
const SHARD_CAPACITY: usize = 8192;

/// The status that was answered last, and when.
struct Answered {
    status: Status,
    at: Timestamp,
}

/// Remembers the last answer of each integration that was asked about within one interval. Integrations it knows
/// nothing about may ask.
pub struct PollWindow {
    interval: Duration,
    shards: [Mutex<HashMap<Hash, Answered>>; SHARDS],
}

impl PollWindow {
    /// A window of `interval` for each integration.
    pub fn new(interval: Duration) -> Self {
        Self {
            interval,
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// Takes note of an answer that is about to be given, or says in how many seconds to ask again.
    ///
    /// News is always answered, and a refused call leaves the window where it was: it cannot keep itself refused.
    pub fn admit(&self, integration: &Hash, status: Status, now: Timestamp) -> Result<(), u64> {
        let shard = &self.shards[usize::from(integration.bytes()[0]) % SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = shard.get(integration) {
            let open_at = last.at.after(self.interval);
            let early = now.after(TOLERANCE) < open_at && now >= last.at;
            if early && last.status == status {
                return Err(now.seconds_until(open_at));
            }
        }
        if shard.len() >= SHARD_CAPACITY {
            let interval = millis(self.interval);
            shard.retain(|_, last| now.0.saturating_sub(last.at.0) < interval);
            if shard.len() >= SHARD_CAPACITY {
                shard.clear();
            }
        }
        shard.insert(*integration, Answered { status, at: now });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window() -> (PollWindow, Hash) {
        (PollWindow::new(Duration::from_secs(5)), Hash::of("one"))
    }

    #[test]
    fn the_first_call_is_free_and_the_next_waits_for_the_interval() {
        let (window, one) = window();
        let ask = |now| window.admit(&one, Status::Pending, Timestamp(now));
        assert_eq!(ask(0), Ok(()));
        assert_eq!(ask(0), Err(5));
        assert_eq!(ask(4000), Err(1));
        assert_eq!(ask(4499), Err(1));
        assert_eq!(ask(4500), Ok(()));
    }

    #[test]
    fn a_refused_call_never_moves_the_window() {
        let (window, one) = window();
        assert_eq!(window.admit(&one, Status::Pending, Timestamp(0)), Ok(()));
        for now in (100..4500).step_by(100) {
            assert!(window.admit(&one, Status::Pending, Timestamp(now)).is_err());
        }
        assert_eq!(window.admit(&one, Status::Pending, Timestamp(4500)), Ok(()));
    }

    #[test]
    fn news_is_never_refused_and_old_news_is() {
        let (window, one) = window();
        assert_eq!(window.admit(&one, Status::Pending, Timestamp(0)), Ok(()));
        assert_eq!(window.admit(&one, Status::Finished, Timestamp(1)), Ok(()));
        assert_eq!(window.admit(&one, Status::Finished, Timestamp(2)), Err(5));
    }

    #[test]
    fn integrations_do_not_share_a_window_and_a_clock_set_back_locks_nobody_out() {
        let (window, one) = window();
        assert_eq!(
            window.admit(&one, Status::Pending, Timestamp(1_000_000)),
            Ok(())
        );
        assert_eq!(
            window.admit(&Hash::of("two"), Status::Pending, Timestamp(1_000_000)),
            Ok(())
        );
        assert_eq!(window.admit(&one, Status::Pending, Timestamp(0)), Ok(()));
    }

    #[test]
    fn memory_is_bounded_and_what_is_over_goes_first() {
        let (window, one) = window();
        let ask =
            |integration: &Hash, now| window.admit(integration, Status::Pending, Timestamp(now));
        let others = |numbers: std::ops::Range<u32>, now| {
            for number in numbers {
                assert_eq!(ask(&Hash::of(&number.to_string()), now), Ok(()));
            }
        };
        others(0..100_000, 0);
        assert_eq!(ask(&one, 4_000), Ok(()));
        others(100_000..200_000, 5_000);
        assert_eq!(ask(&one, 5_000), Err(4));
        others(200_000..300_000, 5_000);
        for shard in &window.shards {
            assert!(shard.lock().unwrap().len() <= SHARD_CAPACITY);
        }
    }
}

//! When to ask for the status (RFC 8628 §3.2, §3.5; DESIGN §5). Knows no clock and no network: it is told the time and what came of a call.
//!
//! All times are milliseconds of one monotonic clock. A wall clock would end a wait when a till's clock is set.

use crate::error::{Error, ErrorCode};

const DEFAULT_INTERVAL_MS: f64 = 5_000.0;
const SHORTEST_INTERVAL_MS: f64 = 1_000.0;
const LONGEST_INTERVAL_MS: f64 = 60_000.0;
/// RFC 8628 §3.5: what each `slow_down` adds, for this and all later calls.
const SLOW_DOWN_MS: f64 = 5_000.0;
const LONGEST_BACKOFF_MS: f64 = 60_000.0;
const DEFAULT_LIFETIME_MS: f64 = 15.0 * 60_000.0;
/// What a service may promise at most; keeps a broken `expiresIn` from making a wait endless.
const LONGEST_LIFETIME_MS: f64 = 24.0 * 3_600_000.0;

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// Ask. The schedule counts the call as on its way until it is told what came of it.
    Poll,
    /// Wait so many milliseconds, or for a wake-up, a hint or coming online; then ask the schedule again.
    Sleep(f64),
    /// The lifetime is over.
    Expired,
}

/// What came of a call that did not end the wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Still pending; seconds as the service sent them, if it did.
    Pending {
        /// Seconds between two calls.
        interval: Option<f64>,
        /// Seconds until a pending integration is cancelled.
        expires_in: Option<f64>,
    },
    /// 429.
    SlowDown {
        /// What `Retry-After` asks for.
        retry_after_ms: Option<f64>,
    },
    /// No answer, or 5xx.
    Failed {
        /// What `Retry-After` asks for.
        retry_after_ms: Option<f64>,
    },
    /// We gave the call up ourselves.
    Dropped,
}

/// What an error means for the wait: go on as told, or (`None`) end it.
pub fn outcome(error: &Error) -> Option<Outcome> {
    let retry_after_ms = error.retry_after_ms;
    match error.code {
        ErrorCode::RateLimited => Some(Outcome::SlowDown { retry_after_ms }),
        ErrorCode::Network
        | ErrorCode::Timeout
        | ErrorCode::ServerError
        | ErrorCode::HeadersFailed => Some(Outcome::Failed { retry_after_ms }),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Hint {
    None,
    Heard,
    Used,
}

/// The schedule of one integration.
#[derive(Clone, Debug)]
pub struct Schedule {
    interval_ms: f64,
    added_ms: f64,
    failures: u32,
    in_flight: bool,
    /// When to ask if nothing happens.
    due: f64,
    /// When to ask at the earliest, whatever happens but a hint.
    earliest: f64,
    deadline: f64,
    asked_at_deadline: bool,
    hint: Hint,
}

impl Schedule {
    /// A schedule for an integration created at `now`; seconds as the service sent them, if it did.
    pub fn new(now: f64, interval: Option<f64>, expires_in: Option<f64>) -> Self {
        let mut schedule = Self {
            interval_ms: DEFAULT_INTERVAL_MS,
            added_ms: 0.0,
            failures: 0,
            in_flight: false,
            due: now,
            earliest: now,
            deadline: now + DEFAULT_LIFETIME_MS,
            asked_at_deadline: false,
            hint: Hint::None,
        };
        schedule.told(now, interval, expires_in);
        schedule
    }

    /// What to do at `now`. Offline there is nothing to ask, but the deadline still counts.
    pub fn next(&mut self, now: f64, online: bool) -> Next {
        if self.in_flight {
            return Next::Sleep(LONGEST_BACKOFF_MS);
        }
        if now >= self.deadline {
            // One call at the end: a merchant who consented in the last seconds, or the service's own "cancelled", is not missed.
            if self.asked_at_deadline || !online {
                return Next::Expired;
            }
            self.asked_at_deadline = true;
            return self.ask();
        }
        if !online {
            return Next::Sleep(self.deadline - now);
        }
        if self.hint == Hint::Heard {
            self.hint = Hint::Used;
            return self.ask();
        }
        if now >= self.due {
            return self.ask();
        }
        Next::Sleep(self.due.min(self.deadline) - now)
    }

    /// A call came back. `random` is in 0..1.
    pub fn answered(&mut self, now: f64, outcome: Outcome, random: f64) {
        self.in_flight = false;
        let mut retry_after = 0.0;
        let mut backoff = 0.0;
        match outcome {
            Outcome::Pending {
                interval,
                expires_in,
            } => {
                self.failures = 0;
                self.told(now, interval, expires_in);
            }
            Outcome::SlowDown { retry_after_ms } => {
                self.added_ms += SLOW_DOWN_MS;
                retry_after = retry_after_ms.unwrap_or(0.0);
            }
            Outcome::Failed { retry_after_ms } => {
                backoff = self.backoff(random);
                self.failures = self.failures.saturating_add(1);
                retry_after = retry_after_ms.unwrap_or(0.0);
            }
            Outcome::Dropped => {}
        }
        let interval = self.interval_ms + self.added_ms;
        self.earliest = now + interval.max(retry_after);
        self.due = now + (interval + backoff).max(retry_after);
    }

    /// The connect frame says that the merchant has decided. Worth one call, once; a forged one costs no more than that.
    pub fn hinted(&mut self) {
        if self.hint == Hint::None {
            self.hint = Hint::Heard;
        }
    }

    /// The page became visible, came online, or came back: ask as soon as the interval allows, without the rest of a back-off.
    pub fn woken(&mut self) {
        self.due = self.due.min(self.earliest);
    }

    fn ask(&mut self) -> Next {
        self.in_flight = true;
        Next::Poll
    }

    /// Full jitter over a doubling, capped window; on top of the interval, which stays the floor.
    fn backoff(&self, random: f64) -> f64 {
        let doubled = self.interval_ms * 2f64.powi(self.failures.min(16).cast_signed());
        doubled.min(LONGEST_BACKOFF_MS) * random.clamp(0.0, 1.0)
    }

    fn told(&mut self, now: f64, interval: Option<f64>, expires_in: Option<f64>) {
        if let Some(seconds) = interval {
            self.interval_ms = (seconds * 1000.0).clamp(SHORTEST_INTERVAL_MS, LONGEST_INTERVAL_MS);
        }
        if let Some(seconds) = expires_in {
            self.deadline = now + (seconds * 1000.0).clamp(0.0, LONGEST_LIFETIME_MS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Operation;
    use proptest::prelude::*;

    const PENDING: Outcome = Outcome::Pending {
        interval: None,
        expires_in: None,
    };
    const FAILED: Outcome = Outcome::Failed {
        retry_after_ms: None,
    };

    /// A schedule whose first call, at 0, was answered at 0.
    fn after(outcome: Outcome, random: f64) -> Schedule {
        let mut schedule = Schedule::new(0.0, None, None);
        assert_eq!(schedule.next(0.0, true), Next::Poll);
        schedule.answered(0.0, outcome, random);
        schedule
    }

    #[test]
    fn the_first_call_is_made_at_once() {
        assert_eq!(Schedule::new(7.0, None, None).next(7.0, true), Next::Poll);
    }

    #[test]
    fn two_calls_are_never_in_flight() {
        let mut schedule = Schedule::new(0.0, None, None);
        assert_eq!(schedule.next(0.0, true), Next::Poll);
        schedule.hinted();
        schedule.woken();
        assert!(matches!(schedule.next(600_000.0, true), Next::Sleep(_)));
    }

    #[test]
    fn the_interval_counts_from_the_answer() {
        let mut schedule = Schedule::new(0.0, None, None);
        assert_eq!(schedule.next(0.0, true), Next::Poll);
        schedule.answered(3_000.0, PENDING, 0.0);
        assert_eq!(schedule.next(3_000.0, true), Next::Sleep(5_000.0));
        assert_eq!(schedule.next(7_999.0, true), Next::Sleep(1.0));
        assert_eq!(schedule.next(8_000.0, true), Next::Poll);
    }

    #[test]
    fn an_interval_from_the_service_is_honoured() {
        let mut schedule = Schedule::new(0.0, Some(2.0), None);
        assert_eq!(schedule.next(0.0, true), Next::Poll);
        schedule.answered(0.0, PENDING, 0.0);
        assert_eq!(schedule.next(0.0, true), Next::Sleep(2_000.0));
        assert_eq!(schedule.next(2_000.0, true), Next::Poll);
        let told = Outcome::Pending {
            interval: Some(9.0),
            expires_in: None,
        };
        schedule.answered(2_000.0, told, 0.0);
        assert_eq!(schedule.next(2_000.0, true), Next::Sleep(9_000.0));
    }

    #[test]
    fn an_interval_is_clamped_to_1_to_60_seconds() {
        for (sent, kept) in [
            (0.0, 1_000.0),
            (-5.0, 1_000.0),
            (0.2, 1_000.0),
            (61.0, 60_000.0),
            (1e9, 60_000.0),
        ] {
            let mut schedule = Schedule::new(0.0, Some(sent), None);
            assert_eq!(schedule.next(0.0, true), Next::Poll);
            schedule.answered(0.0, PENDING, 0.0);
            assert_eq!(schedule.next(0.0, true), Next::Sleep(kept), "{sent}");
        }
    }

    #[test]
    fn retry_after_is_honoured() {
        let refused = Outcome::SlowDown {
            retry_after_ms: Some(30_000.0),
        };
        assert_eq!(after(refused, 0.0).next(0.0, true), Next::Sleep(30_000.0));
        let broken = Outcome::Failed {
            retry_after_ms: Some(30_000.0),
        };
        assert_eq!(after(broken, 0.0).next(0.0, true), Next::Sleep(30_000.0));
    }

    #[test]
    fn a_short_retry_after_does_not_shorten_the_interval() {
        let refused = Outcome::SlowDown {
            retry_after_ms: Some(1_000.0),
        };
        assert_eq!(after(refused, 0.0).next(0.0, true), Next::Sleep(10_000.0));
    }

    #[test]
    fn each_429_adds_5_seconds_for_good() {
        let refused = Outcome::SlowDown {
            retry_after_ms: None,
        };
        let mut schedule = after(refused, 0.0);
        assert_eq!(schedule.next(0.0, true), Next::Sleep(10_000.0));
        assert_eq!(schedule.next(10_000.0, true), Next::Poll);
        schedule.answered(10_000.0, refused, 0.0);
        assert_eq!(schedule.next(10_000.0, true), Next::Sleep(15_000.0));
        assert_eq!(schedule.next(25_000.0, true), Next::Poll);
        schedule.answered(25_000.0, PENDING, 0.0);
        assert_eq!(schedule.next(25_000.0, true), Next::Sleep(15_000.0));
    }

    #[test]
    fn failures_back_off_doubling_with_full_jitter() {
        let mut schedule = after(FAILED, 1.0);
        let mut now = 0.0;
        for wait in [10_000.0, 15_000.0, 25_000.0, 45_000.0] {
            assert_eq!(schedule.next(now, true), Next::Sleep(wait));
            now += wait;
            assert_eq!(schedule.next(now, true), Next::Poll);
            schedule.answered(now, FAILED, 1.0);
        }
        assert_eq!(after(FAILED, 0.0).next(0.0, true), Next::Sleep(5_000.0));
        assert_eq!(after(FAILED, 0.5).next(0.0, true), Next::Sleep(7_500.0));
    }

    #[test]
    fn the_back_off_is_capped() {
        let mut schedule = after(FAILED, 1.0);
        schedule.deadline = f64::MAX;
        for _ in 0..40 {
            schedule.in_flight = true;
            schedule.answered(0.0, FAILED, 1.0);
        }
        assert_eq!(schedule.next(0.0, true), Next::Sleep(65_000.0));
    }

    #[test]
    fn an_answer_ends_the_back_off() {
        let mut schedule = after(FAILED, 1.0);
        assert_eq!(schedule.next(10_000.0, true), Next::Poll);
        schedule.answered(10_000.0, PENDING, 1.0);
        assert_eq!(schedule.next(10_000.0, true), Next::Sleep(5_000.0));
        assert_eq!(schedule.next(15_000.0, true), Next::Poll);
        schedule.answered(15_000.0, FAILED, 1.0);
        assert_eq!(schedule.next(15_000.0, true), Next::Sleep(10_000.0));
    }

    #[test]
    fn every_other_error_ends_the_wait() {
        for code in ErrorCode::ALL {
            let goes_on = outcome(&Error::new(*code, Operation::Status)).is_some();
            let expected = matches!(
                code,
                ErrorCode::RateLimited
                    | ErrorCode::Network
                    | ErrorCode::Timeout
                    | ErrorCode::ServerError
                    | ErrorCode::HeadersFailed
            );
            assert_eq!(goes_on, expected, "{code:?}");
        }
    }

    #[test]
    fn the_deadline_is_15_minutes_unless_the_service_says_otherwise() {
        let mut schedule = after(PENDING, 0.0);
        schedule.due = f64::MAX;
        assert_eq!(schedule.next(0.0, true), Next::Sleep(900_000.0));
        let mut schedule = Schedule::new(0.0, None, Some(60.0));
        schedule.due = f64::MAX;
        assert_eq!(schedule.next(0.0, true), Next::Sleep(60_000.0));
        let told = Outcome::Pending {
            interval: None,
            expires_in: Some(1_800.0),
        };
        schedule.answered(10_000.0, told, 0.0);
        schedule.due = f64::MAX;
        assert_eq!(schedule.next(10_000.0, true), Next::Sleep(1_800_000.0));
    }

    #[test]
    fn an_endless_lifetime_is_cut_to_a_day() {
        let mut schedule = Schedule::new(0.0, None, Some(1e300));
        schedule.due = f64::MAX;
        assert_eq!(schedule.next(0.0, true), Next::Sleep(86_400_000.0));
    }

    #[test]
    fn the_deadline_is_a_time_not_a_count() {
        // A laptop lid closed for an hour: the next look at the clock is past the deadline.
        let mut schedule = after(PENDING, 0.0);
        assert_eq!(schedule.next(3_600_000.0, true), Next::Poll);
        schedule.answered(3_600_000.0, PENDING, 0.0);
        assert_eq!(schedule.next(3_600_000.0, true), Next::Expired);
    }

    #[test]
    fn the_last_call_is_made_at_the_deadline() {
        let mut schedule = Schedule::new(0.0, None, Some(7.0));
        assert_eq!(schedule.next(0.0, true), Next::Poll);
        schedule.answered(0.0, PENDING, 0.0);
        assert_eq!(schedule.next(5_000.0, true), Next::Poll);
        schedule.answered(5_000.0, PENDING, 0.0);
        assert_eq!(schedule.next(5_000.0, true), Next::Sleep(2_000.0));
        assert_eq!(schedule.next(7_000.0, true), Next::Poll);
    }

    #[test]
    fn waking_drops_the_back_off_but_never_the_interval() {
        let mut schedule = after(FAILED, 1.0);
        schedule.woken();
        assert_eq!(schedule.next(0.0, true), Next::Sleep(5_000.0));
        let mut schedule = after(PENDING, 0.0);
        schedule.woken();
        assert_eq!(schedule.next(1_000.0, true), Next::Sleep(4_000.0));
    }

    #[test]
    fn waking_never_shortens_a_retry_after() {
        let mut schedule = after(
            Outcome::Failed {
                retry_after_ms: Some(40_000.0),
            },
            0.0,
        );
        schedule.woken();
        assert_eq!(schedule.next(0.0, true), Next::Sleep(40_000.0));
    }

    #[test]
    fn a_terminal_hint_asks_at_once_but_only_once() {
        let mut schedule = after(PENDING, 0.0);
        schedule.hinted();
        assert_eq!(schedule.next(10.0, true), Next::Poll);
        schedule.answered(10.0, PENDING, 0.0);
        schedule.hinted();
        assert_eq!(schedule.next(20.0, true), Next::Sleep(4_990.0));
    }

    #[test]
    fn a_hint_during_a_call_asks_again_after_it() {
        let mut schedule = Schedule::new(0.0, None, None);
        assert_eq!(schedule.next(0.0, true), Next::Poll);
        schedule.hinted();
        schedule.answered(100.0, PENDING, 0.0);
        assert_eq!(schedule.next(100.0, true), Next::Poll);
    }

    #[test]
    fn offline_nothing_is_asked_until_online_or_the_deadline() {
        let mut schedule = after(PENDING, 0.0);
        schedule.hinted();
        assert_eq!(schedule.next(6_000.0, false), Next::Sleep(894_000.0));
        assert_eq!(schedule.next(7_000.0, true), Next::Poll);
        schedule.answered(7_000.0, PENDING, 0.0);
        assert_eq!(schedule.next(900_000.0, false), Next::Expired);
    }

    #[test]
    fn a_dropped_call_is_not_repeated_before_its_interval() {
        let mut schedule = after(Outcome::Dropped, 0.0);
        assert_eq!(schedule.next(0.0, true), Next::Sleep(5_000.0));
    }

    proptest! {
        /// Whatever happens, two calls are never closer than the shortest interval, the one hinted call excepted.
        #[test]
        fn calls_keep_their_distance(events in proptest::collection::vec((0u8..7, 0.0f64..20_000.0), 1..200)) {
            let mut schedule = Schedule::new(0.0, None, None);
            let (mut now, mut last_answer, mut hints) = (0.0, f64::NEG_INFINITY, 0);
            for (event, step) in events {
                now += step;
                match event {
                    0 => schedule.hinted(),
                    1 => schedule.woken(),
                    _ => {}
                }
                if schedule.next(now, event != 2) == Next::Poll {
                    if now - last_answer < 5_000.0 && now < 900_000.0 {
                        hints += 1;
                    }
                    let outcome = match event {
                        3 => FAILED,
                        4 => Outcome::SlowDown { retry_after_ms: Some(step) },
                        _ => PENDING,
                    };
                    schedule.answered(now, outcome, step / 20_000.0);
                    last_answer = now;
                }
            }
            prop_assert!(hints <= 1);
        }
    }
}

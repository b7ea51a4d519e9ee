//! When to ask for the status (RFC 8628 §3.2, §3.5). Knows no clock and no network: it is told the time and what
//! came of a call.
//!
//! All times are milliseconds of one monotonic clock. A wall clock would end a wait when a till's clock is set.

use crate::core::error::{Error, ErrorCode, Refusals};

const DEFAULT_INTERVAL_MS: f64 = 5_000.0;
const SHORTEST_INTERVAL_MS: f64 = 1_000.0;
const LONGEST_INTERVAL_MS: f64 = 60_000.0;
/// RFC 8628 §3.5: what each `slow_down` adds, for this and all later calls.
const SLOW_DOWN_MS: f64 = 5_000.0;
const LONGEST_BACKOFF_MS: f64 = 60_000.0;
const DEFAULT_LIFETIME_MS: f64 = 15.0 * 60_000.0;
/// Between two calls while the browser believes that it is offline, at least: a VPN, a virtual adapter or a WebView may
/// make it believe so for good.
const OFFLINE_INTERVAL_MS: f64 = 15_000.0;
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
    /// No answer, 5xx, or an answer that the service did not make.
    Failed {
        /// What `Retry-After` asks for.
        retry_after_ms: Option<f64>,
    },
    /// We gave the call up ourselves.
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Hint {
    None,
    Received,
    Used,
}

/// The schedule of one integration.
#[derive(Clone, Debug)]
pub struct Schedule {
    interval_ms: f64,
    added_ms: f64,
    failures: u32,
    in_flight: bool,
    /// When the last call came back.
    answered: f64,
    /// When to ask if nothing happens.
    due: f64,
    /// When to ask at the earliest, whatever happens but a hint.
    earliest: f64,
    deadline: f64,
    asked_at_deadline: bool,
    hint: Hint,
    refusals: Refusals,
}

impl Schedule {
    /// A schedule for an integration created at `now`; seconds as the service sent them, if it did.
    pub fn new(now: f64, interval: Option<f64>, expires_in: Option<f64>) -> Self {
        let mut schedule = Self {
            interval_ms: DEFAULT_INTERVAL_MS,
            added_ms: 0.0,
            failures: 0,
            in_flight: false,
            answered: f64::NEG_INFINITY,
            due: now,
            earliest: now,
            deadline: now + DEFAULT_LIFETIME_MS,
            asked_at_deadline: false,
            hint: Hint::None,
            refusals: Refusals::default(),
        };
        schedule.take_hints(now, interval, expires_in);
        schedule
    }

    /// What to do at `now`. A browser that believes that it is offline asks less often.
    pub fn next(&mut self, now: f64, online: bool) -> Next {
        if self.in_flight {
            // Another wait's; its answer wakes only one of the two.
            return Next::Sleep(self.interval_ms);
        }
        if self.is_over(now) {
            // One call at the end: a merchant who consented in the last seconds, or the service's own "cancelled", is
            // not missed.
            if self.asked_at_deadline {
                return Next::Expired;
            }
            self.asked_at_deadline = true;
            return self.ask();
        }
        if self.hint == Hint::Received {
            self.hint = Hint::Used;
            return self.ask();
        }
        let due = match online {
            true => self.due,
            false => self.due.max(self.answered + OFFLINE_INTERVAL_MS),
        };
        if now >= due {
            return self.ask();
        }
        Next::Sleep(due.min(self.deadline) - now)
    }

    /// What an error means for the wait: go on as told, or (`None`) end it. Only the service ends it.
    pub fn outcome(&mut self, error: &Error) -> Option<Outcome> {
        let retry_after_ms = error.retry_after_ms;
        let is_refused = self.refusals.note(error);
        match error.code {
            ErrorCode::RateLimited => Some(Outcome::SlowDown { retry_after_ms }),
            ErrorCode::HeadersFailed => Some(Outcome::Failed { retry_after_ms }),
            _ if error.is_no_answer() || error.source.is_some() && !is_refused => {
                Some(Outcome::Failed { retry_after_ms })
            }
            _ => None,
        }
    }

    /// Whether the lifetime is over.
    pub fn is_over(&self, now: f64) -> bool {
        now >= self.deadline
    }

    /// A call came back. `random` is in 0..1.
    pub fn answered(&mut self, now: f64, outcome: Outcome, random: f64) {
        self.in_flight = false;
        self.answered = now;
        let mut retry_after = 0.0;
        let mut backoff = 0.0;
        match outcome {
            Outcome::Pending {
                interval,
                expires_in,
            } => {
                self.failures = 0;
                self.refusals = Refusals::default();
                self.take_hints(now, interval, expires_in);
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

    /// The page asked on its own: a call right after it would only be refused.
    pub fn extra_call(&mut self, now: f64) {
        let interval = self.interval_ms + self.added_ms;
        self.earliest = self.earliest.max(now + interval);
        self.due = self.due.max(self.earliest);
    }

    /// The connect frame says that the merchant has decided. Worth one call, once; a forged one costs no more than
    /// that.
    pub fn hinted(&mut self) {
        if self.hint == Hint::None {
            self.hint = Hint::Received;
        }
    }

    /// Whether the connect frame has said so.
    pub fn is_hinted(&self) -> bool {
        self.hint != Hint::None
    }

    /// The page became visible, came online, or came back: ask as soon as the interval allows, without the rest of a
    /// back-off.
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

    fn take_hints(&mut self, now: f64, interval: Option<f64>, expires_in: Option<f64>) {
        if let Some(seconds) = interval {
            self.interval_ms = (seconds * 1000.0).clamp(SHORTEST_INTERVAL_MS, LONGEST_INTERVAL_MS);
        }
        if let Some(seconds) = expires_in {
            self.deadline = now + (seconds * 1000.0).clamp(0.0, LONGEST_LIFETIME_MS);
            self.asked_at_deadline &= self.deadline <= now;
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

//! The merchant's decision, as far as a session knows it, and when it asks for it again.

use super::poll::{Outcome, Schedule};
use crate::core::error::{Error, ErrorCode};
use crate::core::failure::Failure;
use crate::core::notify::Notify;
use crate::platform::Platform;
use crate::vault::record::IntegrationRecord;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::Standing;
use std::cell::{Cell, RefCell};

/// What the answers of the status calls amount to.
pub struct Decision {
    status: Cell<Option<Status>>,
    /// When to ask.
    pub(super) schedule: RefCell<Schedule>,
    /// Why the last status call had no answer.
    last_failure: RefCell<Option<Error>>,
    wake_up: Notify,
    /// The page woke up while the series of calls slept, or had one on its way.
    is_woken: Cell<bool>,
}

impl Decision {
    /// A decision that is still open, as far as this page knows.
    pub fn new(now: f64, entry: &IntegrationRecord) -> Self {
        let schedule = Schedule::new(now, entry.interval, entry.expires_in);
        Self {
            status: Cell::default(),
            schedule: RefCell::new(schedule),
            last_failure: RefCell::default(),
            wake_up: Notify::default(),
            is_woken: Cell::new(false),
        }
    }

    /// `finished` or `cancelled`, once it is known.
    pub fn outcome(&self) -> Option<Status> {
        self.status
            .get()
            .filter(|status| *status != Status::Pending)
    }

    /// Whether nothing speaks against waiting for it, as far as this page knows.
    pub fn is_open(&self, now: f64) -> bool {
        self.outcome().is_none() && !self.schedule.borrow().is_over(now)
    }

    /// Notes a status, and gives the one that holds. `finished` and `cancelled` never change (§3), so a late "pending"
    /// is stale.
    pub fn observe(&self, answer: Status) -> Status {
        let status = self.outcome().unwrap_or(answer);
        self.status.set(Some(status));
        status
    }

    /// Sleeps so many milliseconds, or until there is a reason to look again.
    pub async fn sleep<P: Platform>(
        &self,
        platform: &P,
        ms: f64,
        cancel: &P::Cancel,
    ) -> Result<(), Failure> {
        P::race(platform.timeout(ms, self.wake_up.notified()), cancel).await?;
        if self.is_woken.take() {
            self.schedule.borrow_mut().woken();
        }
        Ok(())
    }

    /// Ends the sleep.
    pub fn look_again(&self) {
        self.wake_up.notify_one();
    }

    /// The page was asleep, and timers with it.
    pub fn page_woke(&self) {
        self.is_woken.set(true);
        self.look_again();
    }

    /// Notes what came of a call of the series, and gives its status. Fails if that ends the series. `random` is from
    /// 0 to 1.
    pub fn answered(
        &self,
        now: f64,
        random: f64,
        answer: Result<Standing, Failure>,
    ) -> Result<Option<Status>, Failure> {
        let outcome = match &answer {
            Ok(answer) => Outcome::Pending {
                interval: answer.interval,
                expires_in: answer.expires_in,
            },
            Err(failure) => {
                let outcome = self.schedule.borrow_mut().outcome(&failure.error);
                outcome.unwrap_or(Outcome::Dropped)
            }
        };
        self.schedule.borrow_mut().answered(now, outcome, random);
        match answer {
            Ok(answer) => {
                self.last_failure.take();
                Ok(Some(answer.status))
            }
            Err(failure) if outcome != Outcome::Dropped => {
                self.last_failure.replace(Some(*failure.error));
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// The lifetime is over. If the last call had no answer, the merchant's decision may be there all the same.
    pub fn expired(&self) -> Failure {
        let error = Error::new(ErrorCode::WaitTimeout);
        match self.last_failure.take() {
            Some(last) => {
                let said = ["The last call failed with ", last.code.as_str(), ": "];
                let mut error = error.detail(&[&said.concat(), &last.message()]);
                (error.status, error.request_id) = (last.status, last.request_id);
                error.into()
            }
            None => error.into(),
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn pending_moves_once_and_an_end_never_changes() {
        for end in [Status::Finished, Status::Cancelled] {
            let decision = Decision::new(0.0, &IntegrationRecord::default());
            assert_eq!(decision.outcome(), None);
            assert_eq!(decision.observe(Status::Pending), Status::Pending);
            assert_eq!(decision.outcome(), None);
            assert_eq!(decision.observe(end), end);
            for late in [Status::Pending, Status::Finished, Status::Cancelled] {
                assert_eq!(decision.observe(late), end);
                assert_eq!(decision.outcome(), Some(end));
            }
        }
    }
}

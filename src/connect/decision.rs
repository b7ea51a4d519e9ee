//! The merchant's decision, as far as a session knows it, and when it asks for it again.

use super::integration::Progress;
use super::platform::Platform;
use super::poll::{Next, Outcome, Schedule};
use crate::core::error::{Error, ErrorCode};
use crate::core::failure::Failure;
use crate::core::notify::Notify;
use crate::vault::record::IntegrationRecord;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::Standing;
use std::cell::{Cell, RefCell};

/// What the answers of the status calls amount to.
pub struct Decision {
    progress: Cell<Progress>,
    schedule: RefCell<Schedule>,
    /// Why the last status call had no answer.
    last_failure: RefCell<Option<Error>>,
    wake_up: Notify,
    /// The page woke up while the series of calls slept, or had one on its way.
    is_woken: Cell<bool>,
}

impl Decision {
    /// Not made yet, as far as this page knows.
    pub fn new(now: f64, entry: &IntegrationRecord) -> Self {
        let schedule = Schedule::new(now, entry.interval, entry.expires_in);
        Self {
            progress: Cell::default(),
            schedule: RefCell::new(schedule),
            last_failure: RefCell::default(),
            wake_up: Notify::default(),
            is_woken: Cell::new(false),
        }
    }

    /// `finished` or `cancelled`, once it is known.
    pub fn made(&self) -> Option<Status> {
        self.progress.get().ended()
    }

    /// Whether nothing speaks against waiting for it, as far as this page knows.
    pub fn is_open(&self, now: f64) -> bool {
        self.made().is_none() && !self.schedule.borrow().is_over(now)
    }

    /// Notes a status, and gives the one that holds.
    pub fn observe(&self, answer: Status) -> Status {
        let mut progress = self.progress.get();
        let status = progress.observe(answer);
        self.progress.set(progress);
        status
    }

    /// What to do now.
    pub fn next(&self, now: f64, is_online: bool) -> Next {
        self.schedule.borrow_mut().next(now, is_online)
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

    /// The connect page says that the merchant has decided.
    pub fn hinted(&self) {
        self.schedule.borrow_mut().hinted();
    }

    /// Whether it has said so.
    pub fn is_hinted(&self) -> bool {
        self.schedule.borrow().is_hinted()
    }

    /// A call outside the series was made.
    pub fn asked(&self, now: f64) {
        self.schedule.borrow_mut().asked(now);
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

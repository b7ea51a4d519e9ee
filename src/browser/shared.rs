//! Work that overlapping calls share: started by the first call, given up when the last one leaves.

use super::cancel::Cancel;
use super::failure::Rejection;
use js_sys::Promise;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::AbortController;

/// At most one piece of work at a time.
#[derive(Default)]
pub struct Shared {
    work: RefCell<Option<Rc<Work>>>,
}

/// Work under way.
pub struct Work {
    /// Settles with its result.
    promise: Promise,
    /// Aborted when nobody waits any more.
    stop: AbortController,
    /// Once true, nobody may stop waiting: the result can't be had again.
    is_committed: Rc<Cell<bool>>,
    waiters: Cell<u32>,
}

impl Work {
    /// Work that settles `promise`, and that `stop` gives up until it is committed.
    pub fn new(promise: Promise, stop: AbortController, is_committed: Rc<Cell<bool>>) -> Self {
        Self {
            promise,
            stop,
            is_committed,
            waiters: Cell::new(0),
        }
    }
}

impl Work {
    fn is_given_up(&self) -> bool {
        self.stop.signal().aborted() && !self.is_committed.get()
    }
}

impl Shared {
    /// Joins the work under way, or starts it; synchronously, so that no second start slips in between.
    pub fn join(
        &self,
        start: impl FnOnce() -> Result<Work, Rejection>,
    ) -> Result<Rc<Work>, Rejection> {
        let existing = self.work.borrow().clone();
        // Whoever asks after it was given up wants work of their own, and not its end.
        let existing = existing.filter(|work| !work.is_given_up());
        let work = match existing {
            Some(work) => work,
            None => {
                let work = Rc::new(start()?);
                self.work.replace(Some(work.clone()));
                work
            }
        };
        work.waiters.set(work.waiters.get() + 1);
        Ok(work)
    }

    /// Waits for work that was joined.
    pub async fn wait(&self, work: Rc<Work>, mut cancel: Cancel) -> Result<JsValue, Rejection> {
        cancel.is_committed = Some(work.is_committed.clone());
        let outcome = cancel.settled(None, &work.promise).await;
        work.waiters.set(work.waiters.get().saturating_sub(1));
        if outcome.is_ok() || work.waiters.get() == 0 {
            self.forget(&work);
            // After it settled, this does nothing.
            work.stop.abort();
        }
        // Without a time limit, a wait that was not ended has its result.
        Ok(outcome?.unwrap_or(Ok(JsValue::UNDEFINED))?)
    }

    /// Gives up what is under way.
    pub fn stop(&self) {
        let work = self.work.take();
        if let Some(work) = work {
            work.stop.abort();
        }
    }

    fn forget(&self, work: &Rc<Work>) {
        let mut current = self.work.borrow_mut();
        if current
            .as_ref()
            .is_some_and(|current| Rc::ptr_eq(current, work))
        {
            *current = None;
        }
    }
}

//! Work that overlapping calls share: started by the first, given up when the last one leaves.

use super::stop::{Stops, abort};
use crate::browser::failure::Failure;
use crate::error::Operation;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// What makes new work. Boxed, so that there is one `join`.
pub type Start<'a> = Box<dyn FnOnce() -> Result<Work, Failure> + 'a>;

/// At most one piece of work at a time.
#[derive(Default)]
pub struct Shared {
    work: RefCell<Option<Rc<Work>>>,
}

/// Work under way.
pub struct Work {
    /// Settles with its result.
    promise: JsValue,
    /// Aborted when nobody waits any more.
    stop: JsValue,
    /// Once true, nobody may stop waiting: the result can't be had again.
    committed: Rc<Cell<bool>>,
    waiters: Cell<u32>,
}

impl Work {
    /// Work that `promise` tells the end of and `stop` gives up, until it is `committed`.
    pub fn new(promise: JsValue, stop: JsValue, committed: Rc<Cell<bool>>) -> Self {
        Self {
            promise,
            stop,
            committed,
            waiters: Cell::new(0),
        }
    }
}

impl Shared {
    /// Joins the work under way, or starts it; synchronously, so that no second start slips in between.
    pub fn join(&self, start: Start<'_>) -> Result<Rc<Work>, Failure> {
        let existing = self.work.borrow().clone();
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
    pub async fn wait(
        &self,
        work: Rc<Work>,
        operation: Operation,
        mut stops: Stops,
    ) -> Result<JsValue, JsValue> {
        stops.deaf = Some(work.committed.clone());
        let outcome = stops.outcome(operation, None, work.promise.clone()).await;
        work.waiters.set(work.waiters.get().saturating_sub(1));
        if outcome.is_ok() || work.waiters.get() == 0 {
            self.forget(&work);
            // After it settled, this does nothing.
            abort(&work.stop);
        }
        // Without a time limit, a wait that was not stopped has its result.
        outcome?.unwrap_or(Ok(JsValue::UNDEFINED))
    }

    /// Gives up what is under way.
    pub fn stop(&self) {
        if let Some(work) = self.work.take() {
            abort(&work.stop);
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

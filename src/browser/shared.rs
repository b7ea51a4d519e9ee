//! Work that overlapping calls share: started by the first, given up when the last one stops waiting.

use super::failure::Failure;
use super::stop::Stops;
use crate::error::Operation;
use js_sys::Promise;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// At most one piece of work at a time.
#[derive(Default)]
pub struct Shared {
    work: RefCell<Option<Rc<Work>>>,
}

/// Work under way.
pub struct Work {
    /// Settles with its result.
    pub promise: Promise,
    /// Aborted when nobody waits any more.
    pub stop: AbortController,
    /// Once true, nobody may stop waiting: the result can't be had again.
    committed: Rc<Cell<bool>>,
    waiters: Cell<u32>,
}

impl Work {
    /// Work that `promise` tells the end of and `stop` gives up, until it is `committed`.
    pub fn new(promise: Promise, stop: AbortController, committed: Rc<Cell<bool>>) -> Self {
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
    pub fn join(&self, start: impl FnOnce() -> Result<Work, Failure>) -> Result<Rc<Work>, Failure> {
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
        stops: &Stops,
    ) -> Result<JsValue, JsValue> {
        let stops = Stops {
            deaf: Some(work.committed.clone()),
            ..stops.clone()
        };
        let result = stops
            .unless_stopped(operation, JsFuture::from(work.promise.clone()))
            .await;
        work.waiters.set(work.waiters.get().saturating_sub(1));
        let (settled, result) = match result {
            Ok(result) => (true, result),
            Err(failure) => (false, Err(failure.into())),
        };
        if settled || work.waiters.get() == 0 {
            self.forget(&work);
            // After it settled, this does nothing.
            work.stop.abort();
        }
        result
    }

    /// Gives up what is under way.
    pub fn stop(&self) {
        if let Some(work) = self.work.take() {
            work.stop.abort();
        }
    }

    fn forget(&self, work: &Rc<Work>) {
        let is_current = self
            .work
            .borrow()
            .as_ref()
            .is_some_and(|current| Rc::ptr_eq(current, work));
        if is_current {
            self.work.replace(None);
        }
    }
}

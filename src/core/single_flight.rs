//! Work that overlapping calls share: started by the first call, given up when the last one leaves.

use super::cancellation::{Cancellation, abort, race, settled};
use super::failure::Rejection;
use js_sys::Promise;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::AbortController;

/// At most one piece of work at a time.
#[derive(Default)]
pub struct SingleFlight {
    flight: RefCell<Option<Rc<Flight>>>,
}

/// Work under way.
pub struct Flight {
    /// Settles with its result.
    promise: Promise,
    /// Aborted when nobody waits any more.
    stop: AbortController,
    /// Once true, nobody may stop waiting: the result can't be had again.
    is_committed: Rc<Cell<bool>>,
    waiters: Cell<u32>,
}

impl Flight {
    /// Work that settles `promise`, and that `stop` gives up until it is committed.
    pub fn new(promise: Promise, stop: AbortController, is_committed: Rc<Cell<bool>>) -> Self {
        Self {
            promise,
            stop,
            is_committed,
            waiters: Cell::new(0),
        }
    }

    fn is_given_up(&self) -> bool {
        self.stop.signal().aborted() && !self.is_committed.get()
    }
}

impl SingleFlight {
    /// Joins the work under way, or starts it; synchronously, so that no second start slips in between.
    pub fn join(
        &self,
        start: impl FnOnce() -> Result<Flight, Rejection>,
    ) -> Result<Rc<Flight>, Rejection> {
        let existing = self.flight.borrow().clone();
        // Whoever asks after it was given up wants work of their own, and not its end.
        let existing = existing.filter(|flight| !flight.is_given_up());
        let flight = match existing {
            Some(flight) => flight,
            None => {
                let flight = Rc::new(start()?);
                self.flight.replace(Some(flight.clone()));
                flight
            }
        };
        flight.waiters.set(flight.waiters.get() + 1);
        Ok(flight)
    }

    /// Waits for work that was joined.
    pub async fn wait(
        &self,
        flight: Rc<Flight>,
        mut cancellation: Cancellation,
    ) -> Result<JsValue, Rejection> {
        cancellation.is_committed = Some(flight.is_committed.clone());
        let outcome = race(settled(&flight.promise), &cancellation).await;
        flight.waiters.set(flight.waiters.get().saturating_sub(1));
        if outcome.is_ok() || flight.waiters.get() == 0 {
            self.forget(&flight);
            // After it settled, this does nothing.
            abort(&flight.stop);
        }
        Ok(outcome??)
    }

    /// Gives up what is under way.
    pub fn stop(&self) {
        let flight = self.flight.take();
        if let Some(flight) = flight {
            abort(&flight.stop);
        }
    }

    fn forget(&self, flight: &Rc<Flight>) {
        let mut current = self.flight.borrow_mut();
        if current
            .as_ref()
            .is_some_and(|current| Rc::ptr_eq(current, flight))
        {
            *current = None;
        }
    }
}

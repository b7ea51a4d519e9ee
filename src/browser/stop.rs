//! What can end a wait from outside: the caller's signal, and the object's own end.

use super::failure::Failure;
use super::listener::Listener;
use crate::error::{ErrorCode, Operation};
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use web_sys::AbortSignal;

/// Ends waits; never gloo-net's or the browser's business, because the first panics on a reason that is no Error.
#[derive(Clone, Default)]
pub struct Stops {
    /// The page's signal: `aborted`, with its reason as cause.
    pub caller: Option<AbortSignal>,
    /// Ours: `destroyed`.
    pub owner: Option<AbortSignal>,
    /// Once true, nothing stops the wait any more.
    pub deaf: Option<Rc<Cell<bool>>>,
}

impl Stops {
    /// Whether the wait is to end, and with what.
    pub fn stopped(&self, operation: Operation) -> Option<Failure> {
        if self.deaf.as_ref().is_some_and(|deaf| deaf.get()) {
            return None;
        }
        if let Some(signal) = self.caller.as_ref().filter(|signal| signal.aborted()) {
            let failure = Failure::new(ErrorCode::Aborted, operation);
            return Some(failure.caused_by(signal.reason()));
        }
        let destroyed = self.owner.as_ref().is_some_and(AbortSignal::aborted);
        destroyed.then(|| Failure::new(ErrorCode::Destroyed, operation))
    }

    /// What `future` gives, unless it is stopped first. Stopping drops the future.
    pub async fn unless_stopped<T>(
        &self,
        operation: Operation,
        future: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        if let Some(failure) = self.stopped(operation) {
            return Err(failure);
        }
        let waker: Rc<RefCell<Option<Waker>>> = Rc::default();
        let _listeners: Vec<Listener> = [&self.caller, &self.owner]
            .into_iter()
            .flatten()
            .map(|signal| {
                let waker = waker.clone();
                Listener::new(signal, "abort", move |_| {
                    if let Some(waker) = waker.take() {
                        waker.wake();
                    }
                })
            })
            .collect();
        let mut future = pin!(future);
        poll_fn(|context| {
            if let Some(failure) = self.stopped(operation) {
                return Poll::Ready(Err(failure));
            }
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(value));
            }
            waker.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await
    }
}

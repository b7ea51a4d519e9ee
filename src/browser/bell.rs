//! Wakes the task that waits for it.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

/// A ring is kept until it is heard, so that none is lost between two waits.
#[derive(Default)]
pub struct Bell {
    is_rung: Cell<bool>,
    waiting: Cell<Option<Waker>>,
}

impl Bell {
    /// Ends the wait that is under way, or the next one.
    pub fn ring(&self) {
        self.is_rung.set(true);
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }

    /// Waits for a ring.
    pub async fn heard(&self) {
        poll_fn(|context| self.poll(context)).await;
    }

    /// Whether it was rung; if not, the next ring wakes the task of `context`.
    pub fn poll(&self, context: &Context<'_>) -> Poll<()> {
        if self.is_rung.take() {
            return Poll::Ready(());
        }
        self.waiting.set(Some(context.waker().clone()));
        Poll::Pending
    }
}

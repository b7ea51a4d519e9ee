//! A notification from one task to another, with the names of tokio.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

/// Wakes the task that waits. A notification that nobody waits for is kept, so that none is lost between two waits.
#[derive(Default)]
pub struct Notify {
    is_notified: Cell<bool>,
    waiting: Cell<Option<Waker>>,
}

impl Notify {
    /// Ends the wait that is under way, or the next one.
    pub fn notify_one(&self) {
        self.is_notified.set(true);
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }

    /// Waits for a notification.
    pub async fn notified(&self) {
        poll_fn(|context| self.poll(context)).await;
    }

    /// Whether there is a notification; if not, the next one wakes the task of `context`.
    pub fn poll(&self, context: &Context<'_>) -> Poll<()> {
        if self.is_notified.take() {
            return Poll::Ready(());
        }
        self.waiting.set(Some(context.waker().clone()));
        Poll::Pending
    }
}

//! Wakes the one task that waits for it.

use super::task::Task;
use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// A ring is kept until it is heard, so that none is lost between two waits.
#[derive(Default)]
pub struct Bell {
    rung: Cell<bool>,
    waiting: Cell<Option<Rc<Task>>>,
}

impl Bell {
    /// Ends the wait that is under way, or the next one.
    pub fn ring(&self) {
        self.rung.set(true);
        if let Some(task) = self.waiting.take() {
            task.wake();
        }
    }

    /// Waits for a ring.
    pub async fn heard(&self) {
        poll_fn(|_| self.poll()).await;
    }

    /// Whether it was rung; if not, the next ring wakes the task that asks.
    pub fn poll(&self) -> Poll<()> {
        if self.rung.take() {
            return Poll::Ready(());
        }
        self.waiting.replace(Task::current());
        Poll::Pending
    }
}

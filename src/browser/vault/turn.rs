//! Who comes first, and how long one may take.

use crate::browser::bell::Bell;
use crate::browser::task;
use crate::browser::timer::Timer;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

/// A queue in which one at a time has its turn, in the order of arrival.
#[derive(Default)]
pub struct Turns {
    /// Rung when its place is the first one.
    places: RefCell<VecDeque<Rc<Bell>>>,
}

/// A turn in a queue. Dropping it ends the turn, or leaves the queue.
#[must_use = "dropping it leaves the queue"]
pub struct Turn {
    turns: Rc<Turns>,
    bell: Rc<Bell>,
}

impl Turns {
    /// Takes the last place, synchronously.
    pub fn join(self: &Rc<Self>) -> Turn {
        let bell = Rc::new(Bell::default());
        let mut places = self.places.borrow_mut();
        if places.is_empty() {
            bell.ring();
        }
        places.push_back(bell.clone());
        Turn {
            turns: self.clone(),
            bell,
        }
    }
}

impl Turn {
    /// Waits for the turn. To be called once.
    pub async fn begun(&self) {
        self.bell.heard().await;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut places = self.turns.places.borrow_mut();
        let is_own = |bell: &Rc<Bell>| Rc::ptr_eq(bell, &self.bell);
        let had_turn = places.front().is_some_and(is_own);
        places.retain(|bell| !is_own(bell));
        if had_turn && let Some(next) = places.front() {
            next.ring();
        }
    }
}

/// Waits for `work` at most `ms` milliseconds, then drops it.
pub async fn within<T>(ms: f64, work: impl Future<Output = T>) -> Option<T> {
    let late = Rc::new(Bell::default());
    let ring = late.clone();
    let _timer = Timer::once(ms, move || ring.ring());
    let mut work = pin!(work);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => late.poll(context).map(|()| None),
    })
    .await
}

/// Runs `work` to its end, even if nobody waits for it any more.
pub async fn detached<T: 'static>(work: impl Future<Output = T> + 'static) -> Option<T> {
    let shared = Rc::new((Cell::new(None), Bell::default()));
    let given = shared.clone();
    task::start(async move {
        let value = work.await;
        let (slot, bell) = &*given;
        slot.set(Some(value));
        bell.ring();
    });
    let (slot, bell) = &*shared;
    bell.heard().await;
    slot.take()
}

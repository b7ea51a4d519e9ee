//! A mutex that is fair: whoever came first has it first.

use crate::core::notify::Notify;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A queue of those who want it. The first one has it.
#[derive(Default)]
pub struct FairMutex {
    /// Notified when its place is the first one.
    places: RefCell<VecDeque<Rc<Notify>>>,
}

/// A place in the queue. Dropping it releases the mutex, or leaves the queue.
#[must_use = "dropping it releases the mutex"]
pub struct Guard {
    mutex: Rc<FairMutex>,
    place: Rc<Notify>,
}

impl FairMutex {
    /// Takes the last place at once, and waits until it is the first one.
    pub fn acquire(self: &Rc<Self>) -> impl Future<Output = Guard> + use<> {
        let place = Rc::new(Notify::default());
        let mut places = self.places.borrow_mut();
        if places.is_empty() {
            place.notify_one();
        }
        places.push_back(place.clone());
        let mutex = self.clone();
        let guard = Guard { mutex, place };
        async move {
            guard.place.notified().await;
            guard
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut places = self.mutex.places.borrow_mut();
        let is_own = |place: &Rc<Notify>| Rc::ptr_eq(place, &self.place);
        let had_it = places.front().is_some_and(is_own);
        places.retain(|place| !is_own(place));
        if had_it && let Some(next) = places.front() {
            next.notify_one();
        }
    }
}

//! `vault: "memory"`: entries and locks that end with the page. All objects of the page share them.

use super::turn::{Place, Queue};
use super::{Found, Range, Work};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

thread_local! {
    /// Ids and JSON texts.
    static TEXTS: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    /// The queue before each lock, as long as somebody stands in it.
    static LOCKS: RefCell<Vec<(String, Weak<Queue>)>> = const { RefCell::new(Vec::new()) };
}

impl Range {
    fn contains(&self, id: &str) -> bool {
        match self {
            Self::One(one) => id == one,
            Self::Scope(scope) => id.starts_with(scope.as_str()),
        }
    }
}

/// Does the work.
pub fn perform(work: Work) -> Vec<Found> {
    TEXTS.with_borrow_mut(|texts| match work {
        Work::Read(range) => {
            let own = texts.iter().filter(|(id, _)| range.contains(id));
            let found = own.map(|(id, text)| Found {
                id: id.clone(),
                text: Some(text.clone()),
            });
            found.collect()
        }
        Work::Erase(range) => {
            texts.retain(|(id, _)| !range.contains(id));
            Vec::new()
        }
        Work::Write { id, text } => {
            texts.retain(|(other, _)| *other != id);
            texts.push((id, text));
            Vec::new()
        }
    })
}

/// A place in the queue before a lock.
pub fn place(name: String) -> Place {
    LOCKS.with_borrow_mut(|locks| {
        locks.retain(|(_, queue)| queue.strong_count() > 0);
        let known = locks.iter().find(|(other, _)| *other == name);
        let queue = known.and_then(|(_, queue)| queue.upgrade());
        let queue = queue.unwrap_or_else(|| {
            let queue = Rc::new(Queue::default());
            locks.push((name, Rc::downgrade(&queue)));
            queue
        });
        queue.join()
    })
}

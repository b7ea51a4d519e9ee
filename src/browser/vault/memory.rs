//! `vault: "memory"`: entries and locks that end with the page. All objects of the page share them.

use super::Found;
use super::turn::{Place, Queue};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

thread_local! {
    /// JSON texts by id.
    static TEXTS: RefCell<BTreeMap<String, String>> = RefCell::default();
    /// The queue before each lock, as long as somebody stands in it.
    static LOCKS: RefCell<BTreeMap<String, Weak<Queue>>> = RefCell::default();
}

pub fn read(id: &str) -> Found {
    TEXTS.with_borrow(|texts| texts.get(id).cloned().map_or(Found::Nothing, Found::Text))
}

pub fn write(id: &str, text: String) {
    TEXTS.with_borrow_mut(|texts| texts.insert(id.into(), text));
}

pub fn list(scope: &str) -> Vec<String> {
    TEXTS.with_borrow(|texts| {
        let own = texts.iter().filter(|(id, _)| id.starts_with(scope));
        own.map(|(_, text)| text.clone()).collect()
    })
}

pub fn ids(scope: &str) -> Vec<String> {
    TEXTS.with_borrow(|texts| {
        let own = texts.keys().filter(|id| id.starts_with(scope));
        own.cloned().collect()
    })
}

pub fn erase(id: &str) {
    TEXTS.with_borrow_mut(|texts| texts.remove(id));
}

pub fn erase_all(scope: &str) {
    TEXTS.with_borrow_mut(|texts| texts.retain(|id, _| !id.starts_with(scope)));
}

/// A place in the queue before a lock.
pub fn place(name: String) -> Place {
    LOCKS.with_borrow_mut(|locks| {
        locks.retain(|_, queue| queue.strong_count() > 0);
        let queue = locks.get(&name).and_then(Weak::upgrade);
        let queue = queue.unwrap_or_else(|| {
            let queue = Rc::new(Queue::default());
            locks.insert(name, Rc::downgrade(&queue));
            queue
        });
        queue.join()
    })
}

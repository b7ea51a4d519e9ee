//! The `onStatus` callbacks of the calls that wait together.

use crate::core::console;
use js_sys::Function;
use pos_connect_protocol::Status;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsValue;

/// One callback, and the last status it was given.
pub struct Observer {
    callback: Function,
    last: Cell<Option<Status>>,
}

/// The callbacks of one session.
#[derive(Default)]
pub struct Observers {
    list: RefCell<Vec<Weak<Observer>>>,
}

impl Observers {
    /// Adds a callback for as long as the result lives.
    #[must_use = "dropping it removes the callback"]
    pub fn add(&self, callback: Option<Function>) -> Option<Rc<Observer>> {
        let observer = Rc::new(Observer {
            callback: callback?,
            last: Cell::new(None),
        });
        let mut list = self.list.borrow_mut();
        list.retain(|other| other.strong_count() > 0);
        list.push(Rc::downgrade(&observer));
        Some(observer)
    }

    /// Calls each callback for which the status is news. A callback may call anything of ours: no borrow is held.
    pub fn notify(&self, status: Status) {
        let observers = self.list.borrow().clone();
        for observer in observers.iter().filter_map(Weak::upgrade) {
            if observer.last.replace(Some(status)) == Some(status) {
                continue;
            }
            let callback = &observer.callback;
            let called = callback.call1(&JsValue::UNDEFINED, &status.as_str().into());
            console::report("onStatus", called);
        }
    }
}

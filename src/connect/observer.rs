//! The `onStatus` callbacks of the calls that wait together.

use crate::core::console;
use js_sys::Function;
use pos_connect_protocol::Status;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// One callback, and the last status it was given.
struct Observer {
    callback: Function,
    last: Cell<Option<Status>>,
}

/// The callbacks of one session.
#[derive(Default)]
pub struct Observers {
    list: RefCell<Vec<Rc<Observer>>>,
}

/// Removes the callback when it is dropped.
#[must_use = "dropping it removes the callback"]
pub struct Observing {
    observers: Rc<Observers>,
    observer: Rc<Observer>,
}

impl Observers {
    /// Adds a callback for as long as the result lives.
    pub fn add(self: &Rc<Self>, callback: Option<Function>) -> Option<Observing> {
        let observer = Rc::new(Observer {
            callback: callback?,
            last: Cell::new(None),
        });
        self.list.borrow_mut().push(observer.clone());
        Some(Observing {
            observers: self.clone(),
            observer,
        })
    }

    /// Calls each callback for which the status is news. A callback may call anything of ours: no borrow is held.
    pub fn notify(&self, status: Status) {
        let observers = self.list.borrow().clone();
        for observer in observers {
            if observer.last.replace(Some(status)) == Some(status) {
                continue;
            }
            let called = observer
                .callback
                .call1(&JsValue::UNDEFINED, &status.as_str().into());
            console::report("onStatus", called);
        }
    }
}

impl Drop for Observing {
    fn drop(&mut self) {
        let mut list = self.observers.list.borrow_mut();
        list.retain(|observer| !Rc::ptr_eq(observer, &self.observer));
    }
}

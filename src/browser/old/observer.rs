//! The `onStatus` callbacks of the calls that wait together.

use super::js;
use pos_connect_protocol::Status;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// One callback, and the last status it was given.
pub struct Observer {
    callback: JsValue,
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
    pub fn add(self: &Rc<Self>, callback: JsValue) -> Option<Observing> {
        if callback.is_undefined() {
            return None;
        }
        let observer = Rc::new(Observer {
            callback,
            last: Cell::new(None),
        });
        self.list.borrow_mut().push(observer.clone());
        Some(Observing {
            observers: self.clone(),
            observer,
        })
    }

    /// Tells each callback for which the status is news. A callback may call anything of ours: no borrow is held.
    pub fn tell(&self, status: Status) {
        let at = |index| self.list.borrow().get(index).cloned();
        let mut index = 0;
        while let Some(observer) = at(index) {
            index += 1;
            if observer.last.replace(Some(status)) == Some(status) {
                continue;
            }
            if let Err(thrown) = js::ask(&observer.callback, &status.as_str().into()) {
                js::report("pos-connect: onStatus threw", &thrown);
            }
        }
    }
}

impl Drop for Observing {
    fn drop(&mut self) {
        let mut list = self.observers.list.borrow_mut();
        let is_own = |observer: &Rc<Observer>| Rc::ptr_eq(observer, &self.observer);
        if let Some(at) = list.iter().position(is_own) {
            list.remove(at);
        }
    }
}

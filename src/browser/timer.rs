//! Timers that are cleared when they are dropped, and the waits built on them. Global functions: there is no `window` in a worker.

use js_sys::Function;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = setInterval)]
    fn set_interval(callback: &Function, ms: f64) -> JsValue;
    // Clears both kinds (HTML §8.6).
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue);
}

/// Runs until dropped.
#[must_use = "dropping it clears the timer"]
pub struct Timer {
    id: JsValue,
    _callback: Closure<dyn FnMut()>,
}

impl Timer {
    /// Calls `callback` once, after `ms` milliseconds.
    pub fn once(ms: f64, callback: impl FnMut() + 'static) -> Self {
        Self::start(ms, callback, set_timeout)
    }

    /// Calls `callback` every `ms` milliseconds.
    pub fn every(ms: f64, callback: impl FnMut() + 'static) -> Self {
        Self::start(ms, callback, set_interval)
    }

    fn start(
        ms: f64,
        callback: impl FnMut() + 'static,
        set: fn(&Function, f64) -> JsValue,
    ) -> Self {
        let callback = Closure::<dyn FnMut()>::new(callback);
        Self {
            // More does not fit the platform's 32 bits, and would fire at once.
            id: set(
                callback.as_ref().unchecked_ref(),
                ms.min(f64::from(i32::MAX)),
            ),
            _callback: callback,
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(&self.id);
    }
}

/// What `future` gives, or `None` after `ms` milliseconds.
pub async fn within<T>(ms: f64, future: impl Future<Output = T>) -> Option<T> {
    let waker: Rc<RefCell<Option<Waker>>> = Rc::default();
    let over = Rc::new(Cell::new(false));
    let _timer = Timer::once(ms, {
        let (waker, over) = (waker.clone(), over.clone());
        move || {
            over.set(true);
            if let Some(waker) = waker.take() {
                waker.wake();
            }
        }
    });
    let mut future = pin!(future);
    poll_fn(|context| {
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            return Poll::Ready(Some(value));
        }
        if over.get() {
            return Poll::Ready(None);
        }
        waker.replace(Some(context.waker().clone()));
        Poll::Pending
    })
    .await
}

/// Waits `ms` milliseconds.
pub async fn sleep(ms: f64) {
    within(ms, std::future::pending::<()>()).await;
}

//! What can end a wait from outside: time, the caller's signal, and the end of the object.

use super::bell::Bell;
use super::failure::Failure;
use super::listener::Listener;
use super::timer::Timer;
use crate::error::ErrorCode;
use js_sys::{Array, Function, Promise};
use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

/// Ends waits.
#[derive(Clone, Default)]
pub struct Cancel {
    /// The caller's signal: the wait fails with `aborted`, and the signal's reason as cause.
    pub caller: Option<AbortSignal>,
    /// The signal of the object's own end: the wait fails with `destroyed`.
    pub owner: Option<AbortSignal>,
    /// Once true, nothing ends the wait any more.
    pub is_committed: Option<Rc<Cell<bool>>>,
}

impl Cancel {
    /// Ended by our own controller only.
    pub fn by(owner: &AbortController) -> Self {
        Self {
            owner: Some(owner.signal()),
            ..Self::default()
        }
    }

    /// Fails if the wait is to end.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_committed.as_ref().is_some_and(|flag| flag.get()) {
            return Ok(());
        }
        if let Some(signal) = self.caller.as_ref().filter(|signal| signal.aborted()) {
            return Err(Failure::caused(ErrorCode::Aborted, signal.reason()));
        }
        if self.owner.as_ref().is_some_and(AbortSignal::aborted) {
            return Err(Failure::new(ErrorCode::Destroyed));
        }
        Ok(())
    }

    /// Waits until `work` is done; `None` if `limit_ms` milliseconds are over first. `work` is dropped at any end.
    pub async fn guard<T>(
        &self,
        limit_ms: Option<f64>,
        work: impl Future<Output = T>,
    ) -> Result<Option<T>, Failure> {
        let ends = Ends::new(self, limit_ms)?;
        let mut work = pin!(work);
        poll_fn(|context| {
            ends.check(context)?;
            match work.as_mut().poll(context) {
                Poll::Ready(value) => Poll::Ready(Ok(Some(value))),
                Poll::Pending if ends.is_late() => Poll::Ready(Ok(None)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Waits for a promise, or for any other value of the page's; `None` if the time is over first.
    pub async fn settled(
        &self,
        limit_ms: Option<f64>,
        value: &JsValue,
    ) -> Result<Option<Result<JsValue, JsValue>>, Failure> {
        self.guard(limit_ms, settled(value)).await
    }
}

/// What can end one wait, listened to. Apart from `guard`, which is compiled for each kind of work.
struct Ends<'a> {
    cancel: &'a Cancel,
    ended: Rc<Bell>,
    is_late: Rc<Cell<bool>>,
    _listeners: [Option<Listener>; 2],
    _timer: Option<Timer>,
}

impl<'a> Ends<'a> {
    fn new(cancel: &'a Cancel, limit_ms: Option<f64>) -> Result<Self, Failure> {
        cancel.check()?;
        let ended = Rc::new(Bell::default());
        let is_late = Rc::new(Cell::new(false));
        let listeners = [&cancel.caller, &cancel.owner].map(|signal| {
            let ended = ended.clone();
            let signal = signal.as_ref()?;
            Some(Listener::new(signal, "abort", move |_| ended.ring()))
        });
        let timer = limit_ms.map(|ms| {
            let (ended, is_late) = (ended.clone(), is_late.clone());
            Timer::once(ms, move || {
                is_late.set(true);
                ended.ring();
            })
        });
        Ok(Self {
            cancel,
            ended,
            is_late,
            _listeners: listeners,
            _timer: timer,
        })
    }

    /// Fails if the wait is to end. If not, the task of `context` is woken when it may be.
    fn check(&self, context: &Context<'_>) -> Result<(), Failure> {
        // What a ring means is looked up below; the bell has to know whom to wake next.
        while self.ended.poll(context).is_ready() {}
        self.cancel.check()
    }

    fn is_late(&self) -> bool {
        self.is_late.get()
    }
}

/// A wait for a value of the page's. Dropped, it leaves nothing behind, though the promise may never settle.
pub struct Settled {
    outcome: JsFuture,
    _end: Resolve,
}

impl Future for Settled {
    type Output = Result<JsValue, JsValue>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.outcome).poll(context)
    }
}

/// Waits for a promise, or for any other value of the page's, which counts as fulfilled.
pub fn settled(value: &JsValue) -> Settled {
    // A `JsFuture` keeps its callbacks until its promise settles.
    let (ended, end) = deferred();
    Settled {
        outcome: JsFuture::from(Promise::race(&Array::of2(value, &ended))),
        _end: end,
    }
}

/// Resolves a promise when it is dropped.
pub struct Resolve(Option<Function>);

impl Drop for Resolve {
    fn drop(&mut self) {
        if let Some(resolve) = &self.0 {
            // It does not throw.
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    }
}

/// A promise, and what resolves it.
pub fn deferred() -> (Promise, Resolve) {
    let mut resolve = None;
    let promise = Promise::new(&mut |function, _| resolve = Some(function));
    (promise, Resolve(resolve))
}

/// Waits so many milliseconds, whatever happens.
pub async fn sleep(ms: f64) {
    let bell = Rc::new(Bell::default());
    let ring = bell.clone();
    let _timer = Timer::once(ms, move || ring.ring());
    bell.heard().await;
}

/// A new controller. `create` has refused a browser that has none.
pub fn controller() -> Result<AbortController, Failure> {
    AbortController::new().map_err(|_| Failure::new(ErrorCode::UnsupportedBrowser))
}

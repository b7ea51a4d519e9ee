//! What ends a wait from outside: time, the caller's signal, and the end of the object.

use super::error::ErrorCode;
use super::failure::Failure;
use super::listener::Listener;
use super::notify::Notify;
use super::timer::Timer;
use js_sys::{Array, Function, Promise};
use std::cell::Cell;
use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

/// What cancels a wait.
#[derive(Clone, Default)]
pub struct Cancellation {
    /// The caller's signal: the wait fails with `aborted`, and the signal's reason as cause.
    pub caller: Option<AbortSignal>,
    /// The signal of the object's own end: the wait fails with `destroyed`.
    pub owner: Option<AbortSignal>,
    /// Once true, nothing ends the wait any more.
    pub is_committed: Option<Rc<Cell<bool>>>,
}

impl Cancellation {
    /// Cancelled by our own controller only.
    pub fn by(owner: &AbortController) -> Self {
        Self {
            owner: Some(owner.signal()),
            ..Self::default()
        }
    }

    /// Cancelled by the caller's signal, too.
    pub fn with(&self, caller: Option<AbortSignal>) -> Self {
        Self {
            caller,
            ..self.clone()
        }
    }

    /// Fails if the wait is cancelled.
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
}

/// Waits until `work` is done; fails if that is cancelled first. `work` is dropped at any end.
pub async fn race<T>(
    work: impl Future<Output = T>,
    cancellation: &Cancellation,
) -> Result<T, Failure> {
    let signals = Signals::new(cancellation)?;
    let mut work = pin!(work);
    poll_fn(|context| {
        signals.check(context)?;
        work.as_mut().poll(context).map(Ok)
    })
    .await
}

/// Waits until `work` is done; `None` if so many milliseconds are over first. `work` is dropped at any end.
pub async fn timeout<T>(ms: f64, work: impl Future<Output = T>) -> Option<T> {
    let late = Rc::new(Notify::default());
    let notify = late.clone();
    let _timer = Timer::once(ms, move || notify.notify_one());
    let mut work = pin!(work);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => late.poll(context).map(|()| None),
    })
    .await
}

/// Waits so many milliseconds.
pub async fn sleep(ms: f64) {
    timeout(ms, pending::<()>()).await;
}

/// The signals that cancel one wait, listened to. Apart from `race`, which is compiled for each kind of work.
struct Signals<'a> {
    cancellation: &'a Cancellation,
    aborted: Rc<Notify>,
    _listeners: [Option<Listener>; 2],
}

impl<'a> Signals<'a> {
    fn new(cancellation: &'a Cancellation) -> Result<Self, Failure> {
        cancellation.check()?;
        let aborted = Rc::new(Notify::default());
        let listeners = [&cancellation.caller, &cancellation.owner].map(|signal| {
            let aborted = aborted.clone();
            let signal = signal.as_ref()?;
            Some(Listener::new(signal, "abort", move |_| {
                aborted.notify_one()
            }))
        });
        Ok(Self {
            cancellation,
            aborted,
            _listeners: listeners,
        })
    }

    /// Fails if the wait is cancelled. If not, the task of `context` is woken when it may be.
    fn check(&self, context: &Context<'_>) -> Result<(), Failure> {
        // The waker is registered again first, or an abort between here and the next poll would wake nobody.
        while self.aborted.poll(context).is_ready() {}
        self.cancellation.check()
    }
}

/// A wait for a value of the page. Dropped, it leaves nothing behind, though the promise may never settle.
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

/// Waits for a promise, or for any other value of the page, which counts as fulfilled.
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

/// Aborts when it is dropped.
pub struct AbortOnDrop(pub AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Aborts, for no reason. The browser's own would be an error, whose stack trace in Chromium keeps alive the objects
/// that were called: one whose `destroy` was called would never be freed, as its signal has that error.
pub fn abort(controller: &AbortController) {
    controller.abort_with_reason(&JsValue::NULL);
}

/// A new controller. `create` has refused a browser that has none.
pub fn controller() -> Result<AbortController, Failure> {
    AbortController::new().map_err(|_| Failure::new(ErrorCode::UnsupportedBrowser))
}

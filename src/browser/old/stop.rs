//! What can end a wait from outside: time, the caller's signal, and the object's own end.

use super::bell::Bell;
use super::js;
use super::listener::Listener;
use super::promise::settled;
use super::timer::Timer;
use crate::browser::cancel::Cancel;
use crate::browser::failure::Failure;
use crate::error::{ErrorCode, Operation};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::AbortSignal;

/// What is waited for. It leaves what it gives where its maker looks, so that one `guard` serves all.
pub type Work<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// What a promise came to.
pub type Settled = Result<JsValue, JsValue>;

/// What became of a promise, on its way.
pub type Outcome<'a> = Pin<Box<dyn Future<Output = Result<Option<Settled>, Failure>> + 'a>>;

/// Ends waits.
#[derive(Clone, Default)]
pub struct Stops {
    /// The page's signal, or `undefined`: `aborted`, with its reason as cause.
    pub caller: JsValue,
    /// Ours, or `undefined`: `destroyed`.
    pub owner: JsValue,
    /// Once true, nothing stops the wait any more.
    pub deaf: Option<Rc<Cell<bool>>>,
}

impl Stops {
    /// Only our own signal.
    pub fn by(controller: &JsValue) -> Self {
        Self {
            owner: signal_of(controller),
            ..Self::default()
        }
    }

    /// Whether the wait is to end, and with what.
    pub fn check(&self, operation: Operation) -> Result<(), Failure> {
        if self.deaf.as_ref().is_some_and(|deaf| deaf.get()) {
            return Ok(());
        }
        if is_aborted(&self.caller) {
            let reason = js::get(&self.caller, "reason");
            return Err(Failure::caused(ErrorCode::Aborted, operation, reason));
        }
        if is_aborted(&self.owner) {
            return Err(Failure::new(ErrorCode::Destroyed, operation));
        }
        Ok(())
    }

    /// Waits until `work` is done or the time is over, unless it is stopped first. Then `work` is dropped.
    pub async fn guard(
        &self,
        operation: Operation,
        ms: Option<f64>,
        mut work: Work<'_>,
    ) -> Result<(), Failure> {
        self.check(operation)?;
        let ended = Rc::new(Bell::default());
        let is_over = Rc::new(Cell::new(false));
        let wake = |time: Option<Rc<Cell<bool>>>| {
            let ended = ended.clone();
            Box::new(move |_| {
                if let Some(is_over) = &time {
                    is_over.set(true);
                }
                ended.ring();
            })
        };
        let listen = |signal: &JsValue| {
            (!signal.is_undefined()).then(|| Listener::new(signal, "abort", wake(None)))
        };
        let _listeners = (listen(&self.caller), listen(&self.owner));
        let _timer = ms.map(|ms| Timer::once(ms, wake(Some(is_over.clone()))));
        poll_fn(|context| {
            while ended.poll(context).is_ready() {}
            self.check(operation)?;
            if is_over.get() || work.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            Poll::Pending
        })
        .await
    }

    /// Waits for a promise; `None` if the time was over first. Boxed, because each caller would bring its own copy of the wait.
    pub fn outcome(&self, operation: Operation, ms: Option<f64>, promise: JsValue) -> Outcome<'_> {
        Box::pin(async move {
            let mut outcome = None;
            let work = Box::pin(async { outcome = Some(settled(&promise).await) });
            self.guard(operation, ms, work).await?;
            Ok(outcome)
        })
    }
}

impl From<&Cancel> for Stops {
    fn from(cancel: &Cancel) -> Self {
        let value =
            |signal: &Option<AbortSignal>| signal.as_ref().map(JsValue::from).unwrap_or_default();
        Self {
            caller: value(&cancel.caller),
            owner: value(&cancel.owner),
            deaf: cancel.is_committed.clone(),
        }
    }
}

impl From<Stops> for Cancel {
    fn from(stops: Stops) -> Self {
        let signal = |value: JsValue| (!value.is_undefined()).then(|| value.unchecked_into());
        Self {
            caller: signal(stops.caller),
            owner: signal(stops.owner),
            is_committed: stops.deaf,
        }
    }
}

/// Waits, whatever happens.
pub fn sleep(ms: f64) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async move {
        let never = Box::pin(std::future::pending());
        let waiting = Stops::default();
        // Nothing stops it.
        let _ = waiting.guard(Operation::FetchTokens, Some(ms), never).await;
    })
}

/// A new `AbortController`. `create` has refused a browser that has none.
pub fn controller() -> JsValue {
    js::make("AbortController", js::NONE).unwrap_or(JsValue::UNDEFINED)
}

/// Aborts what listens to the controller; a second time does nothing.
pub fn abort(controller: &JsValue) {
    js::tell(controller, "abort");
}

/// The controller's signal.
pub fn signal_of(controller: &JsValue) -> JsValue {
    js::get(controller, "signal")
}

/// Whether the controller's signal is aborted.
pub fn has_aborted(controller: &JsValue) -> bool {
    is_aborted(&signal_of(controller))
}

/// Whether the signal, if it is one, is aborted.
pub fn is_aborted(signal: &JsValue) -> bool {
    js::is(signal, "aborted")
}

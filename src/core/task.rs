//! Runs futures on the page's event loop. Boxed, or wasm-bindgen-futures would be compiled for each kind of future.
//!
//! Each step of a future is a call in JavaScript. What the page has replaced may throw anywhere, and what is thrown
//! through Rust leaves everything as it stands: whoever waits would wait for ever. Here it is caught.

use super::Boxed;
use super::error::{Error, ErrorCode, Operation};
use super::failure::{Failure, Rejection};
use super::notify::Notify;
use js_sys::{Function, Promise};
use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = reportError)]
    fn report_error(thrown: &JsValue);
}

/// Starts the future of a call, and returns the promise of its result. What throws on the way is the cause of a failure
/// of the call.
pub fn promise(
    operation: Operation,
    future: impl Future<Output = Result<JsValue, Rejection>> + 'static,
) -> Promise {
    settling(operation, Box::pin(future))
}

fn settling(operation: Operation, future: Boxed<'static, Result<JsValue, Rejection>>) -> Promise {
    let future: Boxed<'static, _> = Box::pin(async move {
        let result = caught(future).await.unwrap_or_else(|thrown| {
            let error = Error::new(ErrorCode::UnsupportedBrowser);
            let failure = Failure {
                cause: Some(thrown),
                ..error.detail(&[THROWS]).into()
            };
            Err(failure.into())
        });
        result.map_err(|rejection| rejection.during(operation))
    });
    wasm_bindgen_futures::future_to_promise(future)
}

const THROWS: &str = "The page has replaced something by what throws.";

/// Starts a future that nobody waits for. What it throws is an uncaught error of the page.
pub fn start(future: impl Future<Output = ()> + 'static) {
    start_or(Box::pin(future), Box::new(|thrown| report_error(&thrown)));
}

/// Starts a future that nobody waits for, and hands on what it throws.
pub fn start_or(future: Boxed<'static, ()>, hear: Box<dyn FnOnce(JsValue)>) {
    let future: Boxed<'static, _> = Box::pin(async move {
        if let Err(thrown) = caught(future).await {
            hear(thrown);
        }
    });
    wasm_bindgen_futures::spawn_local(future);
}

/// Runs `work` to its end, even if nobody waits for it any more.
pub async fn spawn_and_wait<T: 'static>(work: impl Future<Output = T> + 'static) -> Option<T> {
    let shared = Rc::new((Cell::new(None), Notify::default()));
    let (result, waiting) = (shared.clone(), shared);
    start(async move {
        result.0.set(Some(work.await));
        result.1.notify_one();
    });
    waiting.1.notified().await;
    waiting.0.take()
}

/// Waits for a future's result, or for what one of its steps throws.
async fn caught<T: 'static>(mut future: Boxed<'static, T>) -> Result<T, JsValue> {
    let (waker, value) = (Rc::new(Cell::new(None::<Waker>)), Rc::new(Cell::new(None)));
    let (given, result) = (waker.clone(), value.clone());
    let step = Closure::<dyn FnMut()>::new(move || {
        let waker = given.take().unwrap_or(Waker::noop().clone());
        if let Poll::Ready(done) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            result.set(Some(done));
        }
    });
    let outcome = poll_fn(|context| {
        waker.set(Some(context.waker().clone()));
        let step: &Function = step.as_ref().unchecked_ref();
        match (step.call0(&JsValue::UNDEFINED), value.take()) {
            (Err(thrown), _) => Poll::Ready(Err(thrown)),
            (Ok(_), Some(done)) => Poll::Ready(Ok(done)),
            (Ok(_), None) => Poll::Pending,
        }
    });
    let outcome = outcome.await;
    if outcome.is_err() {
        // It stands in the middle of a step: nothing of it may run any more, not even what would drop it.
        std::mem::forget(step);
    }
    outcome
}

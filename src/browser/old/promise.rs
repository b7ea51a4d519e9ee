//! The ways between Rust futures and JavaScript promises.

use super::bell::Bell;
use super::js;
use super::listener::Callback;
use super::task::Task;
use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// A future on its way to JavaScript. Boxed, because each type of future would bring its own copy of the machinery.
type Boxed = Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>>;

/// The promise of what `future` gives.
pub fn promise(future: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> JsValue {
    start(Box::pin(future))
}

fn start(future: Boxed) -> JsValue {
    let (promise, resolve) = deferred();
    Task::start(Box::pin(async move {
        let result = future.await;
        settle(&resolve, result);
    }));
    promise
}

/// A promise, and the function that resolves it.
pub fn deferred() -> (JsValue, JsValue) {
    let resolve: Rc<Cell<JsValue>> = Rc::default();
    let given = resolve.clone();
    let callback = Callback::wrap(Box::new(move |resolve| drop(given.replace(resolve))));
    let promise = js::make("Promise", callback.as_ref()).unwrap_or(JsValue::UNDEFINED);
    (promise, resolve.take())
}

/// Settles a deferred promise.
pub fn settle(resolve: &JsValue, result: Result<JsValue, JsValue>) {
    // None of it throws; resolved with a rejected promise, a promise is rejected.
    let value = result.or_else(|error| js::on("Promise", "reject", &error));
    let _ = value.and_then(|value| js::ask(resolve, &value));
}

/// A wait for a promise.
#[derive(Default)]
struct Waiting {
    outcome: Cell<Option<Result<JsValue, JsValue>>>,
    bell: Bell,
    /// Kept until one is called, however early the wait is given up: a promise can't be told to forget them.
    callbacks: Cell<Option<(Callback, Callback)>>,
}

impl Waiting {
    fn callback(self: &Rc<Self>, read: fn(JsValue) -> Result<JsValue, JsValue>) -> Callback {
        let told = self.clone();
        Callback::wrap(Box::new(move |value| {
            told.outcome.replace(Some(read(value)));
            told.bell.ring();
            told.callbacks.take();
        }))
    }
}

/// What a promise settles with; what is none counts as fulfilled.
pub async fn settled(value: &JsValue) -> Result<JsValue, JsValue> {
    let waiting = Rc::new(Waiting::default());
    let (fulfilled, rejected) = (waiting.callback(Ok), waiting.callback(Err));
    // Not `allSettled`, whose one callback would do: pages bring promises of their own, with other ideas of it.
    let promise = js::on("Promise", "resolve", value)?;
    js::call(&promise, "then", fulfilled.as_ref(), rejected.as_ref())?;
    waiting.callbacks.replace(Some((fulfilled, rejected)));
    waiting.bell.heard().await;
    waiting.outcome.take().unwrap_or(Err(JsValue::UNDEFINED))
}

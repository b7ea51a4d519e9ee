//! The ways between Rust futures and JavaScript promises.

use super::bell::Bell;
use super::js;
use super::listener::Callback;
use super::task::Task;
use std::cell::RefCell;
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
    let resolve: Rc<RefCell<JsValue>> = Rc::default();
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
    outcome: RefCell<Option<JsValue>>,
    bell: Bell,
    /// Kept until it is called, however early the wait is given up: a promise can't be told to forget it.
    callback: RefCell<Option<Callback>>,
}

/// What a promise settles with; what is none counts as fulfilled.
pub async fn settled(value: &JsValue) -> Result<JsValue, JsValue> {
    let waiting = Rc::new(Waiting::default());
    let told = waiting.clone();
    let callback = Callback::wrap(Box::new(move |outcomes| {
        told.outcome.replace(Some(js::get(&outcomes, "0")));
        told.bell.ring();
        told.callback.take();
    }));
    // Of one value; never rejects, so that one callback is enough.
    let settling = js::on("Array", "of", value)
        .and_then(|values| js::on("Promise", "allSettled", &values))
        .unwrap_or(JsValue::UNDEFINED);
    js::act(&settling, "then", callback.as_ref(), js::NONE);
    waiting.callback.replace(Some(callback));
    waiting.bell.heard().await;
    let outcome = waiting.outcome.take().unwrap_or(JsValue::UNDEFINED);
    if js::text(&outcome, "status") == "fulfilled" {
        Ok(js::get(&outcome, "value"))
    } else {
        Err(js::get(&outcome, "reason"))
    }
}

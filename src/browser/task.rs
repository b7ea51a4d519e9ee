//! Runs futures on the page's event loop. Boxed, or wasm-bindgen-futures would be compiled for each kind of future.

use js_sys::Promise;
use std::pin::Pin;
use wasm_bindgen::JsValue;

/// A future behind a pointer, for what many callers wait for: each of them would carry a copy of its machinery.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Starts a future, and returns the promise of its result.
pub fn promise(future: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    let future: Boxed<'static, _> = Box::pin(future);
    wasm_bindgen_futures::future_to_promise(future)
}

/// Starts a future that nobody waits for.
pub fn start(future: impl Future<Output = ()> + 'static) {
    let future: Boxed<'static, _> = Box::pin(future);
    wasm_bindgen_futures::spawn_local(future);
}

//! One way from a Rust future to a JavaScript promise. Boxed, because each type of future would bring its own copy of the machinery (3 KB).

use js_sys::Promise;
use std::pin::Pin;
use wasm_bindgen::JsValue;

/// The promise of what `future` gives.
pub fn promise(future: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    let future: Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>> = Box::pin(future);
    wasm_bindgen_futures::future_to_promise(future)
}

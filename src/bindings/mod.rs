//! The only exports to JavaScript: thin handles without decisions. A handle owns an `Rc`, and its methods take `&self`:
//! an exported `async fn(&mut self)` that is called twice never settles.

mod client;
mod frame;
mod given;
mod integration;
#[cfg(feature = "keypad")]
mod keypad;
mod options;
#[cfg(feature = "phone")]
mod phone;

pub use client::PosConnect;
pub use integration::Integration;
#[cfg(feature = "keypad")]
pub use keypad::define_keypad;
#[cfg(feature = "phone")]
pub use phone::{format_phone_as_you_type, parse_phone};

use std::pin::Pin;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

/// What an exported method that waits returns at once. Boxed: `future_to_promise` would be compiled for each method.
fn promise(result: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> JsValue {
    let result: Pin<Box<dyn Future<Output = _>>> = Box::pin(result);
    future_to_promise(result).into()
}

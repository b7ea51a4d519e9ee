//! Whether the browser keeps the storage when it needs room (WHATWG Storage).

use crate::core::cancellation::{settled, timeout};
use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;

/// A page may have put something that never answers in the place of the browser's.
const LIMIT_MS: f64 = 1_000.0;

/// Asks for it. Firefox asks its user in turn, the others decide by themselves.
pub async fn ask() {
    // What comes of it, `is_promised` says.
    let _ = answer("persist").await;
}

/// Whether it has promised that.
pub async fn is_promised() -> bool {
    answer("persisted")
        .await
        .is_some_and(|answer| answer == true)
}

/// What a method of the browser gives; `None` where it is missing or fails.
async fn answer(method: &str) -> Option<JsValue> {
    let member = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    let storage = member(&member(&js_sys::global(), "navigator")?, "storage")?;
    let method: Function = member(&storage, method)?.dyn_into().ok()?;
    let asked = method.call0(&storage).ok()?;
    timeout(LIMIT_MS, settled(&asked)).await?.ok()
}

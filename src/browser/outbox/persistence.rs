//! Whether the browser keeps the storage when it needs room (WHATWG Storage).

use crate::browser::cancel::Cancel;
use crate::error::Operation;
use wasm_bindgen::prelude::*;

/// A page may have put something that never answers in the place of the browser's.
const LIMIT_MS: f64 = 1_000.0;

#[wasm_bindgen]
extern "C" {
    type StorageManager;
    #[wasm_bindgen(thread_local_v2, js_namespace = navigator, js_name = storage)]
    static STORAGE: Option<StorageManager>;
    #[wasm_bindgen(method, catch)]
    fn persist(this: &StorageManager) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn persisted(this: &StorageManager) -> Result<JsValue, JsValue>;
}

/// Asks for it. Firefox asks its user in turn, the others decide by themselves.
pub async fn ask() {
    let asked = STORAGE.with(|storage| storage.as_ref()?.persist().ok());
    // What comes of it, `is_promised` says.
    let _ = answer(asked).await;
}

/// Whether it has promised that.
pub async fn is_promised() -> bool {
    let asked = STORAGE.with(|storage| storage.as_ref()?.persisted().ok());
    answer(asked).await.is_some_and(|answer| answer == true)
}

async fn answer(asked: Option<JsValue>) -> Option<JsValue> {
    let (cancel, asked) = (Cancel::default(), asked?);
    let settled = cancel.settled(Operation::Outbox, Some(LIMIT_MS), &asked);
    settled.await.ok()??.ok()
}

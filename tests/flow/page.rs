//! What the tests do to the page and to its storage; see `page.js` and `storage.js`.
//!
//! wasm-bindgen's glue imports `page.js` alone, and that the others (`tests/page/clock.js` says why). They are named
//! here to be served.

use crate::till::get;
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/tests/flow/page.js")]
extern "C" {
    pub fn frames() -> Array;
    pub fn say(source: &JsValue, origin: &str, kind: &str);
    pub fn host(ways: &str) -> JsValue;
    #[wasm_bindgen(js_name = letGo)]
    pub fn let_go(host: &JsValue);
    pub fn overhear() -> JsValue;
    pub fn eavesdrop() -> JsValue;
    pub fn uncaught() -> JsValue;
    pub fn online();
    #[wasm_bindgen(js_name = pretendOnline)]
    pub fn pretend_online(online: bool);
    pub fn pretend(path: &str, value: &JsValue) -> JsValue;
    pub fn restore(patch: &JsValue);
    #[wasm_bindgen(js_name = recordOpens)]
    pub fn record_opens(stand_in: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = patchFetch)]
    pub fn patch_fetch(replacement: &Function);
    #[wasm_bindgen(js_name = withCanary)]
    pub fn with_canary(options: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = isInMemory)]
    pub fn is_in_memory(options: &JsValue, memory: &JsValue) -> bool;
    #[wasm_bindgen(js_name = isAsked)]
    pub fn is_asked() -> bool;
    #[wasm_bindgen(js_name = answerKeypad)]
    pub fn answer_keypad(digits: &str, button: &str);
    #[wasm_bindgen(js_name = hidePage)]
    pub fn hide_page();
    #[wasm_bindgen(js_name = showPage)]
    pub fn show_page();
    pub fn count();
    pub fn leftovers() -> String;
}

#[wasm_bindgen(module = "/tests/flow/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = entryIds)]
    pub async fn entry_ids(base_url: &str) -> JsValue;
    #[wasm_bindgen(js_name = salesOf)]
    pub async fn sales_of(base_url: &str) -> JsValue;
    pub async fn corrupt(base_url: &str) -> JsValue;
    pub async fn evict(base_url: &str) -> JsValue;
    pub async fn plant(id: &str, text: &str);
    pub async fn uproot(id: &str);
    pub async fn dump() -> JsValue;
    #[wasm_bindgen(js_name = exportedKey)]
    pub async fn exported_key() -> JsValue;
    #[wasm_bindgen(js_name = rows)]
    pub async fn rows_of(origin: &str) -> JsValue;
    #[wasm_bindgen(js_name = shownBy)]
    pub fn shown_by(row: &JsValue) -> String;
    pub async fn opened(row: &JsValue) -> JsValue;
    pub async fn misplace(row: &JsValue, place: &str);
    pub async fn damage(row: &JsValue);
    #[wasm_bindgen(js_name = misreadKey)]
    pub fn misread_key(value: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = loseKey)]
    pub async fn lose_key(value: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = clearEntries)]
    pub async fn clear_entries() -> JsValue;
    #[wasm_bindgen(js_name = loseRow)]
    pub fn lose_row(row: &JsValue, times: f64) -> JsValue;
    pub async fn seize(row: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = stealBack)]
    pub fn steal_back() -> JsValue;
    #[wasm_bindgen(js_name = refuseWrites)]
    pub fn refuse_writes(first: u32, how: &str) -> JsValue;
    #[wasm_bindgen(js_name = holdSeals)]
    pub fn hold_seals() -> JsValue;
    pub fn shut(how: &str) -> JsValue;
    pub async fn upgrade() -> JsValue;
    pub async fn block() -> JsValue;
    #[wasm_bindgen(js_name = closeUnderneath)]
    pub fn close_underneath() -> JsValue;
}

#[wasm_bindgen(module = "/tests/flow/service.js")]
extern "C" {
    #[wasm_bindgen(js_name = Service)]
    fn served();
}

#[wasm_bindgen(module = "/tests/flow/storage.js")]
extern "C" {
    #[wasm_bindgen(js_name = rows)]
    fn served_too();
}

/// Calls a method without arguments.
pub fn call(object: &JsValue, name: &str) -> JsValue {
    let method: Function = get(object, name).unchecked_into();
    method.call0(object).unwrap()
}

/// How often a host was given tokens, or how often a patch acted.
pub fn count_of(object: &JsValue) -> usize {
    let count = match get(object, "calls").dyn_into::<Array>() {
        Ok(calls) => f64::from(calls.length()),
        Err(_) => get(object, "count").as_f64().unwrap(),
    };
    count as usize
}

/// What was told to the console.
pub fn heard(ears: &JsValue) -> String {
    call(ears, "heard").as_string().unwrap()
}

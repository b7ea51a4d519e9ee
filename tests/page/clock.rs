//! The clock of the page; see `clock.js`.

use js_sys::Function;
use wasm_bindgen::prelude::*;

// The suite's own `page.js` imports it; see there.
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = pageClock, js_name = sleep)]
    async fn sleep_ms(ms: f64);
    #[wasm_bindgen(catch, js_namespace = pageClock, js_name = eventually)]
    async fn eventually_js(test: &Function) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_namespace = pageClock, js_name = keepPace)]
    fn keep_pace();
    #[wasm_bindgen(js_namespace = pageClock)]
    fn hurry();
    #[wasm_bindgen(js_namespace = pageClock, js_name = shiftWall)]
    pub fn shift_wall(ms: f64);
}

#[wasm_bindgen(module = "/tests/page/clock.js")]
extern "C" {
    #[wasm_bindgen(js_name = sleep)]
    fn served();
}

/// Lets the clock go on by so much.
pub async fn sleep(ms: u32) {
    sleep_ms(f64::from(ms)).await;
}

/// Lets the clock go on to that time of `now`.
pub async fn sleep_until(time: f64) {
    sleep_ms(time - now()).await;
}

/// Milliseconds of the clock on the wall.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// Waits for what comes.
pub async fn eventually(test: impl FnMut() -> bool + 'static) {
    let test = Closure::<dyn FnMut() -> bool>::new(test);
    eventually_js(test.as_ref().unchecked_ref()).await.unwrap();
}

/// While it lives, the clock keeps the pace of a real one.
#[must_use]
pub struct RealPace;

impl RealPace {
    pub fn keep() -> Self {
        keep_pace();
        Self
    }
}

impl Drop for RealPace {
    fn drop(&mut self) {
        hurry();
    }
}

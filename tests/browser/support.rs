//! A till for the tests: options, calls, and what came of them.

use js_sys::{Array, Function};
use pos_connect::bindings::{Integration, PosConnect};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

#[path = "connect_frame.rs"]
mod connect_frame;
pub use connect_frame::ConnectFrame;
#[path = "till.rs"]
mod till;
pub use till::*;

#[wasm_bindgen(module = "/tests/browser/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = rigUrl)]
    pub fn rig_url() -> String;
    #[wasm_bindgen(catch, js_name = rig)]
    async fn rig_text(path: &str, body: JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_name = sleep)]
    async fn sleep_ms(ms: f64);
    #[wasm_bindgen(catch, js_name = eventually)]
    async fn eventually_js(test: &Function) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_name = pretendOnline)]
    pub fn pretend_online(online: bool);
    #[wasm_bindgen(js_name = openFrames)]
    pub fn open_frames() -> Array;
    pub fn bystander(url: &str) -> web_sys::HtmlElement;
    #[wasm_bindgen(js_name = recordOpens)]
    pub fn record_opens(stand_in: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = postHuge)]
    pub fn post_huge();
    #[wasm_bindgen(js_name = patchFetch)]
    pub fn patch_fetch(replacement: &Function);
    #[wasm_bindgen(js_name = recordCaches)]
    pub fn record_caches() -> JsValue;
    #[wasm_bindgen(js_name = withCanary)]
    pub fn with_canary(options: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = isInMemory)]
    pub fn is_in_memory(options: &JsValue, memory: &JsValue) -> bool;
    pub fn count();
    pub fn leftovers() -> String;
}

#[wasm_bindgen(module = "/tests/browser/page.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = entryIds)]
    async fn entry_ids(base_url: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub async fn corrupt(base_url: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub async fn evict(base_url: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub async fn plant(id: &str, text: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub async fn uproot(id: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub async fn dump() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = exportedKey)]
    pub async fn exported_key() -> Result<JsValue, JsValue>;
    pub fn pretend(path: &str, value: &JsValue) -> JsValue;
    pub fn restore(patch: &JsValue);
    #[wasm_bindgen(js_name = refuseWrites)]
    pub fn refuse_writes(first: u32, how: &str) -> JsValue;
    #[wasm_bindgen(js_name = refuseOpening)]
    pub fn refuse_opening(how: &str) -> JsValue;
    #[wasm_bindgen(catch)]
    pub async fn upgrade() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch)]
    pub async fn block() -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_name = closeUnderneath)]
    pub fn close_underneath() -> JsValue;
    #[wasm_bindgen(js_name = shiftClock)]
    pub fn shift_clock(ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = hurryTries)]
    pub fn hurry_tries() -> JsValue;
    #[wasm_bindgen(js_name = hurryOne)]
    pub fn hurry(ms: u32) -> JsValue;
    #[wasm_bindgen(js_name = hurryHost)]
    pub fn hurry_host(host: &JsValue, ms: u32) -> JsValue;
    pub fn overhear() -> JsValue;
    pub fn uncaught() -> JsValue;
    pub fn host(ways: &str) -> JsValue;
    #[wasm_bindgen(js_name = letGo)]
    pub fn let_go(host: &JsValue);
}

pub async fn rig(path: &str, body: Option<Value>) -> Value {
    let body = body.map_or(JsValue::UNDEFINED, |body| body.to_string().into());
    let text = rig_text(path, body).await.unwrap().as_string().unwrap();
    serde_json::from_str(&text).unwrap()
}

pub async fn sleep(ms: u32) {
    sleep_ms(f64::from(ms)).await;
}

/// Waits for what comes at once, unless the machine is busy.
pub async fn eventually(test: impl FnMut() -> bool + 'static) {
    let test = Closure::<dyn FnMut() -> bool>::new(test);
    eventually_js(test.as_ref().unchecked_ref()).await.unwrap();
}

/// The real service, as `create` wants it.
pub async fn real() -> Value {
    let settings = rig("/settings", None).await;
    json!({
        "baseUrl": settings["baseUrl"], "connectUrl": settings["connectUrl"],
        "clientId": settings["clientId"], "clientSecret": settings["clientSecret"],
    })
}

/// A store of its own, which no other test has left anything of.
pub async fn real_client() -> PosConnect {
    thread_local!(static STORES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    let store = STORES.replace(STORES.get() + 1);
    let mut options = real().await;
    options["storeId"] = format!("store {store} of {}", js_sys::Date::now()).into();
    PosConnect::create(to_js(&options)).unwrap()
}

/// A service that follows a script; see `tests/rig/script.mjs`.
pub struct Scripted {
    pub options: Value,
    id: String,
}

impl Scripted {
    pub async fn new(steps: Value) -> Self {
        let id = rig("/script", Some(steps)).await["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let options = json!({
            "baseUrl": format!("{}/s/{id}", rig_url()),
            "connectUrl": format!("{}/frame/silent", rig_url()),
            "clientId": "till", "clientSecret": "hunter2",
        });
        Self { options, id }
    }

    pub fn client(&self) -> PosConnect {
        PosConnect::create(to_js(&self.options)).unwrap()
    }

    /// Another object of the same options: to the storage and its locks, it is another page.
    pub fn client_with(&self, more: &[(&str, &JsValue)]) -> PosConnect {
        PosConnect::create(with(&self.options, more)).unwrap()
    }

    /// A page whose host takes the tokens as `host` does.
    pub fn client_of(&self, host: &JsValue) -> PosConnect {
        self.client_with(&[("persistTokens", &get(host, "persistTokens"))])
    }

    pub fn base_url(&self) -> &str {
        self.options["baseUrl"].as_str().unwrap()
    }

    /// How many integrations are kept for it, and whether a connection record is.
    pub async fn kept(&self) -> (usize, bool) {
        // One call of the storage after the other: this one ends after what nobody waited for.
        done(self.client().connection()).await;
        let ids = to_value(&entry_ids(self.base_url()).await.unwrap());
        let ids = ids.as_array().unwrap();
        let is_record = |id: &&Value| id.as_str().unwrap().ends_with(' ');
        let records = ids.iter().filter(is_record).count();
        (ids.len() - records, records > 0)
    }

    /// What each call of an operation carried under that name.
    pub async fn carried(&self, operation: &str, name: &str) -> Vec<Value> {
        let log = self.log().await;
        let entries = log.as_array().unwrap().iter();
        entries
            .filter(|entry| entry["operation"] == operation)
            .map(|entry| entry[name].clone())
            .collect()
    }

    pub fn framed(mut self, frame: &str, messages: &Value) -> Self {
        let messages = js_sys::encode_uri_component(&messages.to_string());
        self.options["connectUrl"] =
            format!("{}/frame/{frame}?messages={messages}", rig_url()).into();
        self
    }

    /// How often an operation was asked for.
    pub async fn calls(&self, operation: &str) -> usize {
        self.times(operation).await.len()
    }

    /// Waits until it was asked for that often.
    pub async fn until_called(&self, operation: &str, count: usize) {
        for _ in 0..300 {
            if self.calls(operation).await >= count {
                return;
            }
            sleep(50).await;
        }
        panic!("{operation} was not called {count} times");
    }

    /// When it was asked for, in milliseconds.
    pub async fn times(&self, operation: &str) -> Vec<f64> {
        let log = rig(&format!("/log/{}", self.id), None).await;
        let entries = log.as_array().unwrap().iter();
        entries
            .filter(|entry| entry["operation"] == operation)
            .map(|entry| entry["at"].as_f64().unwrap())
            .collect()
    }

    pub async fn log(&self) -> Value {
        rig(&format!("/log/{}", self.id), None).await
    }
}

pub fn created() -> Value {
    json!([{"body": {"success": true, "integrationToken": "itk", "interval": 1}}])
}

pub fn status(words: &[&str]) -> Value {
    words
        .iter()
        .map(|word| json!({"body": {"success": true, "status": word}}))
        .collect()
}

pub fn tokens() -> Value {
    json!({"body": {
        "success": true, "accessToken": "acc", "refreshToken": "ref",
        "expiration": "2026-11-21T10:30:00Z", "ereceipt": true,
    }})
}

pub fn gone() -> Value {
    json!({"status": 410, "body": {"success": false, "code": "tokens_already_retrieved"}})
}

/// An answer that the browser hides: no page sees more of it than of one that never came. No browser asks again by
/// itself.
pub fn silent() -> Value {
    json!({"hidden": true})
}

pub fn with_delay(mut step: Value, ms: u32) -> Value {
    step["delayMs"] = ms.into();
    step
}

/// How often a host was given tokens, or how often a patch acted.
pub fn count_of(object: &JsValue) -> usize {
    let count = match get(object, "calls").dyn_into::<Array>() {
        Ok(calls) => f64::from(calls.length()),
        Err(_) => get(object, "count").as_f64().unwrap(),
    };
    count as usize
}

/// Waits until a host was given the tokens so often.
pub async fn given(host: &JsValue, times: usize) {
    let host = host.clone();
    eventually(move || count_of(&host) >= times).await;
}

/// Waits until the tokens are handed over, and gives the code of a later pick-up.
pub async fn handed_over(integration: &Integration) -> String {
    for _ in 0..750 {
        if let Err(error) = settled(integration.fetch_tokens(JsValue::UNDEFINED)).await {
            return code(&error);
        }
        sleep(20).await;
    }
    panic!("never handed over")
}

/// What was told to the console.
pub fn heard(ears: &JsValue) -> String {
    let heard: Function = get(ears, "heard").unchecked_into();
    heard.call0(ears).unwrap().as_string().unwrap()
}

pub async fn merchant(token: &str, wishes: &str) -> Value {
    rig(
        &format!("/merchant?integration_token={token}{wishes}"),
        None,
    )
    .await
}

/// The integration token in the address of the frame that stands in the page.
pub fn framed_token() -> Option<String> {
    let frame = open_frames().get(0).dyn_into::<web_sys::Element>().ok()?;
    let url = web_sys::Url::new(&frame.get_attribute("src")?).ok()?;
    url.search_params().get("integration_token")
}

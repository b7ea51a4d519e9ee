//! A till before the real service, or one whose connect page is a real page.

pub use crate::in_page::*;

use pos_connect::PosConnect;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/tests/flow/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = rigUrl)]
    pub fn rig_url() -> String;
    async fn rig(path: &str) -> JsValue;
    pub fn bystander(url: &str) -> web_sys::HtmlElement;
    #[wasm_bindgen(js_name = postHuge)]
    pub fn post_huge();
    pub fn messages() -> u32;
}

pub async fn settings() -> Value {
    asked("/settings").await
}

async fn asked(path: &str) -> Value {
    serde_json::from_str(&rig(path).await.as_string().unwrap()).unwrap()
}

/// The real service, as `create` wants it.
pub async fn real() -> Value {
    let settings = settings().await;
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
    options["storeId"] = format!("store {store} of {}", now()).into();
    PosConnect::create(to_js(&options)).unwrap()
}

/// One of the rig's connect pages; `messages` are what it posts.
pub fn frame_url(kind: &str, messages: &Value) -> String {
    let messages = js_sys::encode_uri_component(&messages.to_string());
    format!("{}/frame/{kind}?messages={messages}", rig_url())
}

pub async fn merchant(token: &str, wishes: &str) -> Value {
    asked(&format!("/merchant?integration_token={token}{wishes}")).await
}

/// The integration token in the address of the frame that stands in the page.
pub fn framed_token() -> Option<String> {
    let frame = frames().get(0).dyn_into::<web_sys::Element>().ok()?;
    let url = web_sys::Url::new(&frame.get_attribute("src")?).ok()?;
    url.search_params().get("integration_token")
}

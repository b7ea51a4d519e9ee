//! A till whose connect page is a real page.

pub use crate::in_page::*;

#[wasm_bindgen(module = "/tests/flow/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = rigUrl)]
    pub fn rig_url() -> String;
    pub fn bystander(url: &str) -> web_sys::HtmlElement;
    #[wasm_bindgen(js_name = postHuge)]
    pub fn post_huge();
    pub fn messages() -> u32;
}

/// One of the rig's connect pages; `messages` are what it posts.
pub fn frame_url(kind: &str, messages: &Value) -> String {
    let messages = js_sys::encode_uri_component(&messages.to_string());
    format!("{}/frame/{kind}?messages={messages}", rig_url())
}

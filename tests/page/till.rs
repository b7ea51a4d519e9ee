//! What every test does with the SDK's objects, and reads from what they give.

use js_sys::{Array, Function, JSON, Promise, Reflect};
use pos_connect::{Integration, PosConnect};
use serde_json::Value;
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

pub fn to_js(value: &Value) -> JsValue {
    JSON::parse(&value.to_string()).unwrap()
}

pub fn to_value(value: &JsValue) -> Value {
    let text = JSON::stringify(value).unwrap().as_string();
    text.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
}

pub fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

pub fn text(object: &JsValue, name: &str) -> String {
    get(object, name).as_string().unwrap_or_default()
}

pub fn with(options: &Value, more: &[(&str, &JsValue)]) -> JsValue {
    let object = to_js(options);
    for (name, value) in more {
        Reflect::set(&object, &(*name).into(), value).unwrap();
    }
    object
}

/// A call that is waited for later.
pub fn begun(promise: impl Into<JsValue>) -> JsValue {
    promise.into()
}

/// What comes of a call, whether it gives a promise or its value.
pub async fn settled(promise: impl Into<JsValue>) -> Result<JsValue, JsValue> {
    JsFuture::from(Promise::resolve(&promise.into())).await
}

pub async fn done(promise: impl Into<JsValue>) -> JsValue {
    settled(promise)
        .await
        .unwrap_or_else(|error| panic!("rejected: {error:?}"))
}

pub async fn failed(promise: impl Into<JsValue>) -> JsValue {
    match settled(promise).await {
        Ok(value) => panic!("resolved: {value:?}"),
        Err(error) => error,
    }
}

pub fn code(error: &JsValue) -> String {
    assert!(
        error.is_instance_of::<js_sys::Error>(),
        "no Error: {error:?}"
    );
    assert_eq!(text(error, "name"), "PosConnectError", "{error:?}");
    text(error, "code")
}

pub async fn code_of(promise: impl Into<JsValue>) -> String {
    code(&failed(promise).await)
}

pub async fn integration(client: &PosConnect) -> Integration {
    let handle = done(client.create_integration(JsValue::UNDEFINED)).await;
    Integration::try_from_js_value(handle).ok().unwrap()
}

/// What `resume` gives a page.
pub async fn found(client: &PosConnect) -> Option<Integration> {
    let handle = done(client.resume(JsValue::UNDEFINED)).await;
    (!handle.is_null()).then(|| Integration::try_from_js_value(handle).ok().unwrap())
}

pub async fn resumed(client: &PosConnect) -> Integration {
    found(client).await.unwrap()
}

/// The access token of a pick-up.
pub async fn access(integration: &Integration) -> String {
    text(
        &done(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        "accessToken",
    )
}

pub async fn refused(integration: &Integration) -> String {
    code_of(integration.fetch_tokens(JsValue::UNDEFINED)).await
}

pub fn token(integration: &Integration) -> String {
    integration.integration_token().as_string().unwrap()
}

pub fn document() -> web_sys::Document {
    web_sys::window().unwrap().document().unwrap()
}

/// A callback, and what it was called with so far.
pub fn recorder() -> (Function, Array) {
    let calls = Array::new();
    let record = Closure::<dyn FnMut(JsValue)>::new({
        let calls = calls.clone();
        move |value| {
            calls.push(&value);
        }
    });
    (record.into_js_value().unchecked_into(), calls)
}

pub fn container() -> web_sys::Element {
    let element = document().create_element("div").unwrap();
    document().body().unwrap().append_child(&element).unwrap();
    element
}

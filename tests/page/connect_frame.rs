//! `ConnectFrame`, which is made in JavaScript.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;

/// What `mountFrame` gives.
pub trait ConnectFrame {
    fn element(&self) -> JsValue;
    fn ended(&self) -> JsValue;
    fn close(&self);
}

impl ConnectFrame for JsValue {
    fn element(&self) -> JsValue {
        Reflect::get(self, &"element".into()).unwrap()
    }

    fn ended(&self) -> JsValue {
        Reflect::get(self, &"ended".into()).unwrap()
    }

    fn close(&self) {
        let close: Function = Reflect::get(self, &"close".into())
            .unwrap()
            .unchecked_into();
        close.call0(self).unwrap();
    }
}

//! `ConnectFrame`.

use crate::browser::frame::Frame;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// See `index.d.ts`.
#[wasm_bindgen]
pub struct ConnectFrame {
    inner: Rc<Frame>,
}

impl ConnectFrame {
    /// A handle on a frame.
    pub fn new(inner: Rc<Frame>) -> Self {
        Self { inner }
    }
}

#[wasm_bindgen]
impl ConnectFrame {
    /// See `index.d.ts`.
    #[wasm_bindgen(getter)]
    pub fn element(&self) -> JsValue {
        self.inner.element()
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(getter)]
    pub fn ended(&self) -> JsValue {
        self.inner.ended()
    }

    /// See `index.d.ts`.
    pub fn close(&self) {
        self.inner.close();
    }
}

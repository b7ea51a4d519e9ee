//! `Integration`.

use super::frame::ConnectFrame;
use super::options::{self, Reader};
use crate::browser::promise::promise;
use crate::browser::session::Session;
use crate::error::Operation;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// See `index.d.ts`.
#[wasm_bindgen]
pub struct Integration {
    inner: Rc<Session>,
}

impl Integration {
    /// A handle on a session.
    pub fn new(inner: Rc<Session>) -> Self {
        Self { inner }
    }
}

#[wasm_bindgen]
impl Integration {
    /// See `index.d.ts`.
    #[wasm_bindgen(getter, js_name = integrationToken)]
    pub fn integration_token(&self) -> JsValue {
        self.inner.token().into()
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = mountFrame)]
    pub fn mount_frame(
        &self,
        container: JsValue,
        options: JsValue,
    ) -> Result<ConnectFrame, JsValue> {
        let reader = Reader::new(options, Operation::MountFrame);
        reader.done(())?;
        let frame = self.inner.mount(|| reader.frame(&container))?;
        Ok(ConnectFrame::new(frame))
    }

    /// See `index.d.ts`.
    pub fn status(&self, options: JsValue) -> JsValue {
        let session = self.inner.clone();
        promise(async move {
            let signal = options::signal(options, Operation::Status)?;
            Ok(session.status(signal).await?.as_str().into())
        })
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = waitUntilDone)]
    pub fn wait_until_done(&self, options: JsValue) -> JsValue {
        let session = self.inner.clone();
        promise(async move {
            let reader = Reader::new(options, Operation::WaitUntilDone);
            let read = reader.done((reader.signal(), reader.function("onStatus")));
            let (signal, on_status) = read?;
            session.wait(signal, on_status).await
        })
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = fetchTokens)]
    pub fn fetch_tokens(&self, options: JsValue) -> JsValue {
        let session = self.inner.clone();
        promise(async move {
            let signal = options::signal(options, Operation::FetchTokens)?;
            session.fetch_tokens(signal).await
        })
    }

    /// See `index.d.ts`.
    pub fn cancel(&self, options: JsValue) -> JsValue {
        let session = self.inner.clone();
        promise(async move {
            let signal = options::signal(options, Operation::Cancel)?;
            session.cancel(signal).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// See `index.d.ts`.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}

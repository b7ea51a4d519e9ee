//! `Integration`.

use super::frame::{self, read_frame};
use super::old_options::Reader;
use super::options::check_object;
use crate::browser::old::promise::promise;
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
    #[wasm_bindgen(getter)]
    pub fn code(&self) -> JsValue {
        self.inner.code()
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = mountFrame)]
    pub fn mount_frame(&self, container: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        check_object(&options, Operation::MountFrame)?;
        let frame = self.inner.mount(|| read_frame(container, &options))?;
        Ok(frame::handle(&frame))
    }

    /// See `index.d.ts`.
    pub fn status(&self, options: JsValue) -> JsValue {
        self.start(Operation::Status, options)
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = waitUntilDone)]
    pub fn wait_until_done(&self, options: JsValue) -> JsValue {
        self.start(Operation::WaitUntilDone, options)
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = fetchTokens)]
    pub fn fetch_tokens(&self, options: JsValue) -> JsValue {
        self.start(Operation::FetchTokens, options)
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = acknowledgeTokens)]
    pub fn acknowledge_tokens(&self, options: JsValue) -> JsValue {
        self.start(Operation::AcknowledgeTokens, options)
    }

    /// See `index.d.ts`.
    pub fn cancel(&self, options: JsValue) -> JsValue {
        self.start(Operation::Cancel, options)
    }

    /// See `index.d.ts`.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}

impl Integration {
    fn start(&self, operation: Operation, options: JsValue) -> JsValue {
        promise(run(self.inner.clone(), operation, options))
    }
}

/// One future for all calls: each of its own would bring 300 bytes of machinery.
async fn run(
    session: Rc<Session>,
    operation: Operation,
    options: JsValue,
) -> Result<JsValue, JsValue> {
    let reader = Reader::new(options, operation);
    let signal = reader.signal();
    let on_status = match operation {
        Operation::WaitUntilDone => reader.function("onStatus"),
        _ => JsValue::UNDEFINED,
    };
    reader.all()?;
    match operation {
        Operation::Status => return Ok(session.status(signal).await?.as_str().into()),
        Operation::WaitUntilDone => return session.wait(signal, on_status).await,
        Operation::FetchTokens => return session.fetch_tokens(signal).await,
        Operation::AcknowledgeTokens => session.acknowledge(signal).await?,
        _ => session.cancel(signal).await?,
    }
    Ok(JsValue::UNDEFINED)
}

//! `PosConnect`.

use super::integration::Integration;
use super::options::{self, CreateOptions, Reader};
use crate::browser::client::Client;
use crate::browser::connect;
use crate::browser::failure::Failure;
use crate::browser::http::Http;
use crate::browser::js;
use crate::browser::page;
use crate::browser::promise::promise;
use crate::config::Config;
use crate::error::{Error, ErrorCode, Operation};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use wasm_bindgen::prelude::*;

/// Once a page: a till that creates an object per order must not fill its log.
static WARNED: AtomicBool = AtomicBool::new(false);
const SECRET_WARNING: &str = "pos-connect: clientSecret is readable by everyone who can open this page. Use a relay, or say trustedPage: true.";

/// See `index.d.ts`.
#[wasm_bindgen]
pub struct PosConnect {
    pub(super) inner: Rc<Client>,
}

#[wasm_bindgen]
impl PosConnect {
    /// Checks the options; sends nothing.
    pub fn create(options: JsValue) -> Result<PosConnect, JsValue> {
        Ok(Self {
            inner: create(options)?,
        })
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = createIntegration)]
    pub fn create_integration(&self, options: JsValue) -> JsValue {
        let client = self.inner.clone();
        promise(async move {
            let caller = options::signal(options, Operation::CreateIntegration)?;
            let stops = client.stops(caller);
            let session = client.create(stops, Rc::default()).await?;
            Ok(Integration::new(session).into())
        })
    }

    /// See `index.d.ts`.
    pub fn connect(&self, options: JsValue) -> JsValue {
        let client = self.inner.clone();
        promise(async move {
            let reader = Reader::new(options, Operation::Connect);
            let (signal, on_status) = (reader.signal(), reader.function("onStatus"));
            reader.done(())?;
            let frame = || reader.frame(&reader.container_member());
            connect::connect(client, signal, on_status, frame).await
        })
    }

    /// See `index.d.ts`.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}

fn create(options: JsValue) -> Result<Rc<Client>, Failure> {
    if let Some(name) = page::missing_feature() {
        let error = Error::new(ErrorCode::UnsupportedBrowser, Operation::Create);
        return Err(error.detail(&[name, " is missing."]).into());
    }
    let reader = Reader::new(options, Operation::Create);
    reader.done(())?;
    let config = Config::new(&CreateOptions(&reader))?;
    let is_trusted = reader.is_set("trustedPage");
    reader.done(())?;
    let (headers, ereceipt) = (reader.headers()?, reader.ereceipt());
    reader.done(())?;
    let exposes_secret = config.exposes_secret(&page::hostname(), is_trusted);
    if exposes_secret && !WARNED.swap(true, Ordering::Relaxed) {
        js::act(
            &js::named("console"),
            "warn",
            &SECRET_WARNING.into(),
            js::NONE,
        );
    }
    Ok(Client::new(Http { config, headers }, ereceipt))
}

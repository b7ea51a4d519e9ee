//! `PosConnect`.

use super::integration::Integration;
use super::old_options::{CreateOptions, Reader};
use crate::browser::client::Client;
use crate::browser::connect;
use crate::browser::failure::Failure;
use crate::browser::http::Http;
#[cfg(feature = "keypad")]
use crate::browser::keypad::Keypad;
use crate::browser::old::js;
use crate::browser::old::page;
use crate::browser::old::promise::promise;
use crate::browser::old::task::Task;
use crate::browser::vault::Vault;
use crate::config::Config;
use crate::error::{Error, ErrorCode, Operation};
use std::cell::Cell;
use std::rc::Rc;
#[cfg(feature = "keypad")]
use std::rc::Weak;
use std::sync::atomic::{AtomicBool, Ordering};
use wasm_bindgen::prelude::*;

/// Once a page: a till that creates an object per order must not fill its log.
static WARNED: AtomicBool = AtomicBool::new(false);
const SECRET_WARNING: &str = "pos-connect: whoever opens this page can read clientSecret. Use a relay, or say trustedPage: true.";

/// See `index.d.ts`.
#[wasm_bindgen]
pub struct PosConnect {
    pub(super) inner: Rc<Client>,
    /// The last ask of `receiptFor`, which the next one replaces.
    #[cfg(feature = "keypad")]
    pub(super) receipt: Cell<Weak<Keypad>>,
}

#[wasm_bindgen]
impl PosConnect {
    /// Checks the options; sends nothing.
    pub fn create(options: JsValue) -> Result<PosConnect, JsValue> {
        Ok(Self {
            inner: create(options)?,
            #[cfg(feature = "keypad")]
            receipt: Cell::default(),
        })
    }

    /// See `index.d.ts`.
    #[wasm_bindgen(js_name = createIntegration)]
    pub fn create_integration(&self, options: JsValue) -> JsValue {
        self.start(Operation::CreateIntegration, options)
    }

    /// See `index.d.ts`.
    pub fn connect(&self, options: JsValue) -> JsValue {
        self.start(Operation::Connect, options)
    }

    /// See `index.d.ts`.
    pub fn resume(&self, options: JsValue) -> JsValue {
        self.start(Operation::Resume, options)
    }

    /// See `index.d.ts`.
    pub fn connection(&self) -> JsValue {
        self.start(Operation::Connection, JsValue::UNDEFINED)
    }

    /// See `index.d.ts`.
    pub fn forget(&self) -> JsValue {
        self.start(Operation::Forget, JsValue::UNDEFINED)
    }

    /// See `index.d.ts`.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}

impl PosConnect {
    fn start(&self, operation: Operation, options: JsValue) -> JsValue {
        promise(run(self.inner.clone(), operation, options))
    }
}

/// One future for all calls: each of its own would bring 300 bytes of machinery.
async fn run(
    client: Rc<Client>,
    operation: Operation,
    options: JsValue,
) -> Result<JsValue, JsValue> {
    let reader = Reader::new(options, operation);
    let signal = reader.signal();
    let session = match operation {
        Operation::Connect => {
            let on_status = reader.function("onStatus");
            reader.done()?;
            let frame = || reader.frame(&reader.container_member());
            return connect::connect(client, signal, on_status, frame).await;
        }
        Operation::Connection => return Ok(client.connection(operation).await?),
        Operation::Forget => {
            client.forget().await?;
            return Ok(JsValue::UNDEFINED);
        }
        Operation::Resume => {
            reader.all()?;
            client.resume(signal).await?
        }
        _ => {
            reader.all()?;
            let stops = client.stops(signal);
            Some(client.create(stops, Rc::default()).await?)
        }
    };
    Ok(session.map_or(JsValue::NULL, |session| Integration::new(session).into()))
}

fn create(options: JsValue) -> Result<Rc<Client>, Failure> {
    missing(page::missing_feature())?;
    let reader = Reader::new(options, Operation::Create);
    let config = Config::new(&CreateOptions(&reader), &reader.faults);
    let is_trusted = reader.is_set("trustedPage");
    let (headers, ereceipt) = (reader.headers()?, reader.ereceipt());
    let persist = reader.function("persistTokens");
    let is_memory = reader.is_memory();
    reader.all()?;
    if !is_memory {
        check_storage()?;
    }
    let exposes_secret = config.exposes_secret(&page::hostname(), is_trusted);
    if exposes_secret && !WARNED.swap(true, Ordering::Relaxed) {
        let _ = js::on("console", "warn", &SECRET_WARNING.into());
    }
    let vault = Vault::new(config.scope(), is_memory);
    let hands_over = !persist.is_undefined();
    let http = Http {
        config,
        headers,
        persist,
        is_destroyed: Cell::new(false),
    };
    let client = Client::new(http, vault, ereceipt);
    if hands_over {
        let waiting = client.clone();
        Task::start(Box::pin(async move {
            // If it fails, so will the calls that are waited for, and say why.
            let _ = waiting.resume(JsValue::UNDEFINED).await;
        }));
    }
    Ok(client)
}

fn check_storage() -> Result<(), Failure> {
    if js::named("isSecureContext") == false {
        return Err(Failure::new(ErrorCode::InsecureContext, Operation::Create));
    }
    missing(page::missing_storage())
}

fn missing(feature: Option<&str>) -> Result<(), Failure> {
    let Some(name) = feature else {
        return Ok(());
    };
    let error = Error::new(ErrorCode::UnsupportedBrowser, Operation::Create);
    Err(error.detail(&[name, " is missing."]).into())
}

//! The class `PosConnect`: reads the options of its calls, and hands each to the client. Decides nothing.

use super::frame::placed;
use super::given::{VaultKind, labels, sandbox};
use super::integration::{Integration, SignalOptions};
use super::options::{given, read};
use crate::browser::client::{Client, Settings};
use crate::browser::connect::{self, ConnectOptions};
use crate::browser::console;
use crate::browser::enabled::Enabled;
use crate::browser::failure::Failure;
use crate::browser::frame::FrameOptions;
use crate::browser::global;
use crate::browser::headers::HeaderSource;
#[cfg(feature = "keypad")]
use crate::browser::keypad::Keypad;
use crate::browser::task;
use crate::browser::tokens;
use crate::config::{Address, Config, Options};
use crate::error::{Error, ErrorCode, Operation};
use crate::frame::words::Word;
use crate::frame::{self, Sandbox, Theme};
use js_sys::{Function, Promise};
use serde::Deserialize;
#[cfg(feature = "keypad")]
use std::cell::{Cell, RefCell};
use std::rc::Rc;
#[cfg(feature = "keypad")]
use std::rc::Weak;
use std::sync::atomic::{AtomicBool, Ordering};
use wasm_bindgen::prelude::*;
use web_sys::{AbortSignal, Element, Url};

/// Once a page: a till that creates an object per order must not fill its log.
static WARNED: AtomicBool = AtomicBool::new(false);
const SECRET_WARNING: &str = "pos-connect: whoever opens this page can read clientSecret. \
    Use a relay, or set trustedPage: true.";

/// `CreateOptions` in `index.d.ts`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CreateOptions {
    #[serde(deserialize_with = "given")]
    base_url: Option<Url>,
    #[serde(deserialize_with = "given")]
    connect_url: Option<Url>,
    #[serde(deserialize_with = "given")]
    client_id: Option<String>,
    #[serde(deserialize_with = "given")]
    client_secret: Option<String>,
    #[serde(deserialize_with = "given")]
    store_id: Option<String>,
    #[serde(deserialize_with = "given")]
    trusted_page: Option<bool>,
    #[serde(deserialize_with = "given")]
    headers: Option<JsValue>,
    #[serde(deserialize_with = "given")]
    ereceipt: Option<Enabled>,
    #[serde(deserialize_with = "given")]
    persist_tokens: Option<Function>,
    #[serde(deserialize_with = "given")]
    access_token: Option<Function>,
    #[serde(deserialize_with = "given")]
    on_outbox: Option<Function>,
    #[serde(deserialize_with = "given")]
    on_interrupted: Option<Function>,
    #[serde(deserialize_with = "given")]
    on_connected: Option<Function>,
    #[serde(deserialize_with = "given")]
    on_connection_ended: Option<Function>,
    #[serde(deserialize_with = "given")]
    vault: Option<VaultKind>,
    #[serde(deserialize_with = "given")]
    persist_storage: Option<bool>,
}

/// `FlowOptions` in `index.d.ts`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FlowOptions {
    #[serde(deserialize_with = "given")]
    signal: Option<AbortSignal>,
    #[serde(deserialize_with = "given")]
    on_status: Option<Function>,
    #[serde(deserialize_with = "given")]
    labels: Option<JsValue>,
    #[serde(deserialize_with = "given")]
    container: Option<Element>,
    #[serde(deserialize_with = "given")]
    locale: Option<String>,
    #[serde(deserialize_with = "given")]
    theme: Option<Theme>,
    #[serde(deserialize_with = "sandbox")]
    sandbox: Sandbox,
    #[serde(deserialize_with = "given")]
    on_ready: Option<Function>,
    #[serde(deserialize_with = "given")]
    done_seconds: Option<f64>,
}

/// Connects this till to an advertiser account. `index.d.ts` documents it for its users.
///
/// ```js
/// const pos = await PosConnect.create({ baseUrl, connectUrl, clientId, headers });
/// const tokens = await pos.connect();
/// ```
#[wasm_bindgen]
pub struct PosConnect {
    pub(super) inner: Rc<Client>,
    /// The last ask of `receiptFor`, which the next one replaces.
    #[cfg(feature = "keypad")]
    pub(super) receipt: Cell<Weak<Keypad>>,
    /// The calls of `charge` that run, by the order's external id.
    #[cfg(feature = "keypad")]
    pub(super) charges: Rc<RefCell<Vec<(String, Promise)>>>,
}

#[wasm_bindgen]
impl PosConnect {
    /// Checks the options; sends nothing.
    pub fn create(options: JsValue) -> Result<PosConnect, JsValue> {
        Ok(Self {
            inner: create(&options).map_err(|failure| failure.during(Operation::Create))?,
            #[cfg(feature = "keypad")]
            receipt: Cell::default(),
            #[cfg(feature = "keypad")]
            charges: Rc::default(),
        })
    }

    /// Creates an integration (§4.1): a promise of an `Integration`.
    #[wasm_bindgen(js_name = createIntegration)]
    pub fn create_integration(&self, options: JsValue) -> Promise {
        let client = self.inner.clone();
        let options = read::<SignalOptions>(&options);
        task::promise(Operation::CreateIntegration, async move {
            let cancel = client.cancel_by(options?.signal);
            let session = client.create(cancel).await?;
            session.is_pages.set(true);
            Ok(Integration::new(session).into())
        })
    }

    /// The whole flow in one call (§1): a promise of the token set.
    pub fn connect(&self, options: JsValue) -> Promise {
        let client = self.inner.clone();
        let options = read::<FlowOptions>(&options);
        task::promise(Operation::Connect, async move {
            let options = options?;
            let fault = "doneSeconds: is not a number from 0 to 10";
            let done_ms = frame::done_ms(options.done_seconds);
            let done_ms = done_ms.ok_or_else(|| Failure::invalid(fault))?;
            let frame = FrameOptions {
                container: placed(options.container)?,
                labels: labels(options.labels, &Word::ALL.map(Word::name))?,
                locale: options.locale,
                theme: options.theme,
                sandbox: options.sandbox,
                on_ready: options.on_ready,
            };
            let options = ConnectOptions {
                signal: options.signal,
                on_status: options.on_status,
                frame,
                done_ms,
            };
            connect::connect(client, options).await
        })
    }

    /// What an earlier page has left: a promise of an `Integration`, or of `null`.
    pub fn resume(&self, options: JsValue) -> Promise {
        let client = self.inner.clone();
        let options = read::<SignalOptions>(&options);
        task::promise(Operation::Resume, async move {
            let session = client.resume(options?.signal).await?;
            Ok(session.map_or(JsValue::NULL, |session| Integration::new(session).into()))
        })
    }

    /// What is known about the connection: a promise of a `Connection`, or of `null`.
    pub fn connection(&self) -> Promise {
        let client = self.inner.clone();
        task::promise(Operation::Connection, async move {
            let record = client.connection.known().await?;
            Ok(record.map_or(JsValue::NULL, |record| {
                tokens::connection(&record.into_set())
            }))
        })
    }

    /// Erases all that is kept for this account and store in this browser.
    pub fn forget(&self) -> Promise {
        let client = self.inner.clone();
        task::promise(Operation::Forget, async move {
            client.forget().await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Ends the connection for the merchant: a promise of nothing.
    pub fn disconnect(&self, options: JsValue) -> Promise {
        let client = self.inner.clone();
        let options = read::<SignalOptions>(&options);
        task::promise(Operation::Disconnect, async move {
            let cancel = client.cancel_by(options?.signal);
            client.disconnect(&cancel).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Ends every session; a second time does nothing.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}

fn create(options: &JsValue) -> Result<Rc<Client>, Failure> {
    missing(global::missing_feature())?;
    let options: CreateOptions = read(options)?;
    let is_trusted = options.trusted_page == Some(true);
    let is_in_memory = matches!(options.vault, Some(VaultKind::Memory));
    let has_token = options.access_token.is_some();
    let headers = options
        .headers
        .map(|given| HeaderSource::read(&given, has_token));
    let config = Config::new(Options {
        base_url: options.base_url.as_ref().map(address),
        connect_url: options.connect_url.as_ref().map(address),
        client_id: options.client_id,
        client_secret: options.client_secret,
        store_id: options.store_id,
    })?;
    if !is_in_memory {
        check_storage()?;
    }
    let exposes_secret = config.exposes_secret(&global::hostname(), is_trusted);
    if exposes_secret && !WARNED.swap(true, Ordering::Relaxed) {
        console::warn(SECRET_WARNING);
    }
    let hands_over = options.persist_tokens.is_some();
    let prints = options.on_interrupted.is_some();
    let client = Client::new(Settings {
        config,
        headers: headers.transpose()?,
        ereceipt: options.ereceipt,
        persist_tokens: options.persist_tokens,
        access_token: options.access_token,
        on_outbox: options.on_outbox,
        on_interrupted: options.on_interrupted,
        on_connected: options.on_connected,
        on_connection_ended: options.on_connection_ended,
        is_in_memory,
        persists_storage: options.persist_storage != Some(false),
    })?;
    // What an earlier page could not send, and what it left in the middle of a sale.
    client.outbox.hurry();
    // The page's own function is not asked for a token that no order needs yet.
    if client.http.access_token.is_none() {
        client.connection.renew_key(false);
    }
    if prints {
        client.outbox.recover_sales();
    }
    if hands_over {
        let waiting = client.clone();
        task::start(async move {
            // If it fails, so will the calls that somebody waits for, and say why.
            let _ = waiting.resume(None).await;
        });
    }
    Ok(client)
}

fn address(url: &Url) -> Address {
    Address {
        href: url.href(),
        protocol: url.protocol(),
        hostname: url.hostname(),
        origin: url.origin(),
        search: url.search(),
        has_credentials: !url.username().is_empty() || !url.password().is_empty(),
    }
}

fn check_storage() -> Result<(), Failure> {
    if !global::is_secure_context() {
        return Err(Failure::new(ErrorCode::InsecureContext));
    }
    missing(global::missing_storage())
}

fn missing(feature: Option<&str>) -> Result<(), Failure> {
    let Some(name) = feature else {
        return Ok(());
    };
    let error = Error::new(ErrorCode::UnsupportedBrowser);
    Err(error.detail(&[name, " is missing."]).into())
}

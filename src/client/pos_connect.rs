//! The class `PosConnect`: reads the options of its calls, and hands each to the client. Decides nothing.

use super::Client;
use crate::connect::exports::call;
use crate::connect::frame::options::CONNECT;
use crate::connect::integration::CALL;
use crate::connect::{Integration, tokens};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::options::Options;
use crate::core::reader::read;
use crate::core::{console, global, task};
use crate::http::config::{ACCESS_TOKEN, CREATE, Config, HEADERS, ON_INTERRUPTED, PERSIST_TOKENS};
use crate::http::headers::HeaderSource;
use crate::keypad::Keypad;
use crate::orders::exports::{Customers, Orders, Store};
use js_sys::{Function, Promise};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, Ordering};
use wasm_bindgen::prelude::*;

/// Whether this page was warned, which it is once: a till that creates an object per order must not fill its log.
static WARNED: AtomicBool = AtomicBool::new(false);
const SECRET_WARNING: &str = "pos-connect: whoever opens this page can read clientSecret. \
    Use a relay, or set trustedPage: true.";

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
    pub(super) receipt: Cell<Weak<Keypad>>,
    /// The calls of `charge` that run, by the order's body.
    pub(super) charges: Rc<RefCell<Vec<(String, Promise)>>>,
}

#[wasm_bindgen]
impl PosConnect {
    /// Checks the options; sends nothing.
    pub fn create(options: JsValue) -> Result<PosConnect, JsValue> {
        Ok(Self {
            inner: create(&options).map_err(|failure| failure.during(Operation::Create))?,
            receipt: Cell::default(),
            charges: Rc::default(),
        })
    }

    /// Creates an integration (§4.1): a promise of an `Integration`.
    #[wasm_bindgen(js_name = createIntegration)]
    pub fn create_integration(&self, options: JsValue) -> Promise {
        let options = read(&options, CALL);
        let call = call(&self.inner, Operation::CreateIntegration, options);
        call.run(|client, _, cancel| async move {
            let session = client.integrations.create(&cancel).await?;
            session.shown_by_host.set(true);
            Ok(Integration::new(session).into())
        })
    }

    /// The whole flow in one call (§1): a promise of the token set.
    pub fn connect(&self, options: JsValue) -> Promise {
        let call = call(&self.inner, Operation::Connect, read(&options, CONNECT));
        call.run(|client, options, cancel| async move { client.connect.run(options, cancel).await })
    }

    /// What an earlier page has left: a promise of an `Integration`, or of `null`.
    pub fn resume(&self, options: JsValue) -> Promise {
        let call = call(&self.inner, Operation::Resume, read(&options, CALL));
        call.run(|client, _, cancel| async move {
            let session = client.integrations.resume(&cancel).await?;
            Ok(session.map_or(JsValue::NULL, |session| Integration::new(session).into()))
        })
    }

    /// What is known about the connection: a promise of a `Connection`, or of `null`.
    pub fn connection(&self) -> Promise {
        let call = call(&self.inner, Operation::Connection, Ok(Options::default()));
        call.run(|client, _, _| async move {
            let record = client.connection.known().await?;
            Ok(record.map_or(JsValue::NULL, |record| {
                tokens::connection(&record.into_set())
            }))
        })
    }

    /// Tells `state.js`, which holds what a page shows, of changes.
    pub fn observe(&self, changed: Function) {
        self.inner.observe(changed);
    }

    /// Erases all that is kept for this account and store in this browser.
    pub fn forget(&self) -> Promise {
        let call = call(&self.inner, Operation::Forget, Ok(Options::default()));
        call.run(|client, _, _| async move {
            client.forget().await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Ends the connection for the merchant: a promise of nothing.
    pub fn disconnect(&self, options: JsValue) -> Promise {
        let call = call(&self.inner, Operation::Disconnect, read(&options, CALL));
        call.run(|client, _, cancel| async move {
            client.disconnect(&cancel).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// The orders of the connected merchant.
    #[wasm_bindgen(getter)]
    pub fn orders(&self) -> Orders {
        let merchant = self.inner.merchant.clone();
        Orders { merchant }
    }

    /// The profile of the connected merchant's store.
    #[wasm_bindgen(getter)]
    pub fn store(&self) -> Store {
        let merchant = self.inner.merchant.clone();
        Store { merchant }
    }

    /// The customers of the connected merchant.
    #[wasm_bindgen(getter)]
    pub fn customers(&self) -> Customers {
        let merchant = self.inner.merchant.clone();
        Customers { merchant }
    }

    /// Ends every session; a second time does nothing.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}

fn create(options: &JsValue) -> Result<Rc<Client>, Failure> {
    global::require(&["fetch", "AbortController", "URL", "performance", "Promise"])?;
    let options = read(options, CREATE)?;
    let headers: Option<JsValue> = options.page(&HEADERS);
    let has_token = options.has(&ACCESS_TOKEN);
    let headers = headers
        .map(|given| HeaderSource::read(&given, has_token))
        .transpose()?;
    let config = Config::new(&options)?;
    if !config.is_in_memory {
        if !global::is_secure_context() {
            return Err(Failure::new(ErrorCode::InsecureContext));
        }
        global::require(&["indexedDB", "crypto.subtle", "navigator.locks"])?;
    }
    if config.exposes_secret(&global::hostname()) && !WARNED.swap(true, Ordering::Relaxed) {
        console::warn(SECRET_WARNING);
    }
    let client = Client::new(config, headers, &options)?;
    // What an earlier page could not send, and what it left in the middle of a sale.
    client.merchant.outbox.send_now();
    // The page's own function is not asked for a token that no order needs yet.
    if client.browser.http.access_token.is_none() {
        client.connection.renew_key();
    }
    if options.has(&ON_INTERRUPTED) {
        client.merchant.outbox.recover_sales();
    }
    if options.has(&PERSIST_TOKENS) {
        let waiting = client.clone();
        task::start(async move {
            // If it fails, so will the calls that somebody waits for, and say why.
            let _ = waiting
                .integrations
                .resume(&waiting.browser.http.ended)
                .await;
        });
    }
    Ok(client)
}

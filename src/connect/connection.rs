//! What is known about the connection: kept in this browser, and asked of the relay, which knows it for every till of
//! the merchant (extension).

use super::enabled::Enabled;
use super::tokens;
use crate::core::cancellation::Cancellation;
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::listener::Listener;
use crate::core::object::get;
use crate::core::options::Options;
use crate::core::timer::Timer;
use crate::core::{Boxed, console, global, task, weak};
use crate::http::config::{ON_CONNECTED, ON_CONNECTION_ENDED};
use crate::http::endpoint::Method;
use crate::http::headers;
use crate::http::{self, Body, Call};
use crate::platform::Browser;
use crate::vault::connection_record::Record;
use crate::vault::storage::Storage;
use js_sys::{Date, Function};
use pos_connect_protocol::decode;
use pos_connect_protocol::path;
use pos_connect_protocol::relay::path::CONNECTION;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// The relay's answer is good for so many milliseconds: a merchant who switches e-receipts off watches the till.
const FRESH_MS: f64 = 15_000.0;
/// How often a page that sends nothing looks whether it is time to ask, in milliseconds.
const CHECK_MS: f64 = 60_000.0;
/// How long nobody is asked again after "no such path"; also the longest `Retry-After` that counts.
const ABSENT_MS: f64 = 5.0 * 60_000.0;
/// The service keeps a key for much longer, after another one took its place.
const KEY_MS: f64 = 24.0 * 3_600_000.0;
const FORM: &str = "application/x-www-form-urlencoded";

/// Looks after the connection until it is dropped. By a timer, too: a page that never sleeps does not wake, either.
pub type Watch = (Timer, Vec<Listener>);

/// The connection of one vendor account and store.
pub struct Connection {
    browser: Rc<Browser>,
    /// What `create` was told about e-receipts.
    ereceipt: Option<Enabled>,
    /// `onConnected` and `onConnectionEnded`, if the host has them.
    on_change: [Option<Function>; 2],
    /// Called when the connection or the outbox may have changed.
    observer: RefCell<Option<Function>>,
    /// The relay is being asked, and nobody waits for it.
    is_refreshing: Cell<bool>,
    /// When the relay may be asked again: somebody without this extension has answered, or it has named a time.
    asks_from: Cell<f64>,
}

impl Connection {
    /// Asks nothing yet.
    pub fn new(browser: Rc<Browser>, options: &Options) -> Rc<Self> {
        let connection = Rc::new(Self {
            browser: browser.clone(),
            ereceipt: Enabled::of(options),
            on_change: [&ON_CONNECTED, &ON_CONNECTION_ENDED].map(|row| options.page(row)),
            observer: RefCell::default(),
            is_refreshing: Cell::default(),
            asks_from: Cell::default(),
        });
        browser
            .vault
            .listen(weak::handler(&connection, |connection, record| {
                connection.tell(record);
            }));
        connection
    }

    /// Calls `changed` from now on when the connection (`true`) or the outbox (`false`) may have changed.
    pub fn observe(&self, changed: Function) {
        self.observer.replace(Some(changed));
    }

    /// Calls it no more: it holds the object that has this connection, and neither would ever be freed.
    pub fn forget_observer(&self) {
        self.observer.take();
    }

    /// The connection or the outbox may have changed.
    pub fn changed(&self, is_connection: bool) {
        let observer = self.observer.borrow().clone();
        if let Some(observer) = observer {
            let called = observer.call1(&JsValue::UNDEFINED, &is_connection.into());
            console::report("subscribe", called);
        }
    }

    /// Tells the host of a connection, or (`None`) of its end.
    fn tell(&self, record: Option<Record>) {
        self.changed(true);
        if record.is_some() {
            self.browser.vault.drop_key();
            self.browser.vault.connected();
        }
        let [on_connected, on_ended] = &self.on_change;
        let told = match record {
            Some(record) => on_connected.as_ref().map(|on_connected| {
                let connection = tokens::connection(&record.into_set());
                on_connected.call1(&JsValue::UNDEFINED, &connection)
            }),
            None => on_ended
                .as_ref()
                .map(|on_ended| on_ended.call0(&JsValue::UNDEFINED)),
        };
        if let Some(called) = told {
            console::report("onConnected or onConnectionEnded", called);
        }
    }

    /// Watches for the end, so that the host of a till that sends nothing hears of it. `None` if it does not want to,
    /// or nobody can be asked.
    pub fn watch(self: &Rc<Self>) -> Option<Watch> {
        let is_wanted = self.on_change[1].is_some() || self.observer.borrow().is_some();
        if !is_wanted || !self.is_relay() {
            return None;
        }
        let look: Rc<dyn Fn()> = Rc::new(weak::callback(self, Self::look));
        let listeners = global::on_wake(look.clone());
        Some((Timer::every(CHECK_MS, move || look()), listeners))
    }

    /// Asks the relay, if it is time. An observer asks `connection()`: it also hears of a connection of another till.
    fn look(self: &Rc<Self>) {
        if self.observer.borrow().is_some() {
            self.changed(true);
        } else {
            task::start(self.clone().refresh_if_due());
        }
    }

    /// Asks the relay, if this browser has a record and has not asked for a while.
    async fn refresh_if_due(self: Rc<Self>) {
        if let Ok(Some(record)) = self.browser.vault.record().await
            && self.is_due(Some(&record))
        {
            self.refresh();
        }
    }

    /// What is known. A relay is asked if this browser knows nothing, or has not asked for a while; if it does not
    /// answer, what this browser knows counts.
    pub async fn known(&self) -> Result<Option<Record>, Failure> {
        let record = self.browser.vault.record().await?;
        if !self.is_due(record.as_ref()) {
            return Ok(record);
        }
        match self.ask_relay().await {
            Err(failure) if record.is_some() => {
                self.rest(&failure);
                Ok(record)
            }
            asked => asked,
        }
    }

    /// Whether the shopper of an order is asked: what the call says, else what `create` was told, else the record.
    pub fn asks_shopper(
        self: Rc<Self>,
        of_call: &Options,
    ) -> impl Future<Output = Result<bool, JsValue>> + use<> {
        let enabled = Enabled::of(of_call).or_else(|| self.ereceipt.clone());
        async move {
            self.renew_key();
            match enabled {
                Some(enabled) => enabled.is_enabled().await,
                None => {
                    let known = self.has_ereceipts().await;
                    known.map_err(|failure| failure.during(Operation::ReceiptFor))
                }
            }
        }
    }

    /// Whether the merchant has e-receipts, at once: an older record is good enough, and is asked for behind it. Fails
    /// if nobody knows of a connection.
    async fn has_ereceipts(self: &Rc<Self>) -> Result<bool, Failure> {
        let record = match self.browser.vault.record().await {
            Ok(Some(record)) => {
                if self.is_due(Some(&record)) {
                    self.refresh();
                }
                Some(record)
            }
            _ => self.known().await?,
        };
        match record {
            Some(record) => Ok(record.ereceipt),
            None => Err(Failure::new(ErrorCode::NotConnected)),
        }
    }

    /// Asks the relay, and waits for nothing.
    pub fn refresh(self: &Rc<Self>) {
        if !self.is_relay() || self.is_refreshing.replace(true) {
            return;
        }
        let connection = self.clone();
        task::start(async move {
            // What fails now is asked again with the next order.
            let asked = connection.ask_relay().await;
            connection.is_refreshing.set(false);
            match asked {
                Ok(Some(_)) => connection.changed(true),
                // The end was told.
                Ok(None) => {}
                Err(failure) => connection.rest(&failure),
            }
        });
    }

    /// Asks the relay no sooner than it said, but after five minutes: a proxy may say any time.
    fn rest(&self, failure: &Failure) {
        let rest = failure.error.retry_after_ms.unwrap_or_default();
        self.asks_from.set(global::now() + rest.min(ABSENT_MS));
    }

    /// A call for the merchant has failed: if the connection is over, the host is told.
    pub fn on_call_failed(self: &Rc<Self>, failure: &Failure) {
        if is_over(failure) {
            self.refresh();
        }
    }

    /// Has the service's key for the numbers to come, and waits for nothing.
    pub fn renew_key(self: &Rc<Self>) {
        let connection = self.clone();
        task::start(async move {
            // What fails now is asked again with a later order.
            let _ = connection.ask_key().await;
        });
    }

    /// What the link of a receipt begins with, if the service lets tills make links. A browser that does not know yet
    /// asks.
    pub async fn receipt_url(self: Rc<Self>) -> Option<String> {
        let vault = &self.browser.vault;
        if vault.keys().await.is_none() {
            self.fetch_keys().await.ok()?;
        }
        get(&vault.keys().await?, "receiptUrl").as_string()
    }

    async fn ask_key(&self) -> Result<(), Failure> {
        let now = global::now();
        let due_at = &self.browser.vault.key_due_at;
        // Who is not connected has none.
        let is_connected = self.browser.http.access_token.is_some()
            || self.browser.vault.record().await?.is_some();
        if is_connected && now >= due_at.get() {
            due_at.set(now + ABSENT_MS);
            self.fetch_keys().await?;
            due_at.set(now + KEY_MS);
        }
        Ok(())
    }

    // It is boxed because two callers await it.
    fn fetch_keys(&self) -> Boxed<'_, Result<(), Failure>> {
        Box::pin(async move {
            let url = self.browser.http.config.operation_url(path::KEYS);
            let call = Call::bare(Operation::SendOrder, Method::Get, url);
            let cancel = Cancellation::default();
            let answer = self.browser.http.send(call, &cancel).await?;
            self.browser.vault.note_key(answer);
            Ok(())
        })
    }

    /// Ends the connection for the merchant, at the relay, or else at the service.
    pub async fn end(&self, cancel: &Cancellation) -> Result<(), Failure> {
        if self.is_relay() {
            let url = self.browser.http.config.operation_url(CONNECTION);
            let call = Call::bare(Operation::Disconnect, Method::Delete, url);
            self.browser.http.send(call, cancel).await?;
            return Ok(());
        }
        let token = match &self.browser.http.access_token {
            Some(token) if self.browser.http.config.has_secret() => {
                headers::access_token(token).await?
            }
            _ => {
                let fault = "disconnect: needs a relay, or accessToken and clientSecret";
                return Err(Failure::invalid(fault));
            }
        };
        let call = Call {
            operation: Operation::Disconnect,
            method: Method::Post,
            url: self.browser.http.config.operation_url(path::REVOKE),
            body: Some(Body {
                text: self.browser.http.config.revocation(&token),
                kind: FORM,
                key: None,
            }),
        };
        self.browser.http.send(call, cancel).await?;
        Ok(())
    }

    /// Whether a relay may stand behind the base URL: then the page has neither the secret nor a token.
    fn is_relay(&self) -> bool {
        !self.browser.http.config.has_secret() && self.browser.http.access_token.is_none()
    }

    fn is_due(&self, record: Option<&Record>) -> bool {
        let checked_at = record.and_then(|record| record.checked_at);
        let age = checked_at.map(|checked_at| Date::now() - checked_at);
        // A clock that was set back makes an age negative.
        let is_fresh = age.is_some_and(|age| (0.0..FRESH_MS).contains(&age));
        self.is_relay() && global::now() >= self.asks_from.get() && !is_fresh
    }

    async fn ask_relay(&self) -> Result<Option<Record>, Failure> {
        let url = self.browser.http.config.operation_url(CONNECTION);
        let call = Call::bare(Operation::Connection, Method::Get, url);
        match self.browser.http.send(call, &Cancellation::default()).await {
            Ok(body) => {
                let Some(set) = http::read(&body, decode::connection)? else {
                    self.ended().await?;
                    return Ok(None);
                };
                let is_new = self.browser.vault.record().await?.is_none();
                self.browser.vault.note_record(&set, is_new);
                self.browser.vault.record().await
            }
            Err(failure) if is_over(&failure) => {
                self.ended().await?;
                Ok(None)
            }
            Err(failure) if failure.error.status == Some(404) => {
                self.asks_from.set(global::now() + ABSENT_MS);
                self.browser.vault.record().await
            }
            Err(failure) => Err(failure),
        }
    }

    /// Erases the record, and tells the host, if there was one: once in this browser.
    async fn ended(&self) -> Result<(), Failure> {
        if self.browser.vault.record().await?.is_none() {
            return Ok(());
        }
        self.browser.vault.erase(self.browser.vault.scope()).await?;
        self.browser.vault.tell("");
        self.tell(None);
        Ok(())
    }
}

fn is_over(failure: &Failure) -> bool {
    matches!(
        failure.code(),
        ErrorCode::NotConnected | ErrorCode::ConnectionEnded
    )
}

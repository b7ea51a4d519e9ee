//! The vault of one vendor account and store: what survives this page, and the locks between pages.
//!
//! Each entry is one JSON text, in IndexedDB (sealed) or, with `vault: "memory"`, in this page.

use super::connection_record::Record;
use super::indexed_db;
use super::lease::{self, Locks};
use super::lock::{self, Lock};
use super::memory::Memory;
use super::seal::random_letters;
use super::storage::{Action, Found, Purpose, Range, Storage};
use crate::core::cancellation::timeout;
use crate::core::channel::Channel;
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use crate::core::object::{self, get};
use crate::core::{Boxed, task};

use js_sys::JSON;
use pos_connect_protocol::decode::TokenSet;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::{Cell, OnceCell, RefCell};
use wasm_bindgen::JsValue;

/// The storage failed. Why is not passed on: the browser's texts may hold a URL.
pub struct StorageError;

impl From<JsValue> for StorageError {
    fn from(_: JsValue) -> Self {
        Self
    }
}

impl From<StorageError> for Failure {
    fn from(_: StorageError) -> Self {
        Self::new(ErrorCode::VaultFailed)
    }
}

/// The entries of one vendor account and store in this browser.
pub struct Vault {
    /// What their ids begin with. By itself it is the id of the connection record.
    scope: String,
    /// With `vault: "memory"`.
    memory: Option<Memory>,
    /// To the other pages; `None` if they share nothing with this one.
    channel: OnceCell<Channel>,
    /// The service's answer about its keys that was read last, or noted.
    keys: RefCell<Option<JsValue>>,
    /// When the service is to be asked for it again, by the page's own clock.
    pub key_due_at: Cell<f64>,
    /// What a new connection makes possible.
    on_connected: OnceCell<Box<dyn Fn()>>,
}

impl Vault {
    /// Opens nothing yet.
    pub fn new(scope: String, is_memory: bool) -> Self {
        Self {
            scope,
            memory: is_memory.then(Memory::default),
            channel: OnceCell::new(),
            keys: RefCell::default(),
            key_due_at: Cell::new(f64::NEG_INFINITY),
            on_connected: OnceCell::new(),
        }
    }

    /// Whether it ends with the page.
    pub fn is_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// What the last token set said about the connection; `None` if there was none, or if it can't be read.
    pub async fn record(&self) -> Result<Option<Record>, Failure> {
        let found = self.find(&self.scope).await?;
        let record: Option<Record> = found.and_then(|found| Self::from_text(&found.text?));
        Ok(record.filter(|record| record.id == self.scope))
    }

    /// Keeps what a token set says about the connection, without waiting for it. Tells the other pages of a connection
    /// that `is_new`.
    pub fn note_record(&self, set: &TokenSet, is_new: bool) {
        if let Ok(text) = Self::to_text(&Record::new(&self.scope, set)) {
            if is_new {
                self.tell(&text);
                self.connected();
            }
            let id = self.scope.clone();
            self.perform_later(Action::Write { id, text });
        }
    }

    /// Calls `act` from now on when the merchant has connected, in this page or in another one.
    pub fn on_connected(&self, act: impl Fn() + 'static) {
        let _ = self.on_connected.set(Box::new(act));
    }

    /// The merchant has connected.
    pub fn connected(&self) {
        if let Some(act) = self.on_connected.get() {
            act();
        }
    }

    /// Hears of other pages that the merchant has connected, or (`None`) that the connection is over.
    pub fn listen(&self, heard: impl Fn(Option<Record>) + 'static) {
        if self.memory.is_none() {
            let name = ["pos-connect connection ", self.scope.as_str()];
            let channel = Channel::open(&name, move |text| heard(Self::from_text(&text)));
            let _ = channel.map(|channel| self.channel.set(channel));
        }
    }

    /// Hears nothing any more, and can still tell.
    pub fn deafen(&self) {
        if let Some(channel) = self.channel.get() {
            channel.deafen();
        }
    }

    /// Tells the other pages of a connection by its record; by an empty text that it is over.
    pub fn tell(&self, record: &str) {
        if let Some(channel) = self.channel.get() {
            channel.post(record);
        }
    }

    /// The key that numbers are sealed for, if this browser knows one.
    pub async fn key(&self) -> Option<JsValue> {
        let keys = get(&self.keys().await?, "keys");
        Some(get(&keys, "0")).filter(JsValue::is_object)
    }

    /// The service's answer about its keys, if this browser knows one.
    pub fn keys(&self) -> Boxed<'_, Option<JsValue>> {
        Box::pin(async move {
            let known = self.keys.borrow().clone();
            if known.is_some() {
                return known;
            }
            let found = self.find(&self.key_id()).await;
            self.hold_keys(&found.ok()??.text?)
        })
    }

    /// Keeps the service's answer about its keys, without waiting for it.
    pub fn note_key(&self, answer: String) {
        self.hold_keys(&answer);
        let id = self.key_id();
        self.perform_later(Action::Write { id, text: answer });
    }

    /// Lets go of the key: it is another store's, or the service has it no more.
    pub fn forget_key(&self) {
        self.drop_key();
        self.perform_later(Action::Erase(Range::One(self.key_id())));
    }

    /// Lets go of this page's copy: another page has connected, maybe to another store.
    pub fn drop_key(&self) {
        self.keys.take();
        self.key_due_at.set(f64::NEG_INFINITY);
    }

    fn hold_keys(&self, answer: &str) -> Option<JsValue> {
        let keys = JSON::parse(answer).ok();
        self.keys.replace(keys.clone());
        keys
    }

    /// Begins with the scope, and so is erased with all of the connection.
    fn key_id(&self) -> String {
        [self.scope.as_str(), "key"].concat()
    }

    /// Erases integrations, connection record and key. Orders stay.
    pub async fn erase_connection(&self) -> Result<(), Failure> {
        self.drop_key();
        let range = Range::Scope(self.scope.clone());
        self.perform(Action::Erase(range)).await?;
        Ok(())
    }
}

impl Locks for Vault {
    type Lock = Lock;

    async fn request(&self, name: &str, steals: bool) -> Result<Option<Lock>, Failure> {
        Ok(match &self.memory {
            Some(memory) => Some(lock::in_page(memory.mutex(name.to_owned())).await),
            None => lock::in_browser(name, steals).await?,
        })
    }

    fn timeout<T>(
        &self,
        ms: f64,
        work: impl Future<Output = T>,
    ) -> impl Future<Output = Option<T>> {
        timeout(ms, work)
    }
}

impl Storage for Vault {
    type Lock = Lock;

    fn scope(&self) -> &str {
        &self.scope
    }

    async fn lock(&self, purpose: Purpose, id: &str) -> Result<Lock, Failure> {
        let lease = purpose.lease_ms().filter(|_| !self.is_memory());
        lease::acquire(self, &purpose.name(id), lease).await
    }

    fn is_stolen(lock: &Lock) -> bool {
        lock.is_stolen
    }

    fn letters() -> Result<String, Failure> {
        Ok(random_letters()?)
    }

    fn perform(&self, action: Action) -> Boxed<'_, Result<Vec<Found>, Failure>> {
        Box::pin(async move {
            if let Some(memory) = &self.memory {
                return Ok(memory.perform(action));
            }
            Ok(indexed_db::perform(action).await?)
        })
    }

    fn perform_later(&self, action: Action) {
        if let Some(memory) = &self.memory {
            memory.perform(action);
            return;
        }
        // Called here, not in the task: it takes its turn before whatever is read or written next.
        let writing = indexed_db::perform(action);
        task::start(async move {
            let _ = writing.await;
        });
    }

    fn to_text<T: Serialize>(kept: &T) -> Result<String, Failure> {
        object::stringify(&object::serialized(kept)).map_err(|_| StorageError.into())
    }

    fn from_text<T: DeserializeOwned>(text: &str) -> Option<T> {
        object::read(JSON::parse(text).ok()?)
    }
}

//! The vault of one vendor account and store: what survives this page, and the locks between pages.
//!
//! Each entry is one JSON text, in IndexedDB (sealed) or, with `vault: "memory"`, in this page.

use super::connection_record::Record;
use super::indexed_db;
use super::lock::{self, Lock, Purpose};
use super::memory::Memory;
use super::record::IntegrationRecord;
use super::seal::random_letters;
use super::text::{from_text, to_text};
use crate::core::cancellation::timeout;
use crate::core::channel::Channel;
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use crate::core::task::{self, Boxed};

use js_sys::{JSON, Reflect};
use pos_connect_protocol::decode::TokenSet;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsValue;

/// Longer than a pick-up takes: four calls of 30 s, and the waits between them.
const LOCK_MS: f64 = 150_000.0;

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

/// What the storage is to do.
pub enum Action {
    /// Read these entries, at most so many: those whose ids come first.
    Read(Range, u32),
    /// Give the first and the last id of those that begin so; nothing is opened.
    Ends(String),
    /// Give all ids that begin so; nothing is opened.
    Ids(String),
    /// Keep a JSON text under an id, durably.
    Write {
        /// Names the entry.
        id: String,
        /// What is kept.
        text: String,
    },
    /// Erase an entry that is as it was read, and keep a JSON text under an id in its place, both or neither. Finds
    /// something if it was.
    Replace {
        /// Names the entry that goes.
        from: String,
        /// What it was.
        version: Vec<u8>,
        /// Id and text of the entry that comes.
        by: Option<(String, String)>,
    },
    /// Erase these entries.
    Erase(Range),
    /// Erase a key that can't be read, if nothing is sealed under it.
    EraseDamagedKey,
}

/// Which entries.
pub enum Range {
    /// The one with this id.
    One(String),
    /// All whose ids begin with it.
    Scope(String),
}

/// An entry that the storage has.
#[derive(Default)]
pub struct Found {
    /// Names it.
    pub id: String,
    /// Its JSON text; `None` if it is damaged, its key is gone, or only its id was asked for.
    pub text: Option<String>,
    /// Another one after each write; empty where no other page can write.
    pub version: Vec<u8>,
}

impl Found {
    /// An id that was asked for.
    pub(super) fn id(id: &JsValue) -> Self {
        Self {
            id: id.as_string().unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// The entries of one vendor account and store in this browser.
pub struct Vault {
    /// What their ids begin with. By itself it is the id of the connection record.
    scope: String,
    /// With `vault: "memory"`.
    memory: Option<Memory>,
    /// To the other pages; `None` if they share nothing with this one.
    channel: RefCell<Option<Channel>>,
    /// What was read last, or noted.
    key: RefCell<Option<JsValue>>,
    /// When the service is to be asked for it again, by the page's own clock.
    pub key_due_at: Cell<f64>,
}

impl Vault {
    /// Opens nothing yet.
    pub fn new(scope: String, is_memory: bool) -> Self {
        Self {
            scope,
            memory: is_memory.then(Memory::default),
            channel: RefCell::default(),
            key: RefCell::default(),
            key_due_at: Cell::new(f64::NEG_INFINITY),
        }
    }

    /// What the ids begin with.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Whether it ends with the page.
    pub fn is_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// An id for a new entry.
    pub fn fresh_id(&self) -> Result<String, Failure> {
        let letters = random_letters()?;
        Ok([self.scope.as_str(), &letters].concat())
    }

    /// The entry with the id of `identity`. One that was never kept, or was erased, is made from `identity`. So is one
    /// that can't be read, and its tokens may have been taken: it counts as unanswered.
    pub async fn read(&self, identity: &IntegrationRecord) -> Result<IntegrationRecord, Failure> {
        let found = self.find(&identity.id).await?;
        let unanswered = found.is_some();
        let kept = found.and_then(|found| from_text(&found.text?));
        Ok(kept.unwrap_or_else(|| IntegrationRecord {
            unanswered,
            is_lost: true,
            ..identity.clone()
        }))
    }

    /// Keeps an entry. When this is done, the entry survives a crash.
    pub async fn write(&self, entry: &IntegrationRecord) -> Result<(), Failure> {
        let text = to_text(entry)?;
        let id = entry.id.clone();
        self.perform(Action::Write { id, text }).await?;
        Ok(())
    }

    /// Keeps an entry without waiting for it, because the page can do without.
    pub fn note(&self, entry: &IntegrationRecord) {
        if let Ok(text) = to_text(entry) {
            self.put_later(&entry.id, text);
        }
    }

    /// What the last token set said about the connection; `None` if there was none, or if it can't be read.
    pub async fn record(&self) -> Result<Option<Record>, Failure> {
        let found = self.find(&self.scope).await?;
        let record: Option<Record> = found.and_then(|found| from_text(&found.text?));
        Ok(record.filter(|record| record.held))
    }

    /// Keeps what a token set says about the connection, without waiting for it. Tells the other pages of a connection
    /// that `is_new`.
    pub fn note_record(&self, set: &TokenSet, is_new: bool) {
        if let Ok(text) = to_text(&Record::new(&self.scope, set)) {
            if is_new {
                self.tell(&text);
            }
            self.put_later(&self.scope, text);
        }
    }

    /// Hears of other pages that the merchant has connected, or (`None`) that the connection is over.
    pub fn listen(&self, heard: impl Fn(Option<Record>) + 'static) {
        if self.memory.is_none() {
            let name = ["pos-connect connection ", self.scope.as_str()];
            let channel = Channel::open(&name, move |text| heard(from_text(text)));
            self.channel.replace(channel);
        }
    }

    /// Hears nothing any more, and can still tell.
    pub fn deafen(&self) {
        if let Some(channel) = &mut *self.channel.borrow_mut() {
            channel.deafen();
        }
    }

    /// Tells the other pages that the connection is over.
    pub fn tell_end(&self) {
        self.tell("");
    }

    fn tell(&self, record: &str) {
        if let Some(channel) = &*self.channel.borrow() {
            channel.post(record);
        }
    }

    /// The key that numbers are sealed for, if this browser knows one.
    pub fn key(&self) -> Boxed<'_, Option<JsValue>> {
        Box::pin(async move {
            let known = self.key.borrow().clone();
            if known.is_some() {
                return known;
            }
            let found = self.find(&self.key_id()).await;
            self.hold_key(&found.ok()??.text?)
        })
    }

    /// Keeps the service's answer about its keys, without waiting for it.
    pub fn note_key(&self, answer: String) {
        self.hold_key(&answer);
        self.put_later(&self.key_id(), answer);
    }

    /// Lets go of the key: it is another store's, or the service has it no more.
    pub fn forget_key(&self) {
        self.key.take();
        self.key_due_at.set(f64::NEG_INFINITY);
        self.do_later(Action::Erase(Range::One(self.key_id())));
    }

    fn hold_key(&self, answer: &str) -> Option<JsValue> {
        let key = Some(first_key(answer)).filter(JsValue::is_object);
        self.key.replace(key.clone());
        key
    }

    /// Erased with the connection record.
    fn key_id(&self) -> String {
        [self.scope.as_str(), "key"].concat()
    }

    /// All entries that can be read.
    pub async fn list(&self) -> Result<Vec<IntegrationRecord>, Failure> {
        let found = self.all().await?;
        let entries = found
            .iter()
            .filter_map(|found| from_text(found.text.as_deref()?));
        // The connection record has no token.
        Ok(entries
            .filter(|entry: &IntegrationRecord| !entry.token.is_empty())
            .collect())
    }

    /// The ids of everything that is kept, also of what can't be read.
    pub async fn ids(&self) -> Result<Vec<String>, Failure> {
        let found = self.perform(Action::Ids(self.scope.clone()));
        Ok(found.await?.into_iter().map(|found| found.id).collect())
    }

    /// Erases one entry.
    pub async fn erase(&self, id: &str) -> Result<(), Failure> {
        let range = Range::One(id.into());
        self.perform(Action::Erase(range)).await?;
        Ok(())
    }

    /// Erases everything of the account and store, the connection record included.
    pub async fn erase_all(&self) -> Result<(), Failure> {
        self.key.take();
        let range = Range::Scope(self.scope.clone());
        self.perform(Action::Erase(range)).await?;
        Ok(())
    }

    /// Lets the storage begin anew after everything was erased, if its key can't be read.
    pub async fn erase_damaged_key(&self) -> Result<(), Failure> {
        self.perform(Action::EraseDamagedKey).await?;
        Ok(())
    }

    /// Waits until no page of this browser holds the lock, and takes it. Fails after two and a half minutes: its holder
    /// may be a page that the storage has let down, and it answers whoever asks again later. A lock with a lease is
    /// taken away from who has held it longer: the browser may have frozen that page.
    pub async fn lock(&self, purpose: Purpose, id: &str) -> Result<Lock, Failure> {
        let name = purpose.name(id);
        let lease = purpose.lease_ms().filter(|_| !self.is_memory());
        let mut steals = false;
        loop {
            let limit = lease.filter(|_| !steals);
            let lock = timeout(limit.unwrap_or(LOCK_MS), async {
                match &self.memory {
                    Some(memory) => Ok(Some(lock::in_page(memory.mutex(name.clone())).await)),
                    None => lock::in_browser(&name, steals).await,
                }
            });
            match lock.await {
                Some(Ok(Some(lock))) => return Ok(lock),
                // The one who took it away has it for as long as a lease lasts.
                Some(Ok(None)) => steals = false,
                None if limit.is_some() => steals = true,
                Some(Err(_)) | None => return Err(StorageError.into()),
            }
        }
    }

    async fn all(&self) -> Result<Vec<Found>, Failure> {
        let range = Range::Scope(self.scope.clone());
        self.perform(Action::Read(range, u32::MAX)).await
    }

    async fn find(&self, id: &str) -> Result<Option<Found>, Failure> {
        let range = Range::One(id.into());
        let found = self.perform(Action::Read(range, u32::MAX)).await?;
        Ok(found.into_iter().next())
    }

    /// Does what the storage is to do. Boxed: each caller would carry a copy of the machinery.
    pub fn perform(&self, action: Action) -> Boxed<'_, Result<Vec<Found>, Failure>> {
        Box::pin(async move {
            if let Some(memory) = &self.memory {
                return Ok(memory.perform(action));
            }
            Ok(indexed_db::perform(action).await?)
        })
    }

    fn put_later(&self, id: &str, text: String) {
        let id = id.to_owned();
        self.do_later(Action::Write { id, text });
    }

    fn do_later(&self, action: Action) {
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
}

/// The first of the service's keys, in its answer; undefined if there is none.
fn first_key(answer: &str) -> JsValue {
    let answer = JSON::parse(answer).unwrap_or_default();
    let member =
        |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or_default();
    member(&member(&answer, "keys"), "0")
}

//! The pick-up of one integration (§4.4): one page at a time, what is about to happen is written down first, and the
//! response is kept before anybody looks at it. See "The pick-up" in ARCHITECTURE.md.

use super::retry::RetryPolicy;
use super::tokens;
use crate::core::cancellation::{Cancellation, race, settled, sleep};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::core::{console, task};
use crate::http::{self, Call, Http};
use crate::vault::Vault;
use crate::vault::lock::{Lock, Purpose};
use crate::vault::record::{self, IntegrationRecord};
use gloo_net::http::Method;
use js_sys::Promise;
use pos_connect_protocol::decode::{self, TokenSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

const OPERATION: Operation = Operation::FetchTokens;
const UNKEPT: &str = "pos-connect: the tokens are here, but will not survive a reload";

/// The pick-up of one integration, and its entry in the vault.
pub struct PickUp {
    http: Rc<Http>,
    vault: Rc<Vault>,
    /// What stays known of the entry if it vanishes.
    identity: IntegrationRecord,
    /// The promise of the pick-up that runs or has succeeded, until the tokens are handed over.
    tokens: RefCell<Option<Promise>>,
    may_fetch_again: Cell<bool>,
    unkept: RefCell<Option<Unkept>>,
}

/// An entry that the storage would not take.
struct Unkept {
    entry: IntegrationRecord,
    /// The pick-up lock: no other page may ask as long as it can't know of the tokens.
    _lock: Option<Lock>,
}

impl PickUp {
    /// The pick-up of the integration that an entry belongs to.
    pub fn new(http: Rc<Http>, vault: Rc<Vault>, entry: &IntegrationRecord) -> Rc<Self> {
        Rc::new(Self {
            http,
            vault,
            identity: entry.identity(),
            tokens: RefCell::default(),
            may_fetch_again: Cell::new(false),
            unkept: RefCell::default(),
        })
    }

    /// Names the entry.
    pub fn id(&self) -> &str {
        &self.identity.id
    }

    /// The integration token (§2.1).
    pub fn token(&self) -> &str {
        &self.identity.token
    }

    /// The digits that the connect page shows, too, if the service has such a code.
    pub fn code(&self) -> Option<&str> {
        self.identity.code.as_deref()
    }

    /// Makes the calls.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// Whether the last pick-up failed in a way that another one may cure.
    pub fn may_fetch_again(&self) -> bool {
        self.may_fetch_again.get()
    }

    /// Picks the token set up. Overlapping calls share one pick-up, and a repeated call gives the same object until the
    /// tokens are handed over. `then` runs after a pick-up that this call has started, once the tokens are here.
    pub async fn fetch(
        self: &Rc<Self>,
        cancel: Cancellation,
        then: impl FnOnce() + 'static,
    ) -> Result<JsValue, Rejection> {
        cancel.check()?;
        let known = self.tokens.borrow().clone();
        let promise = known.unwrap_or_else(|| {
            let promise = task::promise(OPERATION, self.clone().run(then));
            self.tokens.replace(Some(promise.clone()));
            promise
        });
        // Not the end of the object: a pick-up under way is still delivered.
        let cancel = Cancellation {
            owner: None,
            ..cancel
        };
        Ok(race(settled(&promise), &cancel).await??)
    }

    /// Takes a lock of this integration.
    pub async fn lock(&self, purpose: Purpose) -> Result<Lock, Failure> {
        self.vault.lock(purpose, self.id()).await
    }

    /// The entry as it is now. Where the storage would not take it, a copy: a change that can't be written has not
    /// happened.
    pub async fn entry(&self) -> Result<IntegrationRecord, Failure> {
        let unkept = self
            .unkept
            .borrow()
            .as_ref()
            .map(|unkept| unkept.entry.clone());
        match unkept {
            Some(entry) => Ok(entry),
            None => self.vault.read(&self.identity).await,
        }
    }

    /// Writes the entry.
    pub async fn write(&self, entry: &IntegrationRecord) -> Result<(), Failure> {
        self.vault.write(entry).await
    }

    /// Erases the entry.
    pub async fn erase(&self) -> Result<(), Failure> {
        self.vault.erase(self.id()).await
    }

    /// Notes what a token set says about the connection.
    pub fn note_connection(&self, set: &TokenSet) {
        self.vault.note_record(set, true);
    }

    /// Lets go of tokens that the storage would not take, and of the lock on them.
    pub fn release(&self) {
        self.unkept.take();
    }

    /// Lets go of the tokens.
    pub fn forget(&self) {
        self.release();
        self.tokens.take();
    }

    async fn run(self: Rc<Self>, then: impl FnOnce()) -> Result<JsValue, Rejection> {
        let result = self.pick_up().await;
        let code = result.as_ref().err().map(Failure::code);
        self.may_fetch_again
            .set(code.is_some_and(ErrorCode::retryable));
        match result {
            Ok(_) => then(),
            Err(_) => self.forget_promise(),
        }
        Ok(result?)
    }

    fn forget_promise(&self) {
        self.tokens.take();
    }

    /// Never ended early: giving the response up would lose it.
    async fn pick_up(&self) -> Result<JsValue, Failure> {
        let lock = self.lock(Purpose::PickUp).await?;
        let mut entry = self.vault.read(&self.identity).await?;
        if let Some(code) = entry.over() {
            self.note_told(&mut entry);
            return Err(Failure::new(code));
        }
        if let Some(body) = entry.body.clone() {
            match self.open(&mut entry, &body) {
                Err(failure) if failure.error.may_be_cut() => {}
                opened => return opened,
            }
        }
        self.request(entry, lock).await
    }

    /// Asks for the tokens until there is a result.
    async fn request(&self, mut entry: IntegrationRecord, lock: Lock) -> Result<JsValue, Failure> {
        let mut policy = RetryPolicy::new(entry.unanswered, entry.pickup.is_some());
        policy.is_lost = entry.is_lost;
        entry.unanswered = true;
        self.write(&entry).await?;
        let mut lock = Some(lock);
        loop {
            let call = self.call(&policy, &entry);
            let opened = match self.http.send(call, &Cancellation::default()).await {
                Ok(body) => self.keep(&mut entry, body, &mut lock).await,
                Err(failure) => Err(failure),
            };
            let mut failure = match opened {
                Ok(tokens) => return Ok(tokens),
                Err(failure) => failure,
            };
            if failure.error.may_be_cut() {
                entry.body = None;
            }
            let Some(wait) = policy.failed(&mut failure.error) else {
                self.settle(entry, &policy, failure.code()).await;
                return Err(failure);
            };
            sleep(wait).await;
        }
    }

    fn call(&self, policy: &RetryPolicy, entry: &IntegrationRecord) -> Call {
        let (config, pickup_id) = (&self.http.config, entry.pickup.as_deref());
        let method = match policy.is_reissue {
            true => Method::POST,
            false => Method::GET,
        };
        let url = config.token_url(self.token(), pickup_id, policy.is_reissue);
        Call::bare(OPERATION, method, url)
    }

    /// Keeps a raw body, then reads it.
    async fn keep(
        &self,
        entry: &mut IntegrationRecord,
        body: String,
        lock: &mut Option<Lock>,
    ) -> Result<JsValue, Failure> {
        entry.body = Some(body.clone());
        // The merchant may have chosen another store, and the key is for one.
        self.vault.forget_key();
        let written = self.write(entry).await;
        let opened = self.open(entry, &body);
        if let (Err(failure), Ok(_)) = (written, &opened) {
            // The tokens are here all the same.
            console::error(UNKEPT, &failure.during(OPERATION));
            self.unkept.replace(Some(Unkept {
                entry: entry.clone(),
                _lock: lock.take(),
            }));
            if self.tokens.borrow().is_none() {
                // Forgotten meanwhile: `forget` waits for the lock.
                self.forget();
            }
        }
        opened
    }

    /// Reads a kept body, and notes what it says about the connection.
    fn open(&self, entry: &mut IntegrationRecord, body: &str) -> Result<JsValue, Failure> {
        let set = http::read(body, decode::token_set)?;
        self.note_connection(&set);
        if set.tokens.is_none() && !entry.held {
            // Nothing to hand over: the relay has them.
            entry.held = true;
            self.vault.note(entry);
        }
        Ok(tokens::to_js(&set).into())
    }

    /// Notes what a failed pick-up has settled. If the storage fails, the doubt stays.
    async fn settle(&self, mut entry: IntegrationRecord, policy: &RetryPolicy, code: ErrorCode) {
        let is_final = record::is_final(code);
        if is_final {
            entry.end(code);
        }
        entry.unanswered = policy.unanswered;
        let _ = self.write(&entry).await;
        if is_final {
            self.note_told(&mut entry);
        }
    }

    /// Notes that the page is told what became of the tokens. If the page dies first, the next one is told.
    fn note_told(&self, entry: &mut IntegrationRecord) {
        entry.told = true;
        self.vault.note(entry);
    }
}

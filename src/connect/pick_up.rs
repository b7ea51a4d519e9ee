//! The pick-up of one integration (§4.4): one page at a time, what is about to happen is written down first, and the
//! response is kept before anybody looks at it. See "The pick-up" in ARCHITECTURE.md.

use super::retry::RetryPolicy;
use super::session_page::SessionPage;
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::http::Call;
use crate::http::endpoint::Method;
use crate::platform::LockOf;
use crate::vault::record::{self, IntegrationRecord};
use crate::vault::storage::{Purpose, Storage};
use pos_connect_protocol::decode::{self, TokenSet};
use std::cell::{Cell, RefCell};

const OPERATION: Operation = Operation::FetchTokens;
const UNKEPT: &str = "pos-connect: the tokens are here, but will not survive a reload";

/// The pick-up of one integration, and its entry in the vault.
pub struct PickUp<P: SessionPage> {
    /// The page.
    pub page: P,
    /// What stays known of the entry if it vanishes.
    pub identity: IntegrationRecord,
    unkept: RefCell<Option<Unkept<LockOf<P>>>>,
    /// `forget` was called after a pick-up began.
    is_forgotten: Cell<bool>,
}

/// An entry that the storage would not take.
struct Unkept<L> {
    entry: IntegrationRecord,
    /// The pick-up lock: no other page may ask as long as it can't know of the tokens.
    _lock: Option<L>,
}

impl<P: SessionPage> PickUp<P> {
    /// The pick-up of the integration that an entry belongs to.
    pub fn new(page: P, entry: &IntegrationRecord) -> Self {
        Self {
            page,
            identity: entry.identity(),
            unkept: RefCell::default(),
            is_forgotten: Cell::default(),
        }
    }

    /// Takes a lock of this integration.
    pub async fn lock(&self, purpose: Purpose) -> Result<LockOf<P>, Failure> {
        self.page.storage().lock(purpose, &self.identity.id).await
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
            None => self.identity.read(self.page.storage()).await,
        }
    }

    /// Lets go of tokens that the storage would not take, and of the lock on them.
    pub fn release(&self) {
        self.unkept.take();
    }

    /// Lets go of the tokens.
    pub fn forget(&self) {
        self.release();
        self.is_forgotten.set(true);
        self.page.forget_tokens();
    }

    /// Picks the token set up, or gives the one that another page has picked up: that page had the lock, and wrote the
    /// response into the entry.
    ///
    /// Never ended early: giving the response up would lose it.
    pub async fn run(&self) -> Result<TokenSet, Failure> {
        self.is_forgotten.set(false);
        let lock = self.lock(Purpose::PickUp).await?;
        let mut entry = self.identity.read(self.page.storage()).await?;
        if let Some(code) = entry.over {
            self.note_reported(&mut entry);
            return Err(Failure::new(code));
        }
        if let Some(body) = entry.token_response.clone() {
            match self.open(&mut entry, &body) {
                Err(failure) if failure.error.may_be_cut() => entry.token_response = None,
                opened => return opened,
            }
        }
        self.request(entry, lock).await
    }

    /// Asks for the tokens until there is a result.
    async fn request(
        &self,
        mut entry: IntegrationRecord,
        lock: LockOf<P>,
    ) -> Result<TokenSet, Failure> {
        let mut policy = RetryPolicy::new(entry.unanswered, entry.pickup_id.is_some());
        policy.is_lost = entry.is_lost;
        entry.unanswered = true;
        entry.write(self.page.storage()).await?;
        let mut lock = Some(lock);
        loop {
            let call = self.call(&policy, &entry);
            let opened = match self.page.send(call, &P::Cancel::default()).await {
                Ok(body) => self.keep(&mut entry, body, &mut lock).await,
                Err(failure) => Err(failure),
            };
            let mut failure = match opened {
                Ok(tokens) => return Ok(tokens),
                Err(failure) => failure,
            };
            if failure.error.may_be_cut() {
                entry.token_response = None;
            }
            let Some(wait) = policy.failed(&mut failure.error) else {
                self.settle(entry, &policy, failure.code()).await;
                return Err(failure);
            };
            self.page.sleep(wait).await;
        }
    }

    fn call(&self, policy: &RetryPolicy, entry: &IntegrationRecord) -> Call {
        let (config, pickup_id) = (self.page.config(), entry.pickup_id.as_deref());
        let method = match policy.is_reissue {
            true => Method::Post,
            false => Method::Get,
        };
        let url = config.token_url(
            &self.identity.integration_token,
            pickup_id,
            policy.is_reissue,
        );
        Call::bare(OPERATION, method, url)
    }

    /// Keeps a raw body, then reads it.
    async fn keep(
        &self,
        entry: &mut IntegrationRecord,
        body: String,
        lock: &mut Option<LockOf<P>>,
    ) -> Result<TokenSet, Failure> {
        entry.token_response = Some(body.clone());
        let written = entry.write(self.page.storage()).await;
        // The merchant may have chosen another store, and the key is for one. The tokens come first.
        self.page.forget_key();
        let opened = self.open(entry, &body);
        if let (Err(failure), Ok(_)) = (written, &opened) {
            // The tokens are here all the same.
            self.page.report(UNKEPT, OPERATION, failure.into());
            self.unkept.replace(Some(Unkept {
                entry: entry.clone(),
                _lock: lock.take(),
            }));
            if self.is_forgotten.get() {
                // `forget` waits for the lock.
                self.release();
            }
        }
        opened
    }

    /// Reads a kept body, and notes what it says about the connection.
    fn open(&self, entry: &mut IntegrationRecord, body: &str) -> Result<TokenSet, Failure> {
        let set = P::read(body, decode::token_set)?;
        self.page.note_connection(&set);
        if set.tokens.is_none() && !entry.is_held_by_relay {
            // Nothing to hand over: the relay has them.
            entry.is_held_by_relay = true;
            entry.write_later(self.page.storage());
        }
        Ok(set)
    }

    /// Notes what a failed pick-up has settled. If the storage fails, the doubt stays.
    async fn settle(&self, mut entry: IntegrationRecord, policy: &RetryPolicy, code: ErrorCode) {
        let is_final = record::is_final(code);
        if is_final {
            entry.over = Some(code);
        }
        entry.unanswered = policy.unanswered;
        let _ = entry.write(self.page.storage()).await;
        if is_final {
            self.note_reported(&mut entry);
        }
    }

    /// Notes that the page is told what became of the tokens. If the page dies first, the next one is told.
    fn note_reported(&self, entry: &mut IntegrationRecord) {
        entry.is_reported = true;
        entry.write_later(self.page.storage());
    }
}

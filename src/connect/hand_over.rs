//! The hand-over: the tokens stay in the vault until the host has them. See "The pick-up" in ARCHITECTURE.md.

use super::pick_up::PickUp;
use super::platform::{Host, Platform};
use super::retry;
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::http::Call;
use crate::http::endpoint::Method;
use crate::vault::record::{IntegrationRecord, RecordState};
use crate::vault::storage::Purpose;
use pos_connect_protocol::decode::{self, TokenSet};
use std::cell::Cell;
use std::rc::Rc;

const FAILED: &str = "pos-connect: the tokens are not handed over yet";

/// Gives the tokens of one integration to the host.
pub struct HandOver<H: Host> {
    pick_up: Rc<PickUp<H>>,
    is_running: Cell<bool>,
}

/// What of an entry is still to be handed over.
struct Undelivered {
    /// `None`: it can't be read.
    set: Option<TokenSet>,
}

impl Undelivered {
    /// `None` if there is nothing to hand over.
    fn of<P: Platform>(entry: &IntegrationRecord) -> Option<Self> {
        if entry.state(0.0) != RecordState::Undelivered {
            return None;
        }
        let body = entry.body.as_deref()?;
        let set = P::read(body, decode::token_set).ok();
        // A relay holds them, and its page died before it could say so.
        let is_held = set.as_ref().is_some_and(|set| set.tokens.is_none());
        (!is_held).then_some(Self { set })
    }
}

impl<H: Host> HandOver<H> {
    /// Starts nothing yet.
    pub fn new(pick_up: Rc<PickUp<H>>) -> Self {
        Self {
            pick_up,
            is_running: Cell::new(false),
        }
    }

    /// Whether the host is being given the tokens.
    pub fn is_running(&self) -> bool {
        self.is_running.get()
    }

    /// Whether a hand-over is to run: the host wants the tokens, and none runs yet. If so, `run` has to follow.
    pub fn begin(&self) -> bool {
        self.pick_up.host.wants_tokens() && !self.is_running.replace(true)
    }

    /// Gives the tokens to the host until it has them. After the `PosConnect` object's `destroy` there is no further
    /// try: the vault has the tokens for the next object.
    pub async fn run(&self) {
        let mut wait = 0.0;
        while let Err(reason) = self.deliver().await {
            let host = &self.pick_up.host;
            host.report(FAILED, Operation::PersistTokens, reason);
            wait = retry::hand_over_again(wait);
            host.sleep(wait).await;
            if host.is_destroyed() {
                self.pick_up.release();
                break;
            }
        }
        self.is_running.set(false);
    }

    /// Gives the tokens to the host, and erases them.
    async fn deliver(&self) -> Result<(), Rejection> {
        // A lock of its own: a host that takes its time must not keep a page from the tokens, nor itself from
        // acknowledging them.
        let _lock = self.pick_up.lock(Purpose::HandOver).await?;
        let entry = self.pick_up.entry().await?;
        let Some(Undelivered { set: Some(set) }) = Undelivered::of::<H>(&entry) else {
            return Ok(());
        };
        if !entry.is_accepted_by_host {
            self.pick_up.host.persist(set).await?;
        }
        Ok(self.erase(&H::Cancel::default()).await?)
    }

    /// The host says that it has the tokens; it may say so in its `persistTokens`.
    pub async fn acknowledge(&self, cancel: &H::Cancel) -> Result<(), Failure> {
        H::check(cancel)?;
        self.erase(cancel).await
    }

    /// Erases what the host has, first at a relay that repeats it. If no token can be read from it, the host may give
    /// it up all the same.
    async fn erase(&self, cancel: &H::Cancel) -> Result<(), Failure> {
        // One at a time, and nothing that was read before: else one that failed would write back what another has just
        // erased.
        let _lock = self.pick_up.lock(Purpose::Erase).await?;
        H::check(cancel)?;
        let mut entry = self.pick_up.entry().await?;
        let Some(Undelivered { set }) = Undelivered::of::<H>(&entry) else {
            return Ok(());
        };
        if let Some(set) = &set {
            self.pick_up.host.note_connection(set);
        }
        if set.is_some_and(|set| set.acknowledge) {
            // If the relay fails now, the host is not asked again.
            entry.is_accepted_by_host = true;
            entry.write(self.pick_up.host.storage()).await?;
            // By now the storage has taken it.
            self.pick_up.release();
            self.erase_at_relay(cancel).await?;
        }
        entry.body = None;
        entry.end(ErrorCode::TokensAlreadyRetrieved);
        entry.is_reported = true;
        entry.write(self.pick_up.host.storage()).await?;
        self.pick_up.forget();
        Ok(())
    }

    async fn erase_at_relay(&self, cancel: &H::Cancel) -> Result<(), Failure> {
        let host = &self.pick_up.host;
        let call = Call::bare(
            Operation::AcknowledgeTokens,
            Method::Delete,
            host.config().token_url(self.pick_up.token(), None, false),
        );
        match host.send(call, cancel).await {
            // A relay that does not know it any more has nothing to erase.
            Err(failure) if !matches!(failure.error.status, Some(403 | 404 | 410)) => Err(failure),
            _ => Ok(()),
        }
    }
}

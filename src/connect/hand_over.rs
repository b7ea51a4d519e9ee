//! The hand-over: the tokens stay in the vault until the host has them. See "The pick-up" in ARCHITECTURE.md.

use super::pick_up::PickUp;
use super::retry;
use super::session_page::SessionPage;
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::http::Call;
use crate::http::endpoint::Method;
use crate::platform::Platform;
use crate::vault::record::{IntegrationRecord, RecordState};
use crate::vault::storage::Purpose;
use pos_connect_protocol::decode::{self, TokenSet};
use std::cell::Cell;
use std::rc::Rc;

const FAILED: &str = "pos-connect: the tokens are not handed over yet";

/// Gives the tokens of one integration to the host.
pub struct HandOver<P: SessionPage> {
    pick_up: Rc<PickUp<P>>,
    /// Whether the host is being given the tokens.
    pub(super) is_running: Cell<bool>,
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
        let body = entry.token_response.as_deref()?;
        let set = P::read(body, decode::token_set).ok();
        // A relay holds them, and its page died before it could say so.
        let is_held = set.as_ref().is_some_and(|set| set.tokens.is_none());
        (!is_held).then_some(Self { set })
    }
}

impl<P: SessionPage> HandOver<P> {
    /// Starts nothing yet.
    pub fn new(pick_up: Rc<PickUp<P>>) -> Self {
        Self {
            pick_up,
            is_running: Cell::new(false),
        }
    }

    /// Gives the tokens to the host until it has them; `is_running` was set. After the `PosConnect` object's `destroy`
    /// there is no further try: the next object has the tokens from the vault, if that took them.
    pub async fn run(&self) {
        let mut wait = 0.0;
        while let Err(reason) = self.deliver().await {
            let page = &self.pick_up.page;
            page.report(FAILED, Operation::PersistTokens, reason);
            wait = retry::hand_over_again(wait);
            page.sleep(wait).await;
            if P::check(page.ended()).is_err() {
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
        let Some(Undelivered { set: Some(set) }) = Undelivered::of::<P>(&entry) else {
            return Ok(());
        };
        if !entry.is_accepted_by_host {
            self.pick_up.page.persist(set).await?;
        }
        Ok(self.acknowledge(&P::Cancel::default()).await?)
    }

    /// Erases what the host has, first at a relay that repeats it. The host may say so in its `persistTokens`, and if
    /// no token can be read, it may give them up all the same.
    pub async fn acknowledge(&self, cancel: &P::Cancel) -> Result<(), Failure> {
        P::check(cancel)?;
        // One at a time, and nothing that was read before: else one that failed would write back what another has just
        // erased.
        let _lock = self.pick_up.lock(Purpose::Erase).await?;
        P::check(cancel)?;
        let mut entry = self.pick_up.entry().await?;
        let Some(Undelivered { set }) = Undelivered::of::<P>(&entry) else {
            return Ok(());
        };
        if let Some(set) = &set {
            self.pick_up.page.note_connection(set);
        }
        if set.is_some_and(|set| set.acknowledge) {
            // If the relay fails now, the host is not asked again.
            entry.is_accepted_by_host = true;
            entry.write(self.pick_up.page.storage()).await?;
            // By now the storage has taken it.
            self.pick_up.release();
            self.erase_at_relay(cancel).await?;
        }
        entry.token_response = None;
        entry.over = Some(ErrorCode::TokensAlreadyRetrieved);
        entry.is_reported = true;
        entry.write(self.pick_up.page.storage()).await?;
        self.pick_up.forget();
        Ok(())
    }

    async fn erase_at_relay(&self, cancel: &P::Cancel) -> Result<(), Failure> {
        let page = &self.pick_up.page;
        let call = Call::bare(
            Operation::AcknowledgeTokens,
            Method::Delete,
            page.config()
                .token_url(&self.pick_up.identity.integration_token, None, false),
        );
        match page.send(call, cancel).await {
            // A relay that does not know it any more has nothing to erase.
            Err(failure) if !matches!(failure.error.status, Some(403 | 404 | 410)) => Err(failure),
            _ => Ok(()),
        }
    }
}

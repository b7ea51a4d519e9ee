//! The integrations of one vendor account and store: those that this object has created, and those that earlier pages
//! left.

use super::connection::Connection;
use super::session::Session;
use crate::core::cancellation::{Cancellation, race};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::http::endpoint::Method;
use crate::http::{self, Call, Http};
use crate::vault::Vault;
use crate::vault::record::{IntegrationRecord, RecordState, Worth};
use crate::vault::seal::random_letters;
use js_sys::{Date, Function};
use pos_connect_protocol::decode::{self, Created};
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use web_sys::AbortSignal;

/// Creates integrations, finds them again, and has one session for each.
pub struct Integrations {
    /// Makes the calls.
    pub http: Rc<Http>,
    vault: Rc<Vault>,
    connection: Rc<Connection>,
    /// Cancelled with the object that it belongs to.
    pub ended: Cancellation,
    /// `persistTokens`, if the host has one.
    persist: Option<Function>,
    sessions: RefCell<Vec<Weak<Session>>>,
    /// The integration that it created last.
    last_created: RefCell<String>,
}

impl Integrations {
    /// Sends nothing.
    pub fn new(
        http: Rc<Http>,
        vault: Rc<Vault>,
        connection: Rc<Connection>,
        ended: Cancellation,
        persist: Option<Function>,
    ) -> Rc<Self> {
        Rc::new(Self {
            http,
            vault,
            connection,
            ended,
            persist,
            sessions: RefCell::default(),
            last_created: RefCell::default(),
        })
    }

    /// Creates an integration (§4.1).
    pub async fn create(&self, cancel: Cancellation) -> Result<Rc<Session>, Failure> {
        // Opens the storage: if that fails, nothing was sent yet.
        race(self.connection.record(), &cancel).await??;
        let call = Call::bare(
            Operation::CreateIntegration,
            Method::Post,
            self.http.config.integration_url(),
        );
        let body = self.http.send(call, &cancel).await?;
        let created = http::read(&body, decode::created)?;
        let entry = self.entry(created)?;
        let session = self.session(&entry)?;
        entry.write(&*self.vault).await?;
        self.last_created.replace(session.id().into());
        Ok(session)
    }

    fn entry(&self, created: Created) -> Result<IntegrationRecord, Failure> {
        let pickup_id = created.reissues.then(random_letters).transpose();
        Ok(IntegrationRecord {
            id: self.vault.fresh_id()?,
            at: Some(Date::now()),
            token: created.integration_token,
            interval: created.interval,
            expires_in: created.expires_in,
            code: created.code,
            pickup_id: pickup_id.map_err(|_| Failure::new(ErrorCode::VaultFailed))?,
            ..IntegrationRecord::default()
        })
    }

    /// The session of an entry: the one that this object has, or a new one.
    fn session(&self, entry: &IntegrationRecord) -> Result<Rc<Session>, Failure> {
        let mut sessions = self.sessions.borrow_mut();
        let mut live = sessions.iter().filter_map(Weak::upgrade);
        let is_same = |session: &Rc<Session>| session.id() == entry.id && !session.is_destroyed();
        if let Some(session) = live.find(is_same) {
            return Ok(session);
        }
        let session = Session::new(
            self.http.clone(),
            self.vault.clone(),
            entry,
            self.persist.clone(),
        )?;
        // A till that runs for weeks must not collect the ones that are gone.
        let is_gone = |session: &&mut Weak<Session>| session.strong_count() == 0;
        match sessions.iter_mut().find(is_gone) {
            Some(gone) => *gone = Rc::downgrade(&session),
            None => sessions.push(Rc::downgrade(&session)),
        }
        Ok(session)
    }

    /// The integration that an earlier page, or another one, has left: what is worth most, then what it created itself,
    /// then the newest. Hands over what waits for it.
    pub async fn resume(
        &self,
        caller: Option<AbortSignal>,
    ) -> Result<Option<Rc<Session>>, Failure> {
        self.left_over(caller, |_, _| true).await
    }

    /// The same, of those that are `wanted`.
    pub async fn left_over(
        &self,
        caller: Option<AbortSignal>,
        wanted: fn(RecordState, &Session) -> bool,
    ) -> Result<Option<Rc<Session>>, Failure> {
        let cancel = self.ended.with(caller);
        cancel.check()?;
        let entries = self.vault.list().await?;
        cancel.check()?;
        let now = Date::now();
        let mut best: Option<(Worth, Rc<Session>)> = None;
        for entry in entries.iter().rev() {
            let state = entry.state(now);
            match state {
                RecordState::Over => continue,
                RecordState::Stale => {
                    self.vault.erase(&entry.id).await?;
                    // A session that is made after `destroy` would never end.
                    cancel.check()?;
                    continue;
                }
                _ => {}
            }
            let session = self.session(entry)?;
            if state == RecordState::Undelivered {
                session.hand_over();
            }
            let worth = entry.worth(now, session.id() == *self.last_created.borrow());
            let is_better = best.as_ref().is_none_or(|(best, _)| *best < worth);
            if is_better && wanted(state, &session) {
                best = Some((worth, session));
            }
        }
        Ok(best.map(|(_, session)| session))
    }

    /// Lets go of the tokens that this page has.
    pub fn forget_tokens(&self) {
        for session in self.sessions.borrow().iter().filter_map(Weak::upgrade) {
            session.forget_tokens();
        }
    }

    /// Ends every session.
    pub fn destroy(&self) {
        let sessions = self.sessions.take();
        for session in sessions.iter().filter_map(Weak::upgrade) {
            session.destroy();
        }
    }
}

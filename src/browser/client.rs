//! One vendor account's connection to the service: creates integrations and owns them.

use super::access_token::AccessToken;
use super::cancellation::{self, Cancellation, race};
use super::connection::{Connection, Watch};
use super::enabled::Enabled;
use super::failure::Failure;
use super::frame::{Frame, SuccessCard};
use super::headers::HeaderSource;
use super::http::{self, Call, Http};
use super::observer::Observers;
use super::outbox::Outbox;
use super::session::Session;
use super::single_flight::SingleFlight;
use super::vault::{Purpose, Vault, random_letters};
use crate::config::{
    ACCESS_TOKEN, Config, ERECEIPT, ON_CONNECTED, ON_CONNECTION_ENDED, ON_INTERRUPTED, ON_OUTBOX,
    PERSIST_STORAGE, PERSIST_TOKENS,
};
use crate::error::{ErrorCode, Operation};
use crate::integration::End;
use crate::options::Options;
use crate::vault::{IntegrationRecord, RecordState};
use gloo_net::http::Method;
use js_sys::{Date, Function};
use pos_connect_protocol::decode::{self, Created};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use web_sys::{AbortController, AbortSignal};

/// What `PosConnect.create` makes.
pub struct Client {
    /// Makes the calls.
    pub http: Rc<Http>,
    /// Ends everything.
    owner: AbortController,
    /// The flow of `connect`, while one runs.
    pub flow: SingleFlight,
    /// The callbacks of the calls that joined it.
    pub observers: Rc<Observers>,
    /// A finished integration whose pick-up failed for now.
    pub failed_pickup: Cell<Option<Rc<Session>>>,
    /// The frame of that flow.
    pub current_frame: RefCell<Weak<Frame>>,
    /// What follows that frame for a moment.
    pub done: Cell<Option<SuccessCard>>,
    /// What `connect` showed last and nobody has decided yet, as far as it knows.
    pub resumable: RefCell<Option<Rc<Session>>>,
    /// What `create` was told about e-receipts.
    pub ereceipt: Option<Enabled>,
    /// What is known about the connection.
    pub connection: Rc<Connection>,
    /// Ends with the object.
    watch: Cell<Option<Watch>>,
    /// The orders that wait.
    pub outbox: Rc<Outbox>,
    vault: Rc<Vault>,
    /// `persistTokens`, if the host has one.
    persist: Option<Function>,
    sessions: RefCell<Vec<Weak<Session>>>,
    /// The integration that it created last.
    last_created: RefCell<String>,
}

impl Client {
    /// Sends nothing.
    pub fn new(
        config: Config,
        headers: Option<HeaderSource>,
        options: &Options,
    ) -> Result<Rc<Self>, Failure> {
        let vault = Vault::new(config.scope(), config.is_in_memory);
        let http = Http {
            config,
            headers,
            access_token: options.page(&ACCESS_TOKEN).map(AccessToken),
            is_destroyed: Cell::new(false),
        };
        let (http, vault) = (Rc::new(http), Rc::new(vault));
        let told = [&ON_CONNECTED, &ON_CONNECTION_ENDED].map(|row| options.page(row));
        let connection = Connection::new(http.clone(), vault.clone(), told);
        let owner = cancellation::controller()?;
        let orders = (vault.clone(), http.clone(), connection.clone());
        let told = [&ON_OUTBOX, &ON_INTERRUPTED].map(|row| options.page(row));
        let ended = Cancellation::by(&owner);
        let persists = options.flag(&PERSIST_STORAGE);
        Ok(Rc::new(Self {
            outbox: Outbox::new(orders.0, orders.1, orders.2, ended, told, persists),
            watch: Cell::new(connection.watch()),
            connection,
            http,
            vault,
            persist: options.page(&PERSIST_TOKENS),
            owner,
            flow: SingleFlight::default(),
            observers: Rc::default(),
            failed_pickup: Cell::default(),
            current_frame: RefCell::default(),
            done: Cell::default(),
            resumable: RefCell::default(),
            ereceipt: Enabled::of(options, &ERECEIPT),
            sessions: RefCell::default(),
            last_created: RefCell::default(),
        }))
    }

    /// Creates an integration (§4.1).
    pub async fn create(&self, cancel: Cancellation) -> Result<Rc<Session>, Failure> {
        // Opens the storage: if that fails, nothing was sent yet.
        race(self.connection.record(), &cancel).await??;
        let call = Call::bare(
            Operation::CreateIntegration,
            Method::POST,
            self.http.config.integration_url(),
        );
        let body = self.http.send(call, &cancel).await?;
        let created = http::read(&body, decode::created)?;
        let entry = self.entry(created)?;
        let session = self.session(&entry)?;
        self.vault.write(&entry).await?;
        self.last_created.replace(session.id().into());
        Ok(session)
    }

    fn entry(&self, created: Created) -> Result<IntegrationRecord, Failure> {
        let pickup = created.reissues.then(random_letters).transpose();
        Ok(IntegrationRecord {
            id: self.vault.fresh_id()?,
            at: Some(Date::now()),
            token: created.integration_token,
            interval: created.interval,
            expires_in: created.expires_in,
            code: created.code,
            pickup: pickup.map_err(|_| Failure::new(ErrorCode::VaultFailed))?,
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
        let cancel = self.cancel_by(caller);
        cancel.check()?;
        let entries = self.vault.list().await?;
        cancel.check()?;
        let now = Date::now();
        let mut best: Option<(RecordState, f64, Rc<Session>)> = None;
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
            let at = match session.id() == *self.last_created.borrow() {
                true => f64::INFINITY,
                false => entry.at.unwrap_or_default(),
            };
            let is_better = best
                .as_ref()
                .is_none_or(|(kind, time, _)| (*kind, *time) < (state, at));
            if is_better && wanted(state, &session) {
                best = Some((state, at, session));
            }
        }
        Ok(best.map(|(_, _, session)| session))
    }

    /// Ends the connection for the merchant, and forgets it here. Orders stay: they were paid.
    pub async fn disconnect(&self, cancel: &Cancellation) -> Result<(), Failure> {
        self.connection.end(cancel).await?;
        self.forget_connection().await
    }

    /// Erases all that is kept, after what is on its way: that would write it anew.
    pub async fn forget(&self) -> Result<(), Failure> {
        self.outbox.forget().await?;
        self.forget_connection().await?;
        self.vault.erase_damaged_key().await
    }

    async fn forget_connection(&self) -> Result<(), Failure> {
        // Some of the locks may be ours.
        self.forget_tokens();
        let mut locks = Vec::new();
        let ids = self.vault.ids().await?;
        for id in &ids {
            for purpose in [Purpose::PickUp, Purpose::Erase] {
                locks.push(self.vault.lock(purpose, id).await?);
            }
        }
        self.vault.erase_all().await?;
        if ids.iter().any(|id| id == self.vault.scope()) {
            self.vault.tell_end();
        }
        self.forget_tokens();
        Ok(())
    }

    fn forget_tokens(&self) {
        self.failed_pickup.take();
        self.resumable.take();
        for session in self.sessions.borrow().iter().filter_map(Weak::upgrade) {
            session.forget_tokens();
        }
    }

    /// Ends every session.
    pub fn destroy(&self) {
        self.owner.abort();
        self.http.is_destroyed.set(true);
        self.watch.take();
        self.vault.deafen();
        self.flow.stop();
        self.outbox.destroy();
        let shown = self.current_frame.borrow().upgrade();
        if let Some(frame) = shown {
            // Now: the flow may still be waiting for the storage.
            frame.finish(End::Closed);
        }
        self.resumable.take();
        self.done.take();
        let sessions = self.sessions.take();
        for session in sessions.iter().filter_map(Weak::upgrade) {
            session.destroy();
        }
    }

    /// Aborted by `destroy`.
    pub fn owner_signal(&self) -> AbortSignal {
        self.owner.signal()
    }

    /// What ends a call's wait: the caller's signal, and the end of this object.
    pub fn cancel_by(&self, caller: Option<AbortSignal>) -> Cancellation {
        Cancellation {
            caller,
            ..Cancellation::by(&self.owner)
        }
    }
}

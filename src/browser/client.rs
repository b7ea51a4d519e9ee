//! One vendor account's connection to the service: creates integrations and owns them.

use super::failure::Failure;
use super::http::{self, Call, Http, Parsed};
use super::old::js;
use super::old::observer::Observers;
use super::old::page;
use super::old::shared::Shared;
use super::old::stop::{self, Stops};
use super::session::Session;
use super::tokens;
use super::vault::{self, Lock, Vault};
use crate::decode::{self, Created};
use crate::error::Operation;
use crate::vault::{Claim, claim};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::AbortSignal;

/// What `PosConnect.create` makes.
pub struct Client {
    /// Makes the calls.
    pub http: Rc<Http>,
    /// Ends everything.
    owner: JsValue,
    /// The flow of `connect`, while one runs.
    pub flow: Shared,
    /// The callbacks of the calls that joined it.
    pub observers: Rc<Observers>,
    /// A finished integration whose pick-up failed for now.
    pub unclaimed: Cell<Option<Rc<Session>>>,
    /// What `connect` showed last and nobody has decided yet, as far as it knows.
    pub left: RefCell<Option<Rc<Session>>>,
    /// What `create` was told about e-receipts: a boolean, or a function.
    pub ereceipt: JsValue,
    vault: Rc<Vault>,
    sessions: RefCell<Vec<Weak<Session>>>,
    /// The integration that it created last.
    newest: RefCell<String>,
}

impl Client {
    /// Sends nothing.
    pub fn new(http: Http, vault: Vault, ereceipt: JsValue) -> Rc<Self> {
        Rc::new(Self {
            http: Rc::new(http),
            vault: Rc::new(vault),
            owner: stop::controller(),
            flow: Shared::default(),
            observers: Rc::default(),
            unclaimed: Cell::default(),
            left: RefCell::default(),
            ereceipt,
            sessions: RefCell::default(),
            newest: RefCell::default(),
        })
    }

    /// Creates an integration (§4.1) whose statuses `observers` are told.
    pub async fn create(
        &self,
        stops: Stops,
        observers: Rc<Observers>,
    ) -> Result<Rc<Session>, Failure> {
        let operation = Operation::CreateIntegration;
        // Opens the storage: if that fails, nothing was sent yet.
        self.connection(operation).await?;
        let call = Call {
            operation,
            method: "POST",
            url: self.http.config.integration_url(),
        };
        let body = self.http.send(call, &stops).await?;
        let created = http::read(&body, operation, decode::created)?;
        let entry = self.entry(created);
        let session = self.session(&entry, observers);
        self.vault.write(&entry, operation).await?;
        self.newest.replace(session.id().into());
        Ok(session)
    }

    fn entry(&self, created: Created) -> JsValue {
        let entry = js::object();
        js::set(&entry, "id", vault::fresh(&self.vault.scope));
        js::set(&entry, "at", page::date());
        js::set_text(&entry, "token", &created.integration_token);
        js::set(&entry, "interval", created.interval.into());
        js::set(&entry, "expiresIn", created.expires_in.into());
        js::set(&entry, "code", created.code.into());
        if created.reissues {
            js::set(&entry, "pickup", vault::fresh(""));
        }
        entry
    }

    /// The session of an entry: the one that this object has, or a new one.
    fn session(&self, entry: &JsValue, observers: Rc<Observers>) -> Rc<Session> {
        let id = js::text(entry, "id");
        let mut sessions = self.sessions.borrow_mut();
        let mut live = sessions.iter().filter_map(Weak::upgrade);
        let is_same = |session: &Rc<Session>| session.id() == id && !session.is_destroyed();
        if let Some(session) = live.find(is_same) {
            return session;
        }
        let session = Session::new(self.http.clone(), self.vault.clone(), entry, observers);
        // A till that runs for weeks must not collect the ones that are gone.
        let is_gone = |session: &&mut Weak<Session>| session.strong_count() == 0;
        match sessions.iter_mut().find(is_gone) {
            Some(gone) => *gone = Rc::downgrade(&session),
            None => sessions.push(Rc::downgrade(&session)),
        }
        session
    }

    /// The integration that an earlier page, or another one, has left: what is worth most, then what it created itself, then the newest. Hands over what waits for it.
    pub async fn resume(&self, caller: JsValue) -> Result<Option<Rc<Session>>, Failure> {
        let operation = Operation::Resume;
        let stops = self.stops(caller);
        stops.check(operation)?;
        let entries = self.vault.list(operation).await?;
        stops.check(operation)?;
        let now = page::date().as_f64().unwrap_or_default();
        let mut best: Option<(Claim, f64, Rc<Session>)> = None;
        loop {
            let entry = js::act(&entries, "pop", js::NONE, js::NONE);
            if entry.is_undefined() {
                return Ok(best.map(|(_, _, session)| session));
            }
            // The connection record has none, nor has what cannot be read.
            if js::get(&entry, "token").is_undefined() {
                continue;
            }
            let claim = claim(&Parsed(entry.clone()), now);
            match claim {
                Claim::Over => continue,
                Claim::Stale => {
                    self.vault.erase(&js::get(&entry, "id"), operation).await?;
                    continue;
                }
                _ => {}
            }
            let session = self.session(&entry, Rc::default());
            if claim == Claim::Undelivered {
                session.hand_over();
            }
            let at = if session.id() == *self.newest.borrow() {
                f64::INFINITY
            } else {
                js::number(&entry, "at")
            };
            let is_better = best
                .as_ref()
                .is_none_or(|(kind, time, _)| (*kind, *time) < (claim, at));
            if is_better {
                best = Some((claim, at, session));
            }
        }
    }

    /// What is known about the connection, or `null`.
    pub async fn connection(&self, operation: Operation) -> Result<JsValue, Failure> {
        let seed = js::object();
        js::set_text(&seed, "id", &self.vault.scope);
        let record = self.vault.read(&seed, operation).await?;
        let read = decode::token_set(&Parsed(record));
        Ok(read.map_or(JsValue::NULL, |set| tokens::connection(&set)))
    }

    /// Erases all that is kept, after what is on its way: that would write it anew.
    pub async fn forget(&self) -> Result<(), Failure> {
        let operation = Operation::Forget;
        // Some of the locks may be ours.
        self.forget_tokens();
        let entries = self.vault.list(operation).await?;
        let mut locks = Vec::new();
        loop {
            let entry = js::act(&entries, "shift", js::NONE, js::NONE);
            if entry.is_undefined() {
                break;
            }
            let id = js::text(&entry, "id");
            for what in [Lock::PICK_UP, Lock::ERASE] {
                let lock = self.vault.lock(what, &id, operation);
                locks.push(Lock(lock.await?));
            }
        }
        self.vault.erase(js::NONE, operation).await?;
        self.forget_tokens();
        Ok(())
    }

    fn forget_tokens(&self) {
        self.unclaimed.take();
        self.left.take();
        for session in self.sessions.borrow().iter().filter_map(Weak::upgrade) {
            session.forget_tokens();
        }
    }

    /// Ends every session.
    pub fn destroy(&self) {
        stop::abort(&self.owner);
        self.http.is_destroyed.set(true);
        self.flow.stop();
        self.left.take();
        let sessions = self.sessions.take();
        for session in sessions.iter().filter_map(Weak::upgrade) {
            session.destroy();
        }
    }

    /// Aborted by `destroy`.
    pub fn owner_signal(&self) -> AbortSignal {
        stop::signal_of(&self.owner).unchecked_into()
    }

    /// What can stop a call of the page's.
    pub fn stops(&self, caller: JsValue) -> Stops {
        Stops {
            caller,
            ..Stops::by(&self.owner)
        }
    }
}

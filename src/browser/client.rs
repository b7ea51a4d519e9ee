//! One vendor account's connection to the service: creates integrations and owns them.

use super::failure::Failure;
use super::http::{self, Call, Http};
use super::keypad::Keypad;
use super::observer::Observers;
use super::session::Session;
use super::shared::Shared;
use super::stop::{self, Stops};
use crate::decode;
use crate::error::Operation;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsValue;

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
    /// What `create` was told about e-receipts: a boolean, or a function.
    pub ereceipt: Option<JsValue>,
    /// What the token set says that was picked up (§2.2).
    pub picked_up: Rc<Cell<bool>>,
    /// The ask that `receiptFor` shows.
    pub keypad: Cell<Weak<Keypad>>,
    sessions: RefCell<Vec<Weak<Session>>>,
}

impl Client {
    /// Sends nothing.
    pub fn new(http: Http, ereceipt: Option<JsValue>) -> Rc<Self> {
        Rc::new(Self {
            http: Rc::new(http),
            owner: stop::controller(),
            flow: Shared::default(),
            observers: Rc::default(),
            unclaimed: Cell::default(),
            ereceipt,
            picked_up: Rc::default(),
            keypad: Cell::default(),
            sessions: RefCell::default(),
        })
    }

    /// Creates an integration (§4.1) whose statuses `observers` are told.
    pub async fn create(
        &self,
        stops: Stops,
        observers: Rc<Observers>,
    ) -> Result<Rc<Session>, Failure> {
        let operation = Operation::CreateIntegration;
        let call = Call {
            operation,
            method: "POST",
            url: self.http.config.integration_url(),
        };
        let body = self.http.send(call, &stops).await?;
        let created = http::read(body, operation, decode::created)?;
        let session = Session::new(
            self.http.clone(),
            created,
            observers,
            self.picked_up.clone(),
        );
        let mut sessions = self.sessions.borrow_mut();
        // A till that runs for weeks must not collect the ones that are gone.
        let is_gone = |session: &&mut Weak<Session>| session.strong_count() == 0;
        match sessions.iter_mut().find(is_gone) {
            Some(gone) => *gone = Rc::downgrade(&session),
            None => sessions.push(Rc::downgrade(&session)),
        }
        Ok(session)
    }

    /// Ends every session.
    pub fn destroy(&self) {
        stop::abort(&self.owner);
        self.flow.stop();
        #[cfg(feature = "keypad")]
        if let Some(keypad) = self.keypad.take().upgrade() {
            keypad.end(crate::keypad::ask::PrintReason::Aborted);
        }
        let sessions = self.sessions.take();
        for session in sessions.iter().filter_map(Weak::upgrade) {
            session.destroy();
        }
    }

    /// Whether `destroy` was called.
    pub fn is_destroyed(&self) -> bool {
        stop::is_aborted(&stop::signal_of(&self.owner))
    }

    /// What can stop a call of the page's.
    pub fn stops(&self, caller: JsValue) -> Stops {
        Stops {
            caller,
            ..Stops::by(&self.owner)
        }
    }
}

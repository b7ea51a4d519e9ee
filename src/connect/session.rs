//! A live integration: what `integration`, `poll`, `pick_up` and `hand_over` decide, performed.

use super::decision::Decision;
use super::hand_over::HandOver;
use super::integration::End;
use super::pick_up::PickUp;
use super::platform::Host;
use super::poll::Next;
use crate::core::error::{Error, ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::http::Call;
use crate::http::endpoint::Method;
use crate::vault::record::IntegrationRecord;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::{self, Standing, TokenSet};
use std::cell::Cell;
use std::rc::Rc;

/// One integration of this page.
pub struct Session<H: Host> {
    /// Picks the tokens up, and has the entry in the vault.
    pub pick_up: Rc<PickUp<H>>,
    /// Gives them to the host.
    pub(super) hand_over: HandOver<H>,
    pub(super) decision: Decision,
    /// Whether the last pick-up failed in a way that another one may cure.
    may_fetch_again: Cell<bool>,
    /// Made by `createIntegration`, or mounted by the page: it shows it itself.
    pub shown_by_host: Cell<bool>,
}

impl<H: Host> Session<H> {
    /// A session for an entry of the vault.
    pub fn new(host: H, entry: &IntegrationRecord) -> Rc<Self> {
        let decision = Decision::new(host.uptime(), entry);
        let pick_up = Rc::new(PickUp::new(host, entry));
        Rc::new(Self {
            hand_over: HandOver::new(pick_up.clone()),
            pick_up,
            decision,
            may_fetch_again: Cell::default(),
            shown_by_host: Cell::default(),
        })
    }

    /// The page.
    pub fn host(&self) -> &H {
        &self.pick_up.host
    }

    /// One status call (§4.2); none once the end is known.
    pub async fn status(&self, cancel: &H::Cancel) -> Result<Status, Failure> {
        H::check(cancel)?;
        match self.decision.made() {
            Some(status) => Ok(status),
            None => {
                let answer = self.request_status(cancel).await;
                self.decision.asked(self.host().uptime());
                Ok(self.observed(answer?.status))
            }
        }
    }

    /// Whether the connect page says that the merchant has decided.
    pub fn is_hinted(&self) -> bool {
        self.decision.is_hinted()
    }

    /// Whether nothing speaks against waiting for it, as far as this page knows.
    pub fn is_open(&self) -> bool {
        self.decision.is_open(self.host().uptime())
    }

    /// Asks until the end (§4.2).
    pub async fn poll(self: &Rc<Self>, cancel: &H::Cancel) -> Result<Status, Failure> {
        let (host, session) = (self.host(), self.clone());
        let _listeners = H::on_wake(Rc::new(move || session.decision.page_woke()));
        loop {
            if host.is_blocked() {
                let blocked = Error::new(ErrorCode::CspBlocked);
                let origin = &host.config().connect_origin;
                return Err(blocked.detail(&["It is ", origin, "."]).into());
            }
            if let Some(status) = self.decision.made() {
                host.tell_status(status);
                return Ok(status);
            }
            match self.decision.next(host.uptime(), H::is_online()) {
                Next::Expired => return Err(self.decision.expired()),
                Next::Sleep(ms) => self.decision.sleep(host, ms, cancel).await?,
                Next::Poll => {
                    let answer = self.request_status(cancel).await;
                    let answered = self.decision.answered(host.uptime(), H::random(), answer);
                    if let Some(status) = answered? {
                        self.observed(status);
                    }
                }
            }
        }
    }

    async fn request_status(&self, cancel: &H::Cancel) -> Result<Standing, Failure> {
        let url = self.host().config().status_url(self.pick_up.token());
        let call = Call::bare(Operation::Status, Method::Get, url);
        let body = self.host().send(call, cancel).await?;
        let answer = H::read(&body, decode::status)?;
        if answer.is_opened {
            self.host().opened_elsewhere();
        }
        Ok(answer)
    }

    fn observed(&self, answer: Status) -> Status {
        let status = self.decision.observe(answer);
        self.host().tell_status(status);
        if End::of(status).is_some() {
            if status == Status::Cancelled {
                self.forget();
            }
            // A sleeping series of calls has nothing more to ask.
            self.decision.look_again();
        }
        status
    }

    /// Nothing is to be had any more.
    fn forget(&self) {
        let pick_up = self.pick_up.clone();
        H::start(async move {
            // What stays is stale some day.
            let _ = pick_up.erase().await;
        });
    }

    /// Picks the token set up, and begins to hand it over.
    pub async fn fetch(self: &Rc<Self>) -> Result<TokenSet, Failure> {
        let result = self.pick_up.run().await;
        let code = result.as_ref().err().map(Failure::code);
        self.may_fetch_again
            .set(code.is_some_and(ErrorCode::retryable));
        match &result {
            Ok(_) => self.hand_over(),
            Err(_) => self.host().forget_tokens(),
        }
        result
    }

    /// Whether the last pick-up failed in a way that another one may cure.
    pub fn may_fetch_again(&self) -> bool {
        self.may_fetch_again.get()
    }

    /// Gives the tokens to the host, if it wants them; nobody waits for that.
    pub fn hand_over(self: &Rc<Self>) {
        if !self.hand_over.begin() {
            return;
        }
        // Strong, as in a pick-up: `forget` and `destroy` have to find the session until that is over.
        let session = self.clone();
        H::start(async move { session.hand_over.run().await });
    }

    /// The host says that it has the tokens.
    pub async fn acknowledge(&self, cancel: &H::Cancel) -> Result<(), Failure> {
        self.hand_over.acknowledge(cancel).await
    }

    /// Withdraws the integration (the `DELETE` extension).
    pub async fn cancel(&self, cancel: &H::Cancel) -> Result<(), Failure> {
        let url = self.host().config().status_url(self.pick_up.token());
        let call = Call::bare(Operation::Cancel, Method::Delete, url);
        self.host().send(call, cancel).await?;
        self.observed(Status::Cancelled);
        Ok(())
    }
}

//! A live integration: what `integration`, `poll`, `pick_up` and `hand_over` decide, performed.

use super::decision::Decision;
use super::hand_over::HandOver;
use super::integration::End;
use super::pick_up::PickUp;
use super::poll::Next;
use super::session_page::SessionPage;
use crate::core::error::{Error, ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::http::Call;
use crate::http::endpoint::Method;
use crate::vault::record::IntegrationRecord;
use crate::vault::storage::Storage;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::{self, Standing, TokenSet};
use std::cell::Cell;
use std::rc::Rc;

/// One integration of this page.
pub struct Session<P: SessionPage> {
    /// Picks the tokens up, and has the entry in the vault.
    pub pick_up: Rc<PickUp<P>>,
    /// Gives them to the host.
    pub hand_over: HandOver<P>,
    pub(super) decision: Decision,
    /// Whether the last pick-up failed in a way that another one may cure.
    pub(super) may_fetch_again: Cell<bool>,
    /// Made by `createIntegration`, or mounted by the page: it shows it itself.
    pub shown_by_host: Cell<bool>,
}

impl<P: SessionPage> Session<P> {
    /// A session for an entry of the vault.
    pub fn new(page: P, entry: &IntegrationRecord) -> Rc<Self> {
        let decision = Decision::new(page.uptime(), entry);
        let pick_up = Rc::new(PickUp::new(page, entry));
        Rc::new(Self {
            hand_over: HandOver::new(pick_up.clone()),
            pick_up,
            decision,
            may_fetch_again: Cell::default(),
            shown_by_host: Cell::default(),
        })
    }

    /// The page.
    pub fn page(&self) -> &P {
        &self.pick_up.page
    }

    /// One status call (§4.2); none once the end is known.
    pub async fn status(&self, cancel: &P::Cancel) -> Result<Status, Failure> {
        P::check(cancel)?;
        if let Some(status) = self.decision.outcome() {
            return Ok(status);
        }
        let answer = self.request_status(cancel).await;
        let mut schedule = self.decision.schedule.borrow_mut();
        schedule.extra_call(self.page().uptime());
        drop(schedule);
        Ok(self.observed(answer?.status))
    }

    /// Whether nothing speaks against waiting for it, as far as this page knows.
    pub fn is_open(&self) -> bool {
        self.decision.is_open(self.page().uptime())
    }

    /// Asks until the end (§4.2).
    pub async fn poll(self: &Rc<Self>, cancel: &P::Cancel) -> Result<Status, Failure> {
        let (page, session) = (self.page(), self.clone());
        let _listeners = P::on_wake(Rc::new(move || session.decision.page_woke()));
        loop {
            if page.is_blocked() {
                let blocked = Error::new(ErrorCode::CspBlocked);
                let origin = &page.config().connect_origin;
                return Err(blocked.detail(&["It is ", origin, "."]).into());
            }
            if let Some(status) = self.decision.outcome() {
                page.tell_status(status);
                return Ok(status);
            }
            let schedule = &self.decision.schedule;
            let next = schedule.borrow_mut().next(page.uptime(), P::is_online());
            match next {
                Next::Expired => return Err(self.decision.expired()),
                Next::Sleep(ms) => self.decision.sleep(page, ms, cancel).await?,
                Next::Poll => {
                    let answer = self.request_status(cancel).await;
                    let answered = self.decision.answered(page.uptime(), P::random(), answer);
                    if let Some(status) = answered? {
                        self.observed(status);
                    }
                }
            }
        }
    }

    fn status_url(&self) -> String {
        let token = &self.pick_up.identity.integration_token;
        self.page().config().status_url(token)
    }

    async fn request_status(&self, cancel: &P::Cancel) -> Result<Standing, Failure> {
        let call = Call::bare(Operation::Status, Method::Get, self.status_url());
        let body = self.page().send(call, cancel).await?;
        let answer = P::read(&body, decode::status)?;
        if answer.is_opened {
            self.page().opened_elsewhere();
        }
        Ok(answer)
    }

    fn observed(&self, answer: Status) -> Status {
        let status = self.decision.observe(answer);
        self.page().tell_status(status);
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
        P::start(async move {
            // What stays is stale some day.
            let _ = pick_up.page.storage().erase(&pick_up.identity.id).await;
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
            Err(_) => self.page().forget_tokens(),
        }
        result
    }

    /// Gives the tokens to the host, if it wants them; nobody waits for that.
    pub fn hand_over(self: &Rc<Self>) {
        if self.page().wants_tokens() && !self.hand_over.is_running.replace(true) {
            // Strong, as in a pick-up: `forget` and `destroy` have to find the session until that is over.
            let session = self.clone();
            P::start(async move { session.hand_over.run().await });
        }
    }

    /// Withdraws the integration (the `DELETE` extension).
    pub async fn cancel(&self, cancel: &P::Cancel) -> Result<(), Failure> {
        let call = Call::bare(Operation::Cancel, Method::Delete, self.status_url());
        self.page().send(call, cancel).await?;
        self.observed(Status::Cancelled);
        Ok(())
    }
}

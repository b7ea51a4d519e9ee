//! A live integration: what `integration`, `poll`, `pickup` and `frame` decide, performed.

use super::decision::Decision;
use super::frame::{Frame, FrameOptions, Signal, SignalHandler, Target};
use super::hand_over::HandOver;
use super::integration::End;
use super::observer::Observers;
use super::page::Page;
use super::pick_up::PickUp;
use super::platform::Host;
use super::poll::Next;
use super::tokens;
use crate::core::cancellation::{self, Cancellation, race, settled};
use crate::core::error::{Error, ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::core::single_flight::{Flight, SingleFlight};
use crate::core::{global, task};
use crate::http::endpoint::Method;
use crate::http::{self, Call, Http};
use crate::vault::Vault;
use crate::vault::record::IntegrationRecord;
use js_sys::Function;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::{self, Standing};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{AbortController, AbortSignal};

/// One integration of this page.
pub struct Session {
    http: Rc<Http>,
    /// Picks the tokens up, and has the entry in the vault.
    pick_up: Rc<PickUp<Page>>,
    /// Gives them to the host.
    hand_over: HandOver<Page>,
    /// Whether the last pick-up failed in a way that another one may cure.
    may_fetch_again: Cell<bool>,
    decision: Decision,
    observers: Rc<Observers>,
    /// The observers of `connect`, while it shows this integration.
    flow_observers: RefCell<Rc<Observers>>,
    wait: SingleFlight,
    frame: RefCell<Option<Rc<Frame>>>,
    is_blocked: Cell<bool>,
    /// Made by `createIntegration`, or mounted by the page: it shows it itself.
    pub shown_by_host: Cell<bool>,
    owner: AbortController,
}

impl Session {
    /// A session for an entry of the vault.
    pub fn new(
        http: Rc<Http>,
        vault: Rc<Vault>,
        entry: &IntegrationRecord,
        persist: Option<Function>,
    ) -> Result<Rc<Self>, Failure> {
        let page = Page {
            http: http.clone(),
            vault,
            persist,
            tokens: RefCell::default(),
        };
        let pick_up = Rc::new(PickUp::new(page, entry));
        Ok(Rc::new(Self {
            http,
            hand_over: HandOver::new(pick_up.clone()),
            may_fetch_again: Cell::new(false),
            pick_up,
            decision: Decision::new(entry),
            observers: Rc::default(),
            flow_observers: RefCell::default(),
            wait: SingleFlight::default(),
            frame: RefCell::default(),
            is_blocked: Cell::new(false),
            shown_by_host: Cell::new(false),
            owner: cancellation::controller()?,
        }))
    }

    /// Names it in this browser.
    pub fn id(&self) -> &str {
        self.pick_up.id()
    }

    /// The digits that the connect page shows, too, if the service has such a code.
    pub fn code(&self) -> Option<&str> {
        self.pick_up.code()
    }

    /// The integration token (§2.1).
    pub fn token(&self) -> &str {
        self.pick_up.token()
    }

    /// One status call (§4.2); none once the end is known.
    pub async fn status(&self, caller: Option<AbortSignal>) -> Result<Status, Failure> {
        let cancel = self.cancel_by(caller);
        cancel.check()?;
        match self.decision.made() {
            Some(status) => Ok(status),
            None => {
                let answer = self.request_status(&cancel).await;
                self.decision.asked();
                Ok(self.observed(answer?.status))
            }
        }
    }

    /// Whether nothing speaks against waiting for it, as far as this page knows.
    pub fn is_open(&self) -> bool {
        self.decision.is_open()
    }

    /// Asks until the end (§4.2); overlapping calls share one series.
    pub async fn wait(
        self: &Rc<Self>,
        caller: Option<AbortSignal>,
        on_status: Option<Function>,
    ) -> Result<JsValue, Rejection> {
        let cancel = self.cancel_by(caller);
        cancel.check()?;
        let _observing = self.observers.add(on_status);
        let flight = self.wait.join(|| {
            let stop = cancellation::controller()?;
            let (session, given_up) = (self.clone(), stop.clone());
            let promise = task::promise(Operation::WaitUntilDone, async move {
                let status = session.until_done(&given_up).await?;
                Ok(status.as_str().into())
            });
            Ok(Flight::new(promise, stop, Rc::default()))
        })?;
        self.wait.wait(flight, cancel).await
    }

    /// The series of status calls. `stop` gives it up.
    pub async fn until_done(self: &Rc<Self>, stop: &AbortController) -> Result<Status, Failure> {
        let result = self.poll(&Cancellation::by(stop)).await;
        if let Err(failure) = &result
            && failure.code() != ErrorCode::Destroyed
        {
            self.end_frame(End::Failed);
        }
        result
    }

    async fn poll(self: &Rc<Self>, cancel: &Cancellation) -> Result<Status, Failure> {
        let session = self.clone();
        let _listeners = global::on_wake(Rc::new(move || {
            session.decision.page_woke();
        }));
        loop {
            if self.is_blocked.get() {
                let blocked = Error::new(ErrorCode::CspBlocked);
                let origin = &self.http.config.connect_origin;
                return Err(blocked.detail(&["It is ", origin, "."]).into());
            }
            if let Some(status) = self.decision.made() {
                self.notify(status);
                return Ok(status);
            }
            match self.decision.next() {
                Next::Expired => return Err(self.decision.expired()),
                Next::Sleep(ms) => self.decision.sleep(ms, cancel).await?,
                Next::Poll => {
                    let answer = self.request_status(cancel).await;
                    if let Some(status) = self.decision.answered(answer)? {
                        self.observed(status);
                    }
                }
            }
        }
    }

    /// Picks the token set up. Overlapping calls share one pick-up, and a repeated call gives the same object until the
    /// tokens are handed over.
    pub async fn fetch_tokens(
        self: &Rc<Self>,
        caller: Option<AbortSignal>,
    ) -> Result<JsValue, Rejection> {
        let cancel = self.cancel_by(caller);
        cancel.check()?;
        let tokens = &self.pick_up.host.tokens;
        let known = tokens.borrow().clone();
        let promise = known.unwrap_or_else(|| {
            let promise = task::promise(Operation::FetchTokens, self.clone().pick_up());
            tokens.replace(Some(promise.clone()));
            promise
        });
        // Not the end of the object: a pick-up under way is still delivered.
        let cancel = Cancellation {
            owner: None,
            ..cancel
        };
        Ok(race(settled(&promise), &cancel).await??)
    }

    async fn pick_up(self: Rc<Self>) -> Result<JsValue, Rejection> {
        let result = self.pick_up.run().await;
        let code = result.as_ref().err().map(Failure::code);
        self.may_fetch_again
            .set(code.is_some_and(ErrorCode::retryable));
        match &result {
            Ok(_) => self.hand_over(),
            Err(_) => self.pick_up.host.forget_tokens(),
        }
        Ok(tokens::to_js(&result?).into())
    }

    /// Gives the tokens to the host, if it wants them; nobody waits for that.
    pub fn hand_over(self: &Rc<Self>) {
        if !self.hand_over.begin() {
            return;
        }
        // Strong, as in a pick-up: `forget` and `destroy` have to find the session until that is over.
        let session = self.clone();
        task::start(async move { session.hand_over.run().await });
    }

    /// The host says that it has the tokens.
    pub async fn acknowledge(&self, caller: Option<AbortSignal>) -> Result<(), Failure> {
        self.hand_over.acknowledge(&self.cancel_by(caller)).await
    }

    /// Whether the last pick-up failed in a way that another one may cure.
    pub fn may_fetch_again(&self) -> bool {
        self.may_fetch_again.get()
    }

    /// Withdraws the integration (the `DELETE` extension).
    pub async fn cancel(&self, caller: Option<AbortSignal>) -> Result<(), Failure> {
        let call = Call::bare(
            Operation::Cancel,
            Method::Delete,
            self.http.config.status_url(self.token()),
        );
        self.http.send(call, &self.cancel_by(caller)).await?;
        self.observed(Status::Cancelled);
        Ok(())
    }

    /// Shows the frame, or gives the one that is shown, which goes where it is wanted now.
    pub fn mount(self: &Rc<Self>, options: FrameOptions) -> Result<Rc<Frame>, Failure> {
        self.cancel_by(None).check()?;
        let ended = match self.decision.made() {
            Some(Status::Finished) => Some(ErrorCode::AlreadyFinished),
            Some(_) => Some(ErrorCode::IntegrationCancelled),
            None => None,
        };
        if let Some(code) = ended {
            return Err(Failure::new(code));
        }
        let mounted = self.frame.borrow().clone();
        if let Some(frame) = mounted.filter(|frame| frame.end().is_none()) {
            if let Some(container) = options.container {
                frame.move_to(&container);
            }
            return Ok(frame);
        }
        let frame = Frame::open(options, &self.http.config.connect_origin)?;
        self.shown_by_host.set(true);
        self.show(&frame, None);
        Ok(frame)
    }

    /// Loads the connect page into an open frame and listens to it; `also` is told what the frame tells.
    pub fn show(self: &Rc<Self>, frame: &Rc<Frame>, also: Option<SignalHandler>) {
        // Strong: a frame in the page keeps its session, until it ends.
        let session = self.clone();
        frame.attach(Rc::new(move |signal| {
            session.signaled(signal);
            if let Some(also) = &also {
                also(signal);
            }
        }));
        self.is_blocked.set(false);
        let before = self.frame.replace(Some(frame.clone()));
        if let Some(before) = before.filter(|before| !Rc::ptr_eq(before, frame)) {
            // One integration is shown once. After its end, this does nothing.
            before.finish(End::Closed);
        }
        let config = &self.http.config;
        let target = Target {
            connect_url: &config.connect_url,
            token: self.token(),
            client_id: &config.client_id,
            code: self.code(),
        };
        frame.navigate(&target);
    }

    /// Lets go of the tokens that it has.
    pub fn forget_tokens(&self) {
        self.pick_up.forget();
    }

    /// Whether `destroy` was called.
    pub fn is_destroyed(&self) -> bool {
        self.owner.signal().aborted()
    }

    /// Ends everything but a pick-up on its way.
    pub fn destroy(&self) {
        self.owner.abort();
        self.wait.stop();
        self.end_frame(End::Closed);
        if !self.hand_over.is_running() {
            // The host has them, or does not want them: other pages may ask.
            self.pick_up.release();
        }
    }

    fn signaled(&self, signal: Signal) {
        match signal {
            Signal::Decided => self.decision.hinted(),
            Signal::Blocked => self.is_blocked.set(true),
            Signal::Closed => return,
        }
        self.decision.look_again();
    }

    /// Tells `observers` each status from now on, too.
    pub fn follow(&self, observers: Rc<Observers>) {
        self.flow_observers.replace(observers);
    }

    fn notify(&self, status: Status) {
        self.observers.notify(status);
        // No borrow is held: a callback may call anything of ours.
        let flow = self.flow_observers.borrow().clone();
        flow.notify(status);
    }

    fn observed(&self, answer: Status) -> Status {
        let status = self.decision.observe(answer);
        self.notify(status);
        if let Some(end) = End::of(status) {
            if status == Status::Cancelled {
                self.forget();
            }
            self.end_frame(end);
            // A sleeping series of calls has nothing more to ask.
            self.decision.look_again();
        }
        status
    }

    /// Nothing is to be had any more.
    fn forget(&self) {
        let pick_up = self.pick_up.clone();
        task::start(async move {
            // What stays is stale some day.
            let _ = pick_up.erase().await;
        });
    }

    fn end_frame(&self, end: End) {
        let frame = self.frame.take();
        if let Some(frame) = frame {
            frame.finish(end);
        }
    }

    async fn request_status(&self, cancel: &Cancellation) -> Result<Standing, Failure> {
        let call = Call::bare(
            Operation::Status,
            Method::Get,
            self.http.config.status_url(self.token()),
        );
        let body = self.http.send(call, cancel).await?;
        let answer = http::read(&body, decode::status)?;
        if answer.is_opened
            && let Some(frame) = self.frame.borrow().as_ref()
        {
            frame.opened_elsewhere();
        }
        Ok(answer)
    }

    fn cancel_by(&self, caller: Option<AbortSignal>) -> Cancellation {
        Cancellation::by(&self.owner).with(caller)
    }
}

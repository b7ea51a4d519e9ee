//! A live integration: what `integration`, `poll`, `pickup` and `frame` decide, performed.

use super::bell::Bell;
use super::failure::Failure;
use super::frame::{Frame, FrameOptions, Signal, Teller};
use super::http::{self, Call, Http};
use super::observer::Observers;
use super::page;
use super::promise::{promise, settled};
use super::shared::{Shared, Work};
use super::stop::{self, Stops};
use super::tokens;
use crate::decode::{self, Answer, Created};
use crate::error::{ErrorCode, Operation};
use crate::integration::{End, Progress};
use crate::pickup::Pickup;
use crate::poll::{self, Next, Outcome, Schedule};
use pos_connect_protocol::Status;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// One integration of this page.
pub struct Session {
    http: Rc<Http>,
    token: String,
    progress: RefCell<Progress>,
    schedule: RefCell<Schedule>,
    bell: Bell,
    observers: Rc<Observers>,
    wait: Shared,
    pickup: RefCell<Pickup>,
    tokens: RefCell<Option<JsValue>>,
    may_fetch_again: Cell<bool>,
    frame: RefCell<Option<Rc<Frame>>>,
    is_blocked: Cell<bool>,
    /// The page woke up while the series of calls slept, or had one on its way.
    is_woken: Cell<bool>,
    owner: JsValue,
    ereceipt: Rc<Cell<bool>>,
}

impl Session {
    /// A session for what the service created; `ereceipt` is told what the token set says.
    pub fn new(
        http: Rc<Http>,
        created: Created,
        observers: Rc<Observers>,
        ereceipt: Rc<Cell<bool>>,
    ) -> Rc<Self> {
        let schedule = Schedule::new(page::now(), created.interval, created.expires_in);
        Rc::new(Self {
            http,
            token: created.integration_token,
            progress: RefCell::default(),
            schedule: RefCell::new(schedule),
            bell: Bell::default(),
            observers,
            wait: Shared::default(),
            pickup: RefCell::default(),
            tokens: RefCell::default(),
            may_fetch_again: Cell::new(false),
            frame: RefCell::default(),
            is_blocked: Cell::new(false),
            is_woken: Cell::new(false),
            owner: stop::controller(),
            ereceipt,
        })
    }

    /// The integration token (§2.1).
    pub fn token(&self) -> &str {
        &self.token
    }

    /// One status call (§4.2); none once the end is known.
    pub async fn status(&self, caller: JsValue) -> Result<Status, Failure> {
        let stops = self.stops(caller);
        stops.check(Operation::Status)?;
        let known = self.progress.borrow().ended();
        match known {
            Some(ended) => Ok(ended),
            None => {
                let answer = self.ask(Operation::Status, &stops).await;
                self.schedule.borrow_mut().asked(page::now());
                Ok(self.observed(answer?.status))
            }
        }
    }

    /// Asks until the end (§4.2); overlapping calls share one series.
    pub async fn wait(
        self: &Rc<Self>,
        caller: JsValue,
        on_status: Option<JsValue>,
    ) -> Result<JsValue, JsValue> {
        let operation = Operation::WaitUntilDone;
        let stops = self.stops(caller);
        stops.check(operation)?;
        let _observing = on_status.map(|callback| self.observers.add(callback));
        let work = self.wait.join(Box::new(|| {
            let (session, stop) = (self.clone(), stop::controller());
            let promise = promise({
                let stop = stop.clone();
                async move { Ok(session.until_done(&stop).await?.as_str().into()) }
            });
            Ok(Work::new(promise, stop, Rc::default()))
        }))?;
        self.wait.wait(work, operation, stops).await
    }

    /// The series of status calls. `stop` gives it up.
    pub async fn until_done(self: &Rc<Self>, stop: &JsValue) -> Result<Status, Failure> {
        let result = self.poll(&Stops::by(stop)).await;
        if let Err(failure) = &result
            && failure.error.code != ErrorCode::Destroyed
        {
            self.end_frame(End::Failed);
        }
        result
    }

    async fn poll(self: &Rc<Self>, stops: &Stops) -> Result<Status, Failure> {
        let operation = Operation::WaitUntilDone;
        let session = self.clone();
        let _listeners = page::on_wake(Rc::new(move || {
            session.is_woken.set(true);
            session.bell.ring();
        }));
        loop {
            if self.is_blocked.get() {
                return Err(Failure::new(ErrorCode::CspBlocked, operation));
            }
            let known = self.progress.borrow().ended();
            if let Some(ended) = known {
                self.observers.tell(ended);
                return Ok(ended);
            }
            let (now, is_online) = (page::now(), page::is_online());
            let next = self.schedule.borrow_mut().next(now, is_online);
            match next {
                Next::Expired => return Err(Failure::new(ErrorCode::WaitTimeout, operation)),
                Next::Sleep(ms) => {
                    let early = Box::pin(self.bell.heard());
                    stops.guard(operation, Some(ms), early).await?;
                    if self.is_woken.take() {
                        self.schedule.borrow_mut().woken();
                    }
                }
                Next::Poll => self.poll_once(stops).await?,
            }
        }
    }

    async fn poll_once(&self, stops: &Stops) -> Result<(), Failure> {
        let result = self.ask(Operation::WaitUntilDone, stops).await;
        let outcome = match &result {
            Ok(answer) => Outcome::Pending {
                interval: answer.interval,
                expires_in: answer.expires_in,
            },
            Err(failure) => poll::outcome(&failure.error).unwrap_or(Outcome::Dropped),
        };
        let (now, random) = (page::now(), page::random());
        self.schedule.borrow_mut().answered(now, outcome, random);
        match result {
            Ok(answer) => {
                self.observed(answer.status);
                Ok(())
            }
            Err(_) if outcome != Outcome::Dropped => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Picks the token set up (§4.4); overlapping calls share the call, a repeat gives the same object.
    pub async fn fetch_tokens(self: &Rc<Self>, caller: JsValue) -> Result<JsValue, JsValue> {
        let operation = Operation::FetchTokens;
        let mut stops = self.stops(caller);
        stops.check(operation)?;
        let known = self.tokens.borrow().clone();
        let promise = known.unwrap_or_else(|| {
            let promise = promise(self.clone().pick_up());
            self.tokens.replace(Some(promise.clone()));
            promise
        });
        // Not the object's own end: a pick-up on its way is still delivered.
        stops.owner = JsValue::UNDEFINED;
        let mut result = Ok(JsValue::UNDEFINED);
        let settling = Box::pin(async { result = settled(&promise).await });
        stops.guard(operation, None, settling).await?;
        result
    }

    /// Whether the last pick-up failed in a way that another one may cure.
    pub fn may_fetch_again(&self) -> bool {
        self.may_fetch_again.get()
    }

    async fn pick_up(self: Rc<Self>) -> Result<JsValue, JsValue> {
        let result = self.try_to_pick_up().await;
        let error = result.as_ref().err().map(|failure| failure.error.code);
        let may_fetch_again = error.is_some_and(ErrorCode::retryable);
        self.may_fetch_again.set(may_fetch_again);
        if error.is_some() {
            self.tokens.take();
        }
        Ok(result?)
    }

    /// Never stopped: giving the answer up would lose it.
    async fn try_to_pick_up(&self) -> Result<JsValue, Failure> {
        let operation = Operation::FetchTokens;
        let stops = Stops::default();
        self.pickup.borrow_mut().begin();
        loop {
            let call = Call {
                operation,
                method: "GET",
                url: self.http.config.token_url(&self.token),
            };
            let answer = self.http.send(call, &stops).await;
            let set = answer.and_then(|body| http::read(body, operation, decode::token_set));
            let mut failure = match set {
                Ok(set) => {
                    self.ereceipt.set(set.ereceipt);
                    return Ok(tokens::to_js(&set));
                }
                Err(failure) => failure,
            };
            let wait = self.pickup.borrow_mut().failed(&mut failure.error);
            if wait.is_none() {
                return Err(failure);
            }
            let never = Box::pin(std::future::pending());
            stops.guard(operation, wait, never).await?;
        }
    }

    /// Withdraws the integration (the `DELETE` extension).
    pub async fn cancel(&self, caller: JsValue) -> Result<(), Failure> {
        let call = Call {
            operation: Operation::Cancel,
            method: "DELETE",
            url: self.http.config.status_url(&self.token),
        };
        self.http.send(call, &self.stops(caller)).await?;
        self.observed(Status::Cancelled);
        Ok(())
    }

    /// Shows the frame, or gives the one that is shown.
    pub fn mount(
        self: &Rc<Self>,
        options: impl FnOnce() -> Result<FrameOptions, Failure>,
    ) -> Result<Rc<Frame>, Failure> {
        self.stops(JsValue::UNDEFINED)
            .check(Operation::MountFrame)?;
        let ended = match self.progress.borrow().ended() {
            Some(Status::Finished) => Some(ErrorCode::AlreadyFinished),
            Some(_) => Some(ErrorCode::IntegrationCancelled),
            None => None,
        };
        if let Some(code) = ended {
            return Err(Failure::new(code, Operation::MountFrame));
        }
        let mounted = self.frame.borrow().clone();
        if let Some(frame) = mounted.filter(|frame| frame.end().is_none()) {
            return Ok(frame);
        }
        let frame = Frame::open(options()?, &self.http.config.connect_origin)?;
        self.show(&frame, None);
        Ok(frame)
    }

    /// Loads the connect page into an open frame and listens to it; `also` is told what the frame tells.
    pub fn show(self: &Rc<Self>, frame: &Rc<Frame>, also: Option<Teller>) {
        // Strong: a frame in the page keeps its session, until it ends.
        let session = self.clone();
        frame.attach(Rc::new(move |signal| {
            session.signaled(signal);
            if let Some(also) = &also {
                also(signal);
            }
        }));
        self.is_blocked.set(false);
        self.frame.replace(Some(frame.clone()));
        let config = &self.http.config;
        frame.navigate(&crate::frame::url(
            &config.connect_url,
            &self.token,
            &config.client_id,
        ));
    }

    /// Ends everything but a pick-up on its way.
    pub fn destroy(&self) {
        stop::abort(&self.owner);
        self.wait.stop();
        self.end_frame(End::Closed);
    }

    fn signaled(&self, signal: Signal) {
        match signal {
            Signal::Decided => self.schedule.borrow_mut().hinted(),
            Signal::Blocked => self.is_blocked.set(true),
            Signal::Closed => return,
        }
        self.bell.ring();
    }

    fn observed(&self, answer: Status) -> Status {
        let status = self.progress.borrow_mut().observe(answer);
        self.observers.tell(status);
        if let Some(end) = End::of(status) {
            self.end_frame(end);
            // A sleeping series of calls has nothing more to ask.
            self.bell.ring();
        }
        status
    }

    fn end_frame(&self, end: End) {
        let frame = self.frame.take();
        if let Some(frame) = frame {
            frame.finish(end);
        }
    }

    async fn ask(&self, operation: Operation, stops: &Stops) -> Result<Answer, Failure> {
        let call = Call {
            operation,
            method: "GET",
            url: self.http.config.status_url(&self.token),
        };
        let body = self.http.send(call, stops).await?;
        http::read(body, operation, decode::answer)
    }

    fn stops(&self, caller: JsValue) -> Stops {
        Stops {
            caller,
            ..Stops::by(&self.owner)
        }
    }
}

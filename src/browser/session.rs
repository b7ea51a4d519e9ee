//! A live integration: what `integration`, `poll`, `pickup` and `frame` decide, performed.

use super::bell::Bell;
use super::failure::Failure;
use super::frame::{Frame, FrameOptions, Signal};
use super::http::{self, Call, Http};
use super::observer::Observers;
use super::page;
use super::promise::promise;
use super::shared::{Shared, Work};
use super::stop::Stops;
use super::timer;
use super::tokens;
use crate::decode::{self, Answer, Created};
use crate::error::{ErrorCode, Operation};
use crate::integration::{End, Progress};
use crate::pickup::{Decision, Pickup};
use crate::poll::{self, Next, Outcome, Schedule};
use gloo_net::http::Method;
use js_sys::{Function, Promise};
use pos_connect_protocol::Status;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal};

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
    tokens: RefCell<Option<Promise>>,
    may_fetch_again: Cell<bool>,
    frame: RefCell<Option<Rc<Frame>>>,
    is_blocked: Cell<bool>,
    owner: AbortController,
}

impl Session {
    /// A session for what the service created. `owner` ends it.
    pub fn new(
        http: Rc<Http>,
        created: Created,
        observers: Rc<Observers>,
        owner: AbortController,
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
            owner,
        })
    }

    /// The integration token (§2.1).
    pub fn token(&self) -> &str {
        &self.token
    }

    /// One status call (§4.2); none once the end is known.
    pub async fn status(&self, caller: Option<AbortSignal>) -> Result<Status, Failure> {
        let stops = self.stops(caller);
        if let Some(stopped) = stops.stopped(Operation::Status) {
            return Err(stopped);
        }
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
        caller: Option<AbortSignal>,
        on_status: Option<Function>,
    ) -> Result<JsValue, JsValue> {
        let operation = Operation::WaitUntilDone;
        let stops = self.stops(caller);
        if let Some(stopped) = stops.stopped(operation) {
            return Err(stopped.into());
        }
        let _observing = on_status.map(|callback| self.observers.add(callback));
        let work = self.wait.join(|| {
            let stop = AbortController::new()
                .map_err(|_| Failure::new(ErrorCode::UnsupportedBrowser, operation))?;
            let (session, signal) = (self.clone(), stop.signal());
            let promise = promise(async move {
                let status = session.until_done(signal).await?;
                Ok(status.as_str().into())
            });
            Ok(Work::new(promise, stop, Rc::default()))
        })?;
        self.wait.wait(work, operation, &stops).await
    }

    /// The series of status calls. `stop` gives it up.
    pub async fn until_done(&self, stop: AbortSignal) -> Result<Status, Failure> {
        let stops = Stops {
            owner: Some(stop),
            ..Stops::default()
        };
        let result = self.poll(&stops).await;
        if let Err(failure) = &result
            && failure.error.code != ErrorCode::Destroyed
        {
            self.end_frame(End::Failed);
        }
        result
    }

    async fn poll(&self, stops: &Stops) -> Result<Status, Failure> {
        let operation = Operation::WaitUntilDone;
        let wake = Rc::new(Bell::default());
        let _listeners = page::on_wake({
            let wake = wake.clone();
            move || wake.ring()
        });
        loop {
            if self.is_blocked.get() {
                return Err(Failure::new(ErrorCode::CspBlocked, operation));
            }
            let known = self.progress.borrow().ended();
            if let Some(ended) = known {
                self.observers.tell(ended);
                return Ok(ended);
            }
            let next = self
                .schedule
                .borrow_mut()
                .next(page::now(), page::is_online());
            match next {
                Next::Expired => return Err(Failure::new(ErrorCode::WaitTimeout, operation)),
                Next::Sleep(ms) => self.sleep(ms, &wake, stops).await?,
                Next::Poll => self.poll_once(stops).await?,
            }
        }
    }

    async fn sleep(&self, ms: f64, wake: &Bell, stops: &Stops) -> Result<(), Failure> {
        let woken = async {
            wake.heard().await;
            self.schedule.borrow_mut().woken();
        };
        let early = async { first(self.bell.heard(), woken).await };
        let wait = timer::within(ms, early);
        stops
            .unless_stopped(Operation::WaitUntilDone, wait)
            .await
            .map(|_| ())
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
        let random = js_sys::Math::random();
        self.schedule
            .borrow_mut()
            .answered(page::now(), outcome, random);
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
    pub async fn fetch_tokens(
        self: &Rc<Self>,
        caller: Option<AbortSignal>,
    ) -> Result<JsValue, JsValue> {
        let operation = Operation::FetchTokens;
        if let Some(stopped) = self.stops(caller.clone()).stopped(operation) {
            return Err(stopped.into());
        }
        let known = self.tokens.borrow().clone();
        let promise = known.unwrap_or_else(|| {
            let session = self.clone();
            let promise = promise(async move {
                let result = session.pick_up().await;
                let error = result.as_ref().err().map(|failure| failure.error.code);
                session
                    .may_fetch_again
                    .set(error.is_some_and(ErrorCode::retryable));
                if error.is_some() {
                    session.tokens.take();
                }
                Ok(result?)
            });
            self.tokens.replace(Some(promise.clone()));
            promise
        });
        // Not the object's own end: a pick-up on its way is still delivered.
        let stops = Stops {
            caller,
            ..Stops::default()
        };
        stops
            .unless_stopped(operation, JsFuture::from(promise))
            .await?
    }

    /// Whether the last pick-up failed in a way that another one may cure.
    pub fn may_fetch_again(&self) -> bool {
        self.may_fetch_again.get()
    }

    /// Never stopped: giving the answer up would lose it.
    async fn pick_up(&self) -> Result<JsValue, Failure> {
        let operation = Operation::FetchTokens;
        self.pickup.borrow_mut().begin();
        loop {
            let call = Call {
                operation,
                method: Method::GET,
                url: self.http.config.token_url(&self.token),
            };
            let answer = self.http.send(&call, &Stops::default()).await;
            let set = answer.and_then(|body| http::read(body, operation, decode::token_set));
            let failure = match set {
                Ok(set) => return Ok(tokens::to_js(&set)),
                Err(failure) => failure,
            };
            let decision = self.pickup.borrow_mut().failed(failure.error.clone());
            match decision {
                Decision::AskAgain(ms) => timer::sleep(ms).await,
                Decision::GiveUp(error) => return Err(Failure { error, ..failure }),
            }
        }
    }

    /// Withdraws the integration (the `DELETE` extension).
    pub async fn cancel(&self, caller: Option<AbortSignal>) -> Result<(), Failure> {
        let operation = Operation::Cancel;
        let stops = self.stops(caller);
        let call = Call {
            operation,
            method: Method::DELETE,
            url: self.http.config.status_url(&self.token),
        };
        self.http.send(&call, &stops).await?;
        self.observed(Status::Cancelled);
        Ok(())
    }

    /// Shows the frame, or gives the one that is shown.
    pub fn mount(
        self: &Rc<Self>,
        options: impl FnOnce() -> Result<FrameOptions, Failure>,
    ) -> Result<Rc<Frame>, Failure> {
        if let Some(stopped) = self.stops(None).stopped(Operation::MountFrame) {
            return Err(stopped);
        }
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
        self.show(&frame, |_| {});
        Ok(frame)
    }

    /// Loads the connect page into an open frame and listens to it; `also` is told what the frame tells.
    pub fn show(self: &Rc<Self>, frame: &Rc<Frame>, also: impl Fn(Signal) + 'static) {
        // Strong: a frame in the page keeps its session, until it ends.
        let session = self.clone();
        frame.attach(Box::new(move |signal| {
            session.signaled(signal);
            also(signal);
        }));
        self.is_blocked.set(false);
        self.frame.replace(Some(frame.clone()));
        let config = &self.http.config;
        frame.navigate(crate::frame::url(
            &config.connect_url,
            &self.token,
            &config.client_id,
        ));
    }

    /// Ends everything but a pick-up on its way.
    pub fn destroy(&self) {
        self.owner.abort();
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
            method: Method::GET,
            url: self.http.config.status_url(&self.token),
        };
        let body = self.http.send(&call, stops).await?;
        http::read(body, operation, decode::answer)
    }

    fn stops(&self, caller: Option<AbortSignal>) -> Stops {
        Stops {
            caller,
            owner: Some(self.owner.signal()),
            deaf: None,
        }
    }
}

/// Waits for whichever comes first.
async fn first(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let mut one = std::pin::pin!(one);
    let mut other = std::pin::pin!(other);
    std::future::poll_fn(|context| {
        if one.as_mut().poll(context).is_ready() {
            return std::task::Poll::Ready(());
        }
        other.as_mut().poll(context)
    })
    .await;
}

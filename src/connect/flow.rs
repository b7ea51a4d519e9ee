//! The whole flow in one call: create, show, wait, pick up (§1).

use super::frame::exports::container_of;
use super::frame::options::DONE_SECONDS;
use super::frame::success_card::SuccessCard;
use super::frame::{Frame, Signal, SignalHandler};
use super::integration::{End, ON_STATUS};
use super::integrations::Integrations;
use super::observer::Observers;
use super::page::{Page, Pages};
use super::session::Session;
use crate::core::cancellation::{self, Cancellation, race};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::core::options::Options;
use crate::core::single_flight::{Flight, SingleFlight};
use crate::core::task;
use crate::platform::Platform;
use pos_connect_protocol::Status;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsValue;
use web_sys::AbortController;

/// `connect` of one object.
pub struct Connect {
    integrations: Rc<Integrations<Pages>>,
    /// The flow, while one runs.
    flow: SingleFlight,
    /// The callbacks of the calls that joined it.
    observers: Rc<Observers>,
    /// The frame of that flow.
    current_frame: RefCell<Weak<Frame>>,
    /// What follows that frame for a moment.
    success: Cell<Option<SuccessCard>>,
    /// What the next call goes on with: nobody has decided yet, as far as it knows, or the pick-up failed for now.
    left: RefCell<Option<Rc<Session<Page>>>>,
}

impl Connect {
    /// Shows nothing yet.
    pub fn new(integrations: Rc<Integrations<Pages>>) -> Rc<Self> {
        Rc::new(Self {
            integrations,
            flow: SingleFlight::default(),
            observers: Rc::default(),
            current_frame: RefCell::default(),
            success: Cell::default(),
            left: RefCell::default(),
        })
    }

    /// Runs the flow, or joins the one that runs.
    pub async fn run(
        self: &Rc<Self>,
        options: Options,
        cancel: Cancellation,
    ) -> Result<JsValue, Rejection> {
        cancel.check()?;
        let _observing = self.observers.add(options.page(&ON_STATUS));
        let container = container_of(&options)?;
        let flight = self.flow.join(|| self.start(options))?;
        let shown = self.current_frame.borrow().upgrade();
        if let (Some(frame), Some(container)) = (shown, container) {
            // The one that was joined may be shown elsewhere.
            frame.move_to(&container);
        }
        self.flow.wait(flight, cancel).await
    }

    fn start(self: &Rc<Self>, options: Options) -> Result<Flight, Rejection> {
        // What the last one said is over.
        drop(self.success.take());
        let stop = cancellation::controller()?;
        let has_consented: Rc<Cell<bool>> = Rc::default();
        let left = self.left.borrow().clone();
        let promise = match left.filter(|session| session.may_fetch_again.get()) {
            // The merchant consented before, but the pick-up failed: nobody has to consent again.
            Some(session) => task::promise(
                Operation::Connect,
                self.clone().pick_up(session, has_consented.clone()),
            ),
            None => {
                // Opened before there is an integration, so that the merchant sees at once that something happens.
                let done_ms = options.number(&DONE_SECONDS) * 1000.0;
                let frame = Frame::open(options, self.integrations.pages.browser.clone())
                    .map_err(|failure| failure.during(Operation::MountFrame))?;
                let flow = Flow {
                    frame,
                    connect: self.clone(),
                    stop: stop.clone(),
                    has_consented: has_consented.clone(),
                    is_closed: Rc::default(),
                    done_ms,
                };
                self.current_frame.replace(Rc::downgrade(&flow.frame));
                flow.frame.attach(flow.closer());
                let frame = flow.frame.clone();
                let flow = task::promise(Operation::Connect, flow.run());
                // Also where something threw, and the flow stopped in its middle.
                let settled = cancellation::settled(&flow);
                task::start(async move {
                    if settled.await.is_err() {
                        frame.finish(End::Failed);
                    }
                });
                flow
            }
        };
        Ok(Flight::new(promise, stop, has_consented))
    }

    /// Picks up what a merchant has consented to. If that fails for now, the next `connect` retries it.
    async fn pick_up(
        self: Rc<Self>,
        session: Rc<Session<Page>>,
        has_consented: Rc<Cell<bool>>,
    ) -> Result<JsValue, Rejection> {
        has_consented.set(true);
        let result = session.fetch_tokens(session.page().session_ended()).await;
        let again = session.may_fetch_again.get().then_some(session);
        self.left.replace(again);
        result
    }

    /// Lets go of the tokens that the next call would pick up.
    pub fn forget_tokens(&self) {
        self.left.take();
    }

    /// Ends the flow and its frame.
    pub fn destroy(&self) {
        self.flow.stop();
        let shown = self.current_frame.borrow().upgrade();
        if let Some(frame) = shown {
            // Now: the flow may still be waiting for the storage.
            frame.finish(End::Closed);
        }
        self.left.take();
        self.success.take();
    }
}

/// One run, from the open frame on.
struct Flow {
    connect: Rc<Connect>,
    frame: Rc<Frame>,
    /// Aborted when nobody waits any more, and when the frame is closed.
    stop: AbortController,
    has_consented: Rc<Cell<bool>>,
    is_closed: Rc<Cell<bool>>,
    done_ms: f64,
}

impl Flow {
    /// Gives the wait up when the frame is closed.
    fn closer(&self) -> SignalHandler {
        let (stop, is_closed) = (self.stop.clone(), self.is_closed.clone());
        Rc::new(move |signal| {
            if signal == Signal::Closed {
                is_closed.set(true);
                cancellation::abort(&stop);
            }
        })
    }

    async fn run(self) -> Result<JsValue, Rejection> {
        let result = self.integrate().await;
        self.frame.finish(match &result {
            Ok(_) => End::Finished,
            Err(_) if self.stop.signal().aborted() => End::Closed,
            Err(_) => End::Failed,
        });
        if let Ok(set) = &result
            && self.done_ms > 0.0
            && self.connect.integrations.pages.ended().check().is_ok()
        {
            let connect = Rc::downgrade(&self.connect);
            let end = move || drop(connect.upgrade().and_then(|connect| connect.success.take()));
            let card = self.frame.success_card(set, self.done_ms, Rc::new(end));
            self.connect.success.set(card);
        }
        result
    }

    async fn integrate(&self) -> Result<JsValue, Rejection> {
        let session = self.resume_or_create().await?;
        session.page().follow(self.connect.observers.clone());
        let left = &self.connect.left;
        left.replace(Some(session.clone()));
        if session.is_open() {
            session.show(&self.frame, Some(self.closer()));
        }
        match self.decision(&session).await? {
            // The merchant may still decide, in a window or on the phone: the next `connect` resumes it.
            Status::Pending => Err(Failure::new(ErrorCode::Closed).into()),
            Status::Finished => {
                let connect = self.connect.clone();
                connect.pick_up(session, self.has_consented.clone()).await
            }
            Status::Cancelled => {
                left.take();
                Err(Failure::new(ErrorCode::Cancelled).into())
            }
        }
    }

    /// What was left, or a new integration.
    async fn resume_or_create(&self) -> Result<Rc<Session<Page>>, Rejection> {
        // The storage may take its time; the frame of a flow that was given up goes at once.
        let stop = Cancellation::by(&self.stop);
        let integrations = &self.connect.integrations;
        let own = self.connect.left.borrow().clone();
        let left = race(integrations.resumable(own, &stop), &stop).await;
        let left = left.map_err(|failure| self.ended(failure, Operation::Connect))?;
        match left {
            Some(session) => Ok(session),
            None => {
                let created = integrations.create(&stop).await;
                Ok(created.map_err(|failure| self.ended(failure, Operation::CreateIntegration))?)
            }
        }
    }

    /// The status that the wait ends with; `pending` if the frame was closed first.
    async fn decision(&self, session: &Rc<Session<Page>>) -> Result<Status, Rejection> {
        match session.until_done(&self.stop).await {
            // The closing page invites to close the dialog: that must not throw away what was just consented to.
            Err(_) if self.is_closed.get() => {
                match session.status(&session.page().session_ended()).await {
                    // It said that the merchant has decided: what is not known yet is not given up.
                    Err(failure) if session.decision.schedule.borrow().is_hinted() => {
                        Err(self.ended(failure, Operation::WaitUntilDone).into())
                    }
                    asked => Ok(asked.unwrap_or(Status::Pending)),
                }
            }
            waited => Ok(waited.map_err(|failure| self.ended(failure, Operation::WaitUntilDone))?),
        }
    }

    /// The error of a step. Says "closed" if the closed frame is the reason.
    fn ended(&self, failure: Failure, step: Operation) -> JsValue {
        match self.is_closed.get() && failure.code() == ErrorCode::Destroyed {
            true => Failure::new(ErrorCode::Closed).during(Operation::Connect),
            false => failure.during(step),
        }
    }
}

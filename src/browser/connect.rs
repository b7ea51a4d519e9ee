//! The whole flow in one call: create, show, wait, pick up (§1).

use super::client::Client;
use super::failure::Failure;
use super::frame::{Frame, FrameOptions, Signal, Teller};
use super::old::shared::Work;
use super::old::stop::{self, Stops};
use super::session::Session;
use crate::browser::old::promise::promise;
use crate::error::{ErrorCode, Operation};
use crate::integration::End;
use pos_connect_protocol::Status;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Runs the flow, or joins the one that runs. Its own signal ends a call's wait until the merchant has consented.
pub async fn connect(
    client: Rc<Client>,
    caller: JsValue,
    on_status: JsValue,
    options: impl FnOnce() -> Result<FrameOptions, Failure>,
) -> Result<JsValue, JsValue> {
    let operation = Operation::Connect;
    let stops = client.stops(caller);
    stops.check(operation)?;
    let _observing = client.observers.add(on_status);
    let work = client.flow.join(Box::new(|| {
        let stop = stop::controller();
        let consented: Rc<Cell<bool>> = Rc::default();
        let promise = match client.unclaimed.take() {
            // The merchant consented before, but the pick-up failed: nobody has to consent again.
            Some(session) => promise(claim(client.clone(), session, consented.clone())),
            None => {
                // Opened before there is an integration, so that the merchant sees at once that something happens.
                let frame = Frame::open(options()?, &client.http.config.connect_origin)?;
                let flow = Flow {
                    client: client.clone(),
                    frame,
                    stop: stop.clone(),
                    consented: consented.clone(),
                    is_closed: Rc::default(),
                };
                flow.frame.attach(flow.closer());
                promise(flow.run())
            }
        };
        Ok(Work::new(promise, stop, consented))
    }))?;
    client.flow.wait(work, operation, stops).await
}

/// Picks up what a merchant has consented to. If that fails for now, the next `connect` goes on here.
async fn claim(
    client: Rc<Client>,
    session: Rc<Session>,
    consented: Rc<Cell<bool>>,
) -> Result<JsValue, JsValue> {
    consented.set(true);
    let result = session.fetch_tokens(JsValue::UNDEFINED).await;
    if session.may_fetch_again() {
        client.unclaimed.replace(Some(session));
    }
    result
}

/// One run, from the open frame on.
struct Flow {
    client: Rc<Client>,
    frame: Rc<Frame>,
    /// Aborted when nobody waits any more, and when the frame is closed.
    stop: JsValue,
    consented: Rc<Cell<bool>>,
    is_closed: Rc<Cell<bool>>,
}

impl Flow {
    /// Gives the wait up when the frame is closed.
    fn closer(&self) -> Teller {
        let (stop, is_closed) = (self.stop.clone(), self.is_closed.clone());
        Rc::new(move |signal| {
            if signal == Signal::Closed {
                is_closed.set(true);
                stop::abort(&stop);
            }
        })
    }

    async fn run(self) -> Result<JsValue, JsValue> {
        let result = self.integrate().await;
        self.frame.finish(match &result {
            Ok(_) => End::Finished,
            Err(_) if stop::has_aborted(&self.stop) => End::Closed,
            Err(_) => End::Failed,
        });
        result
    }

    async fn integrate(&self) -> Result<JsValue, JsValue> {
        let session = match self.left().await {
            Some(session) => session,
            None => {
                let observers = self.client.observers.clone();
                let created = self.client.create(Stops::by(&self.stop), observers);
                created.await.map_err(|failure| self.ended(failure))?
            }
        };
        let left = &self.client.left;
        left.replace(Some(session.clone()));
        if session.is_open() {
            session.show(&self.frame, Some(self.closer()));
        }
        let waited = session.until_done(&self.stop).await;
        let status = match waited {
            // The closing page invites to close the dialog: that must not throw away what was just consented to.
            Err(_) if self.is_closed.get() => {
                let last = session.status(JsValue::UNDEFINED).await;
                last.unwrap_or(Status::Pending)
            }
            waited => waited.map_err(|failure| self.ended(failure))?,
        };
        if status == Status::Pending {
            // The merchant may still decide, in a window or on the phone: the next `connect` goes on with it.
            return Err(Failure::new(ErrorCode::Closed, Operation::Connect).into());
        }
        left.take();
        if status == Status::Finished {
            return claim(self.client.clone(), session, self.consented.clone()).await;
        }
        Err(Failure::new(ErrorCode::Cancelled, Operation::Connect).into())
    }

    /// The integration that an earlier `connect` has left, unless it is over.
    async fn left(&self) -> Option<Rc<Session>> {
        let left = self.client.left.borrow().clone();
        let session = left.filter(|session| session.is_open())?;
        match session.status(stop::signal_of(&self.stop)).await {
            Ok(Status::Cancelled) => None,
            // Whatever else speaks against it, a new one hears, too.
            Err(failure) if !failure.error.code.retryable() => None,
            _ => Some(session),
        }
    }

    /// Says "closed" where the closed frame is the reason.
    fn ended(&self, failure: Failure) -> Failure {
        if self.is_closed.get() && failure.error.code == ErrorCode::Destroyed {
            return Failure::new(ErrorCode::Closed, Operation::Connect);
        }
        failure
    }
}

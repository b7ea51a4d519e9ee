//! The whole flow in one call: create, show, wait, pick up (§1).

use super::client::Client;
use super::failure::Failure;
use super::frame::{Frame, FrameOptions, Signal, Teller};
use super::session::Session;
use super::shared::Work;
use super::stop::{self, Stops};
use crate::browser::promise::promise;
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
            Some(session) if session.may_fetch_again() => {
                promise(claim(client.clone(), session, consented.clone()))
            }
            left => {
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
                promise(flow.run(left))
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

    async fn run(self, left: Option<Rc<Session>>) -> Result<JsValue, JsValue> {
        let result = self.integrate(left).await;
        self.frame.finish(match &result {
            Ok(_) => End::Finished,
            Err(_) if stop::has_aborted(&self.stop) => End::Closed,
            Err(_) => End::Failed,
        });
        result
    }

    async fn integrate(&self, left: Option<Rc<Session>>) -> Result<JsValue, JsValue> {
        let session = match left {
            Some(session) if session.lives().await => session,
            _ => {
                let observers = self.client.observers.clone();
                let created = self.client.create(Stops::by(&self.stop), observers);
                created.await.map_err(|failure| self.ended(failure))?
            }
        };
        session.show(&self.frame, Some(self.closer()));
        let waited = session.until_done(&self.stop).await;
        let status = match waited {
            // The closing page invites to close the dialog: that must not throw away what was just consented to.
            Err(_) if self.is_closed.get() => {
                let last = session.status(JsValue::UNDEFINED).await;
                last.unwrap_or(Status::Pending)
            }
            waited => waited.map_err(|failure| self.ended(failure))?,
        };
        let code = match status {
            Status::Finished => {
                return claim(self.client.clone(), session, self.consented.clone()).await;
            }
            Status::Cancelled => ErrorCode::Cancelled,
            Status::Pending => {
                // The merchant may still decide, in a window or on the phone: then the next `connect` has the tokens.
                self.client.unclaimed.replace(Some(session));
                ErrorCode::Closed
            }
        };
        Err(Failure::new(code, Operation::Connect).into())
    }

    /// Says "closed" where the closed frame is the reason.
    fn ended(&self, failure: Failure) -> Failure {
        if self.is_closed.get() && failure.error.code == ErrorCode::Destroyed {
            return Failure::new(ErrorCode::Closed, Operation::Connect);
        }
        failure
    }
}

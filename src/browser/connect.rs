//! The whole flow in one call: create, show, wait, pick up (§1).

use super::client::{Client, controller};
use super::failure::Failure;
use super::frame::{Frame, FrameOptions, Signal};
use super::shared::Work;
use super::stop::Stops;
use crate::browser::promise::promise;
use crate::error::{ErrorCode, Operation};
use crate::integration::End;
use js_sys::Function;
use pos_connect_protocol::Status;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{AbortController, AbortSignal};

/// Runs the flow, or joins the one that runs. Its own signal ends a call's wait until the merchant has consented.
pub async fn connect(
    client: Rc<Client>,
    caller: Option<AbortSignal>,
    on_status: Option<Function>,
    options: impl FnOnce() -> Result<FrameOptions, Failure>,
) -> Result<JsValue, JsValue> {
    let operation = Operation::Connect;
    let stops = client.stops(caller);
    if let Some(stopped) = stops.stopped(operation) {
        return Err(stopped.into());
    }
    let _observing = on_status.map(|callback| client.observers.add(callback));
    let work = client.flow.join(|| {
        let stop = controller(operation)?;
        // Opened before there is an integration, so that the merchant sees at once that something happens.
        let frame = Frame::open(options()?, &client.http.config.connect_origin)?;
        frame.attach(closer(stop.clone()));
        let consented: Rc<Cell<bool>> = Rc::default();
        let flow = flow(client.clone(), frame, stop.clone(), consented.clone());
        Ok(Work::new(promise(flow), stop, consented))
    })?;
    client.flow.wait(work, operation, &stops).await
}

/// Gives the flow up when its frame is closed.
fn closer(stop: AbortController) -> Box<dyn Fn(Signal)> {
    Box::new(move |signal| {
        if signal == Signal::Closed {
            stop.abort();
        }
    })
}

async fn flow(
    client: Rc<Client>,
    frame: Rc<Frame>,
    stop: AbortController,
    consented: Rc<Cell<bool>>,
) -> Result<JsValue, JsValue> {
    let result = run(&client, &frame, &stop, &consented).await;
    let closed = frame.end() == Some(End::Closed);
    frame.finish(match &result {
        Ok(_) => End::Finished,
        Err(_) if stop.signal().aborted() => End::Closed,
        Err(_) => End::Failed,
    });
    if closed && result.is_err() {
        return Err(Failure::new(ErrorCode::Closed, Operation::Connect).into());
    }
    result
}

async fn run(
    client: &Client,
    frame: &Rc<Frame>,
    stop: &AbortController,
    consented: &Cell<bool>,
) -> Result<JsValue, JsValue> {
    let stops = Stops {
        owner: Some(stop.signal()),
        ..Stops::default()
    };
    let session = client.create(&stops, client.observers.clone()).await?;
    session.show(frame, closer(stop.clone()));
    if session.until_done(stop.signal()).await? != Status::Finished {
        return Err(Failure::new(ErrorCode::Cancelled, Operation::Connect).into());
    }
    consented.set(true);
    session.fetch_tokens(None).await
}

//! The browser's half of a session: its callbacks, its frame, and the promises of its calls.

use super::frame::options::CONTAINER;
use super::frame::{Frame, Signal, SignalHandler};
use super::integration::End;
use super::integrations::Integrations;
use super::observer::Observers;
use super::session::Session;
use super::session_page::{SessionPage, SessionPages};
use super::{retry, tokens};
use crate::core::cancellation::{self, Cancellation, race, settled, timeout};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::core::options::Options;
use crate::core::single_flight::{Flight, SingleFlight};
use crate::core::{console, task};
use crate::platform::Browser;
use js_sys::{Function, Promise};
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::TokenSet;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsValue;
use web_sys::AbortController;

/// This page, for one integration.
pub struct Page {
    browser: Rc<Browser>,
    /// `persistTokens`, if the host has one.
    persist: Option<Function>,
    /// The promise of the pick-up that runs or has succeeded, until the tokens are handed over.
    tokens: RefCell<Option<Promise>>,
    observers: Rc<Observers>,
    /// The observers of `connect`, while it shows this integration.
    flow_observers: RefCell<Rc<Observers>>,
    wait: SingleFlight,
    frame: RefCell<Option<Rc<Frame>>>,
    is_blocked: Cell<bool>,
    owner: AbortController,
}

/// This page, for all integrations of one object.
pub struct Pages {
    /// What it calls and keeps.
    pub browser: Rc<Browser>,
    /// `persistTokens`, if the host has one.
    pub persist: Option<Function>,
}

impl AsRef<Browser> for Pages {
    fn as_ref(&self) -> &Browser {
        &self.browser
    }
}

impl SessionPages for Pages {
    type Page = Page;

    fn page(&self) -> Result<Page, Failure> {
        Ok(Page {
            browser: self.browser.clone(),
            persist: self.persist.clone(),
            tokens: RefCell::default(),
            observers: Rc::default(),
            flow_observers: RefCell::default(),
            wait: SingleFlight::default(),
            frame: RefCell::default(),
            is_blocked: Cell::default(),
            owner: cancellation::controller()?,
        })
    }
}

impl Integrations<Pages> {
    /// Ends every session.
    pub fn destroy(&self) {
        let sessions = self.sessions.take();
        for session in sessions.iter().filter_map(Weak::upgrade) {
            session.destroy();
        }
    }
}

impl Page {
    /// What ends the calls of this session.
    pub fn session_ended(&self) -> Cancellation {
        Cancellation::by(&self.owner)
    }

    /// Tells `observers` each status from now on, too.
    pub fn follow(&self, observers: Rc<Observers>) {
        self.flow_observers.replace(observers);
    }

    fn end_frame(&self, end: End) {
        let frame = self.frame.take();
        if let Some(frame) = frame {
            frame.finish(end);
        }
    }
}

impl AsRef<Browser> for Page {
    fn as_ref(&self) -> &Browser {
        &self.browser
    }
}

impl SessionPage for Page {
    fn is_session_destroyed(&self) -> bool {
        self.owner.signal().aborted()
    }

    fn tell_status(&self, status: Status) {
        self.observers.notify(status);
        // No borrow is held: a callback may call anything of ours.
        let flow = self.flow_observers.borrow().clone();
        flow.notify(status);
        if let Some(end) = End::of(status) {
            self.end_frame(end);
        }
    }

    fn opened_elsewhere(&self) {
        if let Some(frame) = self.frame.borrow().as_ref() {
            frame.opened_elsewhere();
        }
    }

    fn is_blocked(&self) -> bool {
        self.is_blocked.get()
    }

    fn wants_tokens(&self) -> bool {
        self.persist.is_some()
    }

    async fn persist(&self, set: TokenSet) -> Result<(), Rejection> {
        if let Some(persist) = &self.persist {
            let given = persist.call1(&JsValue::UNDEFINED, &tokens::to_js(&set))?;
            drop(set);
            let persisted = timeout(retry::HAND_OVER_LIMIT_MS, settled(&given)).await;
            persisted.ok_or_else(|| Failure::new(ErrorCode::Timeout))??;
        }
        Ok(())
    }

    fn report(&self, message: &'static str, operation: Operation, reason: Rejection) {
        console::error(message, &reason.during(operation));
    }

    fn note_connection(&self, set: &TokenSet) {
        self.browser.vault.note_record(set, true);
    }

    fn forget_key(&self) {
        self.browser.vault.forget_key();
    }

    fn forget_tokens(&self) {
        self.tokens.take();
    }
}

impl Session<Page> {
    /// Asks until the end (§4.2); overlapping calls share one series.
    pub async fn wait(
        self: &Rc<Self>,
        cancel: Cancellation,
        on_status: Option<Function>,
    ) -> Result<JsValue, Rejection> {
        cancel.check()?;
        let page = self.page();
        let _observing = page.observers.add(on_status);
        let flight = page.wait.join(|| {
            let stop = cancellation::controller()?;
            let (session, given_up) = (self.clone(), stop.clone());
            let promise = task::promise(Operation::WaitUntilDone, async move {
                let status = session.until_done(&given_up).await?;
                Ok(status.as_str().into())
            });
            Ok(Flight::new(promise, stop, Rc::default()))
        })?;
        page.wait.wait(flight, cancel).await
    }

    /// The series of status calls. `stop` gives it up.
    pub async fn until_done(self: &Rc<Self>, stop: &AbortController) -> Result<Status, Failure> {
        let result = self.poll(&Cancellation::by(stop)).await;
        if let Err(failure) = &result
            && failure.code() != ErrorCode::Destroyed
        {
            self.page().end_frame(End::Failed);
        }
        result
    }

    /// Picks the token set up. Overlapping calls share one pick-up, and a repeated call gives the same object until the
    /// tokens are handed over.
    pub async fn fetch_tokens(self: &Rc<Self>, cancel: Cancellation) -> Result<JsValue, Rejection> {
        cancel.check()?;
        let tokens = &self.page().tokens;
        let known = tokens.borrow().clone();
        let promise = known.unwrap_or_else(|| {
            let session = self.clone();
            let promise = task::promise(Operation::FetchTokens, async move {
                Ok(tokens::to_js(&session.fetch().await?).into())
            });
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

    /// Shows the frame, or gives the one that is shown, which goes where it is wanted now.
    pub fn mount(self: &Rc<Self>, options: Options) -> Result<Rc<Frame>, Failure> {
        self.page().session_ended().check()?;
        match self.decision.outcome() {
            Some(Status::Finished) => return Err(Failure::new(ErrorCode::AlreadyFinished)),
            Some(_) => return Err(Failure::new(ErrorCode::IntegrationCancelled)),
            None => {}
        }
        let mounted = self.page().frame.borrow().clone();
        if let Some(frame) = mounted.filter(|frame| frame.end().is_none()) {
            if let Some(container) = options.page(&CONTAINER) {
                frame.move_to(&container);
            }
            return Ok(frame);
        }
        let frame = Frame::open(options, self.page().browser.clone())?;
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
        let page = self.page();
        page.is_blocked.set(false);
        let before = page.frame.replace(Some(frame.clone()));
        if let Some(before) = before.filter(|before| !Rc::ptr_eq(before, frame)) {
            // One integration is shown once. After its end, this does nothing.
            before.finish(End::Closed);
        }
        frame.navigate(&self.pick_up.identity);
    }

    fn signaled(&self, signal: Signal) {
        match signal {
            Signal::Decided => self.decision.schedule.borrow_mut().hinted(),
            Signal::Blocked => self.page().is_blocked.set(true),
            Signal::Closed => return,
        }
        self.decision.look_again();
    }

    /// Ends everything but a pick-up on its way.
    pub fn destroy(&self) {
        let page = self.page();
        cancellation::abort(&page.owner);
        page.wait.stop();
        page.end_frame(End::Closed);
        if !self.hand_over.is_running.get() {
            // The host has them, or does not want them: other pages may ask.
            self.pick_up.release();
        }
    }
}

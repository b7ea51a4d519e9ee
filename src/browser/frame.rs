//! A connect frame in the page (§4.3): from `open` to exactly one end, after which nothing of it is left.

use super::js;
use super::listener::Listener;
use super::promise::{deferred, settle};
use super::timer::Timer;
use super::view::{Labels, View};
use crate::error::Error;
use crate::frame::{self, HELLO_EVERY_MS, Hint, SLOW_AFTER_MS};
use crate::integration::End;
use pos_connect_protocol::hint;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// How the page wants its frame.
pub struct FrameOptions {
    /// Where it goes; none: a dialog.
    pub container: Option<JsValue>,
    /// Texts.
    pub labels: Labels,
    /// A text; `null`: no sandbox.
    pub sandbox: JsValue,
    /// Called once, when the page answered.
    pub on_ready: Option<JsValue>,
}

/// What the frame tells its session.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Signal {
    /// Worth a status call.
    Decided,
    /// This page's own policy blocks it: there is nothing to wait for.
    Blocked,
    /// The user closed it, or the till did.
    Closed,
}

/// Whoever is told.
pub type Teller = Rc<dyn Fn(Signal)>;

/// The frame.
pub struct Frame {
    view: View,
    origin: String,
    /// `undefined` until it is navigated.
    url: RefCell<JsValue>,
    on_ready: Cell<Option<JsValue>>,
    heard: Cell<bool>,
    teller: RefCell<Option<Teller>>,
    opened: RefCell<Option<(JsValue, Timer)>>,
    listeners: RefCell<Vec<Listener>>,
    slow_timer: Cell<Option<Timer>>,
    end: Cell<Option<End>>,
    /// Itself, until it ends: it works on when the page has dropped its handles.
    own: Cell<Option<Rc<Self>>>,
    resolve: JsValue,
    ended: JsValue,
}

impl Frame {
    /// Puts the frame into the page, still empty. `origin` is the only one that its messages may come from.
    pub fn open(options: FrameOptions, origin: &str) -> Result<Rc<Self>, Error> {
        let view = View::open(&options)?;
        let (ended, resolve) = deferred();
        let frame = Rc::new(Self {
            view,
            origin: origin.into(),
            url: RefCell::default(),
            on_ready: Cell::new(options.on_ready),
            heard: Cell::new(false),
            teller: RefCell::default(),
            opened: RefCell::default(),
            listeners: RefCell::default(),
            slow_timer: Cell::default(),
            end: Cell::new(None),
            own: Cell::default(),
            resolve,
            ended,
        });
        frame.listen();
        frame.own.set(Some(frame.clone()));
        Ok(frame)
    }

    /// Tells `teller` from now on.
    pub fn attach(&self, teller: Teller) {
        self.teller.replace(Some(teller));
    }

    /// Loads the connect page.
    pub fn navigate(self: &Rc<Self>, url: &str) {
        if self.end.get().is_some() {
            return;
        }
        let url = JsValue::from(url);
        self.url.replace(url.clone());
        js::set(&self.view.iframe, "src", url);
        self.await_word();
    }

    /// Shows the way out if nothing is heard from the page that loads.
    fn await_word(self: &Rc<Self>) {
        self.heard.set(false);
        let weak = Rc::downgrade(self);
        let late = move |_| {
            if let Some(frame) = weak.upgrade().filter(|frame| !frame.heard.get()) {
                show(&frame.view.loading, false);
                show(&frame.view.slow, true);
            }
        };
        let timer = Timer::once(f64::from(SLOW_AFTER_MS), Box::new(late));
        self.slow_timer.set(Some(timer));
    }

    /// Ends the frame; the first end counts. Everything it put into the page is gone then.
    pub fn finish(&self, end: End) {
        if self.end.get().is_some() {
            return;
        }
        self.end.set(Some(end));
        let _own = self.own.take();
        self.teller.take();
        self.listeners.borrow_mut().clear();
        self.slow_timer.take();
        self.opened.take();
        self.url.take();
        self.on_ready.take();
        self.view.remove();
        settle(&self.resolve, Ok(end.as_str().into()));
    }

    /// Ends the frame as closed, and says so.
    pub fn close(&self) {
        self.finish_and_tell(End::Closed, Signal::Closed);
    }

    fn finish_and_tell(&self, end: End, signal: Signal) {
        if self.end.get().is_none() {
            let teller = self.teller.take();
            self.finish(end);
            if let Some(teller) = teller {
                teller(signal);
            }
        }
    }

    /// Which end it took, if it did.
    pub fn end(&self) -> Option<End> {
        self.end.get()
    }

    /// Resolves with the end.
    pub fn ended(&self) -> JsValue {
        self.ended.clone()
    }

    /// What stands in the page.
    pub fn element(&self) -> JsValue {
        self.view.root.clone()
    }

    fn tell(&self, signal: Signal) {
        // No borrow is held: it may attach another.
        let teller = self.teller.borrow().clone();
        if let Some(teller) = teller {
            teller(signal);
        }
    }

    fn listen(self: &Rc<Self>) {
        let view = &self.view;
        let mut listeners = vec![
            self.on(&view.iframe, "load", |frame, _| frame.loaded()),
            self.on(&view.open_window, "click", |frame, _| frame.open_window()),
            self.on(&js::global(), "message", |frame, event| {
                frame.message(event)
            }),
            self.on(&view.document, "securitypolicyviolation", |frame, event| {
                frame.violation(event)
            }),
        ];
        if let Some(close) = &view.close {
            listeners.push(self.on(close, "click", |frame, _| frame.close()));
            // Escape: `cancel` can be vetoed by the page, `close` cannot.
            listeners.push(self.on(&view.root, "close", |frame, event| {
                if js::get(event, "target") == frame.view.root {
                    frame.close();
                }
            }));
        }
        self.listeners.replace(listeners);
    }

    fn on(
        self: &Rc<Self>,
        target: &JsValue,
        name: &'static str,
        act: fn(&Rc<Self>, &JsValue),
    ) -> Listener {
        let weak = Rc::downgrade(self);
        let callback = move |event| {
            if let Some(frame) = weak.upgrade() {
                act(&frame, &event);
            }
        };
        Listener::new(target, name, Box::new(callback))
    }

    /// Every load is another document, which has to be greeted anew. An empty frame loads as well.
    fn loaded(self: &Rc<Self>) {
        if self.url.borrow().is_undefined() {
            return;
        }
        show(&self.view.loading, false);
        // The page after a form may be the browser's own "refused to connect".
        self.await_word();
        self.hello(&self.view.window());
    }

    fn hello(&self, window: &JsValue) {
        let message = js::object();
        js::set(&message, hint::MARK, hint::VERSION.into());
        js::set_text(&message, hint::TYPE, hint::HELLO);
        // Not delivered, without an error, where another origin's document stands there.
        js::act(
            window,
            "postMessage",
            &message,
            &self.origin.as_str().into(),
        );
    }

    fn open_window(self: &Rc<Self>) {
        let url = self.url.borrow().clone();
        if url.is_undefined() {
            return;
        }
        // With an opener, or its hints could not reach us. It is the pinned connect page.
        let window = js::act(&js::global(), "open", &url, &"_blank".into());
        if js::is_absent(&window) {
            return;
        }
        let weak = Rc::downgrade(self);
        let greeted = window.clone();
        let greet = move |_| {
            if let Some(frame) = weak.upgrade()
                && js::get(&greeted, "closed") == JsValue::FALSE
            {
                frame.hello(&greeted);
            }
        };
        let timer = Timer::every(f64::from(HELLO_EVERY_MS), Box::new(greet));
        self.opened.replace(Some((window, timer)));
    }

    fn message(&self, event: &JsValue) {
        let source = js::get(event, "source");
        let is_opened = |(window, _): &(JsValue, Timer)| *window == source;
        let from_ours = !js::is_absent(&source)
            && (self.view.window() == source
                || self.opened.borrow().as_ref().is_some_and(is_opened));
        let origin = js::text(event, "origin");
        // Before a look at what others sent: reading it could already take as long as they like.
        if !from_ours || origin != self.origin {
            return;
        }
        let data = js::get(event, "data");
        let kind = js::get(&data, hint::TYPE).as_string();
        let message = frame::Message {
            from_ours,
            origin: &origin,
            mark: js::get(&data, hint::MARK).as_f64(),
            kind: kind.as_deref(),
        };
        match frame::read(&message, &self.origin) {
            Some(Hint::Ready) => self.ready(),
            Some(Hint::Decided) => {
                self.ready();
                self.tell(Signal::Decided);
            }
            None => {}
        }
    }

    fn ready(&self) {
        if self.heard.replace(true) {
            return;
        }
        self.slow_timer.take();
        show(&self.view.loading, false);
        show(&self.view.slow, false);
        if let Some(on_ready) = self.on_ready.take()
            && let Err(thrown) = js::ask(&on_ready, js::NONE)
        {
            js::report("pos-connect: onReady threw", &thrown);
        }
    }

    /// The only sure sign of a block: a blocked frame fires `load` like any other.
    fn violation(&self, event: &JsValue) {
        let blocked = js::text(event, "blockedURI");
        let rest = blocked.strip_prefix(self.origin.as_str());
        let is_ours = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        // A report-only policy reports and blocks nothing.
        let is_enforced = js::text(event, "disposition") == "enforce";
        let is_frame = js::text(event, "effectiveDirective") == "frame-src";
        if is_ours && is_enforced && is_frame && !self.url.borrow().is_undefined() {
            self.finish_and_tell(End::Failed, Signal::Blocked);
        }
    }
}

fn show(element: &JsValue, visible: bool) {
    js::set(element, "hidden", (!visible).into());
}

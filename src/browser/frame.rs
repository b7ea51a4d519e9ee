//! A connect frame in the page (§4.3): from `open` to exactly one end, after which nothing of it is left.

use super::listener::Listener;
use super::page;
use super::timer::Timer;
use super::view::{Labels, View};
use crate::error::{Error, ErrorCode, Operation};
use crate::frame::{self, HELLO_EVERY_MS, Hint, SLOW_AFTER_MS};
use crate::integration::End;
use js_sys::{Function, Object, Promise, Reflect};
use pos_connect_protocol::hint;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use web_sys::{
    Element, Event, MessageEvent, SecurityPolicyViolationEvent,
    SecurityPolicyViolationEventDisposition, Window,
};

/// How the page wants its frame.
pub struct FrameOptions {
    /// Where it goes; none: a dialog.
    pub container: Option<Element>,
    /// Texts.
    pub labels: Labels,
    /// None: no sandbox.
    pub sandbox: Option<String>,
    /// Called once, when the page answered.
    pub on_ready: Option<Function>,
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
pub type Teller = Box<dyn Fn(Signal)>;

/// The frame.
pub struct Frame {
    view: View,
    window: Window,
    origin: String,
    url: RefCell<Option<String>>,
    on_ready: RefCell<Option<Function>>,
    heard: Cell<bool>,
    teller: RefCell<Option<Teller>>,
    opened: RefCell<Option<(Window, Timer)>>,
    listeners: RefCell<Vec<Listener>>,
    slow_timer: RefCell<Option<Timer>>,
    end: Cell<Option<End>>,
    /// Itself, until it ends: it works on when the page has dropped its handles.
    own: RefCell<Option<Rc<Self>>>,
    resolve: RefCell<Option<Function>>,
    ended: Promise,
}

impl Frame {
    /// Puts the frame into the page, still empty. `origin` is the only one that its messages may come from.
    pub fn open(options: FrameOptions, origin: &str) -> Result<Rc<Self>, Error> {
        let no_dom = || {
            Error::new(ErrorCode::UnsupportedBrowser, Operation::MountFrame)
                .detail("There is no document.")
        };
        let window = web_sys::window().ok_or_else(no_dom)?;
        let document = page::document().ok_or_else(no_dom)?;
        let sandbox = options.sandbox.as_deref();
        let view = View::open(
            &document,
            options.container.as_ref(),
            &options.labels,
            sandbox,
        )?;
        let mut resolve = None;
        let ended = Promise::new(&mut |resolver, _| resolve = Some(resolver));
        let frame = Rc::new(Self {
            view,
            window,
            origin: origin.into(),
            url: RefCell::default(),
            on_ready: RefCell::new(options.on_ready),
            heard: Cell::new(false),
            teller: RefCell::default(),
            opened: RefCell::default(),
            listeners: RefCell::default(),
            slow_timer: RefCell::default(),
            end: Cell::new(None),
            own: RefCell::default(),
            resolve: RefCell::new(resolve),
            ended,
        });
        frame.listen(&document);
        frame.own.replace(Some(frame.clone()));
        Ok(frame)
    }

    /// Tells `teller` from now on.
    pub fn attach(&self, teller: Teller) {
        self.teller.replace(Some(teller));
    }

    /// Loads the connect page.
    pub fn navigate(self: &Rc<Self>, url: String) {
        if self.end.get().is_some() {
            return;
        }
        self.view.iframe.set_src(&url);
        self.url.replace(Some(url));
        self.await_word();
    }

    /// Shows the way out if nothing is heard from the page that loads.
    fn await_word(self: &Rc<Self>) {
        self.heard.set(false);
        let weak = Rc::downgrade(self);
        let timer = Timer::once(f64::from(SLOW_AFTER_MS), move || {
            if let Some(frame) = weak.upgrade().filter(|frame| !frame.heard.get()) {
                frame.view.loading.set_hidden(true);
                frame.view.slow.set_hidden(false);
            }
        });
        self.slow_timer.replace(Some(timer));
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
        if let Some(resolve) = self.resolve.take() {
            // A promise's resolve function does not throw.
            let _ = resolve.call1(&JsValue::UNDEFINED, &end.as_str().into());
        }
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
    pub fn ended(&self) -> Promise {
        self.ended.clone()
    }

    /// What stands in the page.
    pub fn element(&self) -> JsValue {
        self.view.root.clone().into()
    }

    fn tell(&self, signal: Signal) {
        // Taken out while it runs, so that it may attach another.
        let teller = self.teller.take();
        if let Some(teller) = teller {
            teller(signal);
            let mut slot = self.teller.borrow_mut();
            if slot.is_none() && self.end.get().is_none() {
                *slot = Some(teller);
            }
        }
    }

    fn listen(self: &Rc<Self>, document: &web_sys::Document) {
        let view = &self.view;
        let mut listeners = vec![
            self.on(&view.iframe, "load", |frame, _| frame.loaded()),
            self.on(&view.open_window, "click", |frame, _| frame.open_window()),
            self.on(&self.window, "message", |frame, event| {
                frame.message(event.unchecked_ref())
            }),
            self.on(document, "securitypolicyviolation", |frame, event| {
                frame.violation(event.unchecked_ref())
            }),
        ];
        if let Some((dialog, close)) = &view.dialog {
            listeners.push(self.on(close, "click", |frame, _| frame.close()));
            // Escape: `cancel` can be vetoed by the page, `close` cannot.
            listeners.push(self.on(dialog, "close", |frame, event| {
                if event.target().as_ref() == Some(frame.view.root.as_ref()) {
                    frame.close();
                }
            }));
        }
        self.listeners.replace(listeners);
    }

    fn on(
        self: &Rc<Self>,
        target: &web_sys::EventTarget,
        name: &'static str,
        act: fn(&Rc<Self>, Event),
    ) -> Listener {
        let weak: Weak<Self> = Rc::downgrade(self);
        Listener::new(target, name, move |event| {
            if let Some(frame) = weak.upgrade() {
                act(&frame, event);
            }
        })
    }

    /// Every load is another document, which has to be greeted anew. An empty frame loads as well.
    fn loaded(self: &Rc<Self>) {
        if self.url.borrow().is_none() {
            return;
        }
        self.view.loading.set_hidden(true);
        // The page after a form may be the browser's own "refused to connect".
        self.await_word();
        if let Some(window) = self.view.iframe.content_window() {
            self.hello(&window);
        }
    }

    fn hello(&self, window: &Window) {
        let message = Object::new();
        let set = |name: &str, value: JsValue| {
            // A fresh plain object takes every property.
            let _ = Reflect::set(&message, &name.into(), &value);
        };
        set(hint::MARK, hint::VERSION.into());
        set(hint::TYPE, hint::HELLO.into());
        // Not delivered, without an error, where another origin's document stands there.
        let _ = window.post_message(&message, &self.origin);
    }

    fn open_window(self: &Rc<Self>) {
        let Some(url) = self.url.borrow().clone() else {
            return;
        };
        // With an opener, or its hints could not reach us. It is the pinned connect page.
        if let Ok(Some(window)) = self.window.open_with_url_and_target(&url, "_blank") {
            let weak = Rc::downgrade(self);
            let greeted = window.clone();
            let timer = Timer::every(f64::from(HELLO_EVERY_MS), move || {
                if let Some(frame) = weak.upgrade()
                    && greeted.closed() == Ok(false)
                {
                    frame.hello(&greeted);
                }
            });
            self.opened.replace(Some((window, timer)));
        }
    }

    fn message(&self, event: &MessageEvent) {
        let Some(source) = event.source() else {
            return;
        };
        let is_source =
            |window: &Window| AsRef::<JsValue>::as_ref(window) == AsRef::<JsValue>::as_ref(&source);
        let frame = self.view.iframe.content_window();
        let is_opened = |(window, _): &(Window, Timer)| is_source(window);
        let from_ours = frame.as_ref().is_some_and(is_source)
            || self.opened.borrow().as_ref().is_some_and(is_opened);
        let origin = event.origin();
        // Before a look at what others sent: reading it could already take as long as they like.
        if !from_ours || origin != self.origin {
            return;
        }
        let data = event.data();
        let member = |name: &str| Reflect::get(&data, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let kind = member(hint::TYPE).as_string();
        let message = frame::Message {
            from_ours,
            origin: &origin,
            mark: member(hint::MARK).as_f64(),
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
        self.view.loading.set_hidden(true);
        self.view.slow.set_hidden(true);
        if let Some(on_ready) = self.on_ready.take()
            && let Err(thrown) = on_ready.call0(&JsValue::UNDEFINED)
        {
            web_sys::console::error_2(&"pos-connect: onReady threw".into(), &thrown);
        }
    }

    /// The only sure sign of a block: a blocked frame fires `load` like any other.
    fn violation(&self, event: &SecurityPolicyViolationEvent) {
        // A report-only policy reports and blocks nothing.
        let is_enforced = event.disposition() == SecurityPolicyViolationEventDisposition::Enforce;
        let is_frame = event.effective_directive() == "frame-src" && is_enforced;
        let blocked = event.blocked_uri();
        let is_ours =
            blocked == self.origin || blocked.starts_with(&[self.origin.as_str(), "/"].concat());
        if is_frame && is_ours && self.url.borrow().is_some() {
            self.finish_and_tell(End::Failed, Signal::Blocked);
        }
    }
}

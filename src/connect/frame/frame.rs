//! A connect frame in the page (§4.3), from `open` to exactly one end. After its end nothing of it is left in the
//! page.

use super::appearance::{self, Appearance};
use super::elements::appearance_of;
use super::options::{CONTAINER, ON_READY};
use super::view::View;
use crate::connect::integration::End;
use crate::core::failure::Failure;
use crate::core::listener::Listener;
use crate::core::options::Options;
use crate::core::timer::Timer;
use crate::core::{global, weak};
use crate::http::config::Config;
use crate::platform::Browser;
use crate::vault::record::IntegrationRecord;
use js_sys::{Function, Promise};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Window};

/// How often it is looked for in the page. A router may move it, but not for that long.
const WATCH_MS: f64 = 500.0;

thread_local! {
    /// The dialog that is open: a second one would lie on top of it.
    static DIALOG: RefCell<Weak<Frame>> = RefCell::default();
}

/// What the frame tells its session.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Signal {
    /// The merchant seems to have decided: worth a status call.
    Decided,
    /// The page's own policy blocks the frame: there is nothing to wait for.
    Blocked,
    /// The user closed the frame, or the page did.
    Closed,
}

/// Receives the signals of a frame.
pub type SignalHandler = Rc<dyn Fn(Signal)>;

/// The frame.
pub struct Frame {
    pub(super) view: View,
    pub(super) options: Options,
    /// The page's appearance when it was last looked at.
    pub(super) appearance: RefCell<Appearance>,
    /// The last window that the way out opened.
    pub(super) window: RefCell<Option<Window>>,
    /// Knows the connect page's origin: messages come from there only, and go to no other.
    browser: Rc<Browser>,
    /// The connect page's address, once it is loaded.
    pub(super) url: RefCell<Option<String>>,
    pub(super) handler: RefCell<Option<SignalHandler>>,
    pub(super) on_ready: Cell<Option<Function>>,
    /// Runs until the page answers.
    pub(super) slow: Cell<Option<Timer>>,
    /// Looks whether the page has removed it.
    pub(super) watch: Cell<Option<Timer>>,
    pub(super) is_out: Cell<bool>,
    pub(super) has_warned: Cell<bool>,
    pub(super) listeners: Cell<Vec<Listener>>,
    pub(super) end: Cell<Option<End>>,
    /// Where it was when it ended, unless in a dialog.
    pub(super) place: Cell<Option<Element>>,
    /// Resolves with the word of the end.
    pub(super) ended: Promise,
    pub(super) resolve_ended: Option<Function>,
    /// The page's, made by the first call: always the same object.
    pub(super) handle: OnceCell<JsValue>,
    /// The frame itself, until it ends: it works on after the page has dropped its handles.
    pub(super) own: Cell<Option<Rc<Self>>>,
}

impl Frame {
    /// Puts the frame into the page, still empty. A dialog takes the place of the one that is open, which is closed.
    ///
    /// ```ignore
    /// let frame = Frame::open(options, browser)?;
    /// frame.attach(Rc::new(move |signal| wake_up.notify_one()));
    /// frame.navigate(&entry);
    /// frame.finish(End::Finished);
    /// ```
    pub fn open(options: Options, browser: Rc<Browser>) -> Result<Rc<Self>, Failure> {
        let is_dialog = !options.has(&CONTAINER);
        // First, so that the one before gives the focus back to the page, and the new one takes it from there.
        if is_dialog && let Some(before) = DIALOG.take().upgrade() {
            before.close();
        }
        let appearance = appearance_of(&options);
        let view = View::open(&options, &appearance)?;
        let mut resolve_ended = None;
        let ended = Promise::new(&mut |resolve, _| resolve_ended = Some(resolve));
        let frame = Rc::new(Self {
            view,
            on_ready: Cell::new(options.page(&ON_READY)),
            options,
            appearance: RefCell::new(appearance),
            window: RefCell::default(),
            browser,
            url: RefCell::default(),
            handler: RefCell::default(),
            slow: Cell::default(),
            watch: Cell::default(),
            is_out: Cell::default(),
            has_warned: Cell::default(),
            listeners: Cell::default(),
            end: Cell::new(None),
            place: Cell::default(),
            ended,
            resolve_ended,
            handle: OnceCell::new(),
            own: Cell::default(),
        });
        frame.listeners.set(frame.listen());
        frame.own.set(Some(frame.clone()));
        frame.watch.set(Some(frame.watch()));
        if is_dialog {
            DIALOG.set(Rc::downgrade(&frame));
        }
        Ok(frame)
    }

    /// Ends the frame if the page takes it out or hides it, and follows what changes around it. One that is
    /// moved is back at the next look.
    fn watch(self: &Rc<Self>) -> Timer {
        let look = weak::callback(self, |frame| {
            let root = &frame.view.root;
            let is_out = !root.is_connected() || global::is_hidden(root);
            if frame.is_out.replace(is_out) && is_out {
                frame.close();
                return;
            }
            frame.follow_appearance();
            frame.check_popup();
        });
        Timer::every(WATCH_MS, look)
    }

    /// Puts an inline frame into another container, where it loads anew. A dialog stays one.
    pub fn move_to(&self, container: &Element) {
        if self.end.get().is_none() {
            self.view.move_to(container);
        }
    }

    /// Sends its signals to `handler` from now on.
    pub fn attach(&self, handler: SignalHandler) {
        if self.end.get().is_none() {
            self.handler.replace(Some(handler));
        }
    }

    /// Loads the connect page of an integration.
    pub fn navigate(self: &Rc<Self>, entry: &IntegrationRecord) {
        if self.end.get().is_none() {
            let Config {
                connect_url,
                client_id,
                ..
            } = self.config();
            let seen = self.appearance.borrow().clone();
            let url = appearance::url(connect_url, &entry.integration_token, client_id, &seen);
            self.view.navigate(&url, entry.code.as_deref());
            self.url.replace(Some(url));
            self.await_answer();
        }
    }

    pub(super) fn config(&self) -> &Config {
        &self.browser.http.config
    }

    /// Ends the frame; the first end counts. Removes everything that it put into the page.
    pub fn finish(&self, end: End) {
        if self.end.get().is_some() {
            return;
        }
        self.end.set(Some(end));
        let _own = self.own.take();
        self.handler.take();
        self.url.take();
        self.on_ready.take();
        self.slow.take();
        self.watch.take();
        self.listeners.take();
        let window = self.window.take();
        if let Some(window) = window.filter(|_| matches!(end, End::Finished | End::Cancelled)) {
            let _ = window.close();
        }
        if let Some(resolve) = &self.resolve_ended {
            // A promise's own function does not throw.
            let _ = resolve.call1(&JsValue::UNDEFINED, &end.as_str().into());
        }
        self.place.set(self.view.root.parent_element());
        self.view.remove();
    }

    /// Ends the frame as closed, and says so. After the end it does nothing.
    pub fn close(&self) {
        self.finish_and_emit(End::Closed, Signal::Closed);
    }

    pub(super) fn finish_and_emit(&self, end: End, signal: Signal) {
        if self.end.get().is_none() {
            let handler = self.handler.take();
            self.finish(end);
            if let Some(handler) = handler {
                handler(signal);
            }
        }
    }

    /// The end that it took.
    pub fn end(&self) -> Option<End> {
        self.end.get()
    }

    pub(super) fn emit(&self, signal: Signal) {
        // No borrow is held: the handler may attach another.
        let handler = self.handler.borrow().clone();
        if let Some(handler) = handler {
            handler(signal);
        }
    }

    pub(super) fn url(&self) -> Option<String> {
        self.url.borrow().clone()
    }
}

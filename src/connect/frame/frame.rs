//! A connect frame in the page (§4.3), from `open` to exactly one end. After its end nothing of it is left in the
//! page.

use super::appearance::{self, Appearance, Theme};
use super::elements::appearance_of;
use super::options::{CONTAINER, LABELS, LOCALE, ON_READY, THEME, sandbox};
use super::view::View;
use crate::connect::integration::End;
use crate::core::failure::Failure;
use crate::core::labels::Labels;
use crate::core::listener::Listener;
use crate::core::options::Options;
use crate::core::timer::Timer;
use crate::core::{global, weak};
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

/// How the page wants its frame.
#[derive(Default)]
pub struct FrameOptions {
    /// Where the frame goes; without a container it is a modal dialog.
    pub container: Option<Element>,
    /// Texts that replace the standard ones.
    pub labels: Labels,
    /// The language; without one, it is the document's.
    pub locale: Option<String>,
    /// Light or dark; without one, it is the document's.
    pub theme: Option<Theme>,
    /// What the page in the frame may do; `None`: everything.
    pub sandbox: Option<String>,
    /// Called once, when the page in the frame has answered.
    pub on_ready: Option<Function>,
}

impl FrameOptions {
    /// What the options of a call say. A container has to be in the page: elsewhere, nobody would see the frame.
    pub fn new(options: &Options) -> Result<Self, Failure> {
        let container: Option<Element> = options.page(&CONTAINER);
        if container
            .as_ref()
            .is_some_and(|element| !element.is_connected())
        {
            return Err(Failure::invalid("container: is not in the page"));
        }
        Ok(Self {
            container,
            labels: options.labels(&LABELS),
            locale: options.text(&LOCALE),
            theme: options.text(&THEME).and_then(|theme| Theme::named(&theme)),
            sandbox: sandbox(options),
            on_ready: options.page(&ON_READY),
        })
    }
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

/// The page that a frame shows.
pub struct Target<'a> {
    /// The option.
    pub connect_url: &'a str,
    /// Identifies the integration.
    pub token: &'a str,
    /// Identifies the vendor.
    pub client_id: &'a str,
    /// The number that the page shows when it is not in this frame.
    pub code: Option<&'a str>,
}

/// The frame.
pub struct Frame {
    pub(super) view: View,
    pub(super) options: FrameOptions,
    /// As it was last seen.
    pub(super) appearance: RefCell<Appearance>,
    /// Its own `lang` and `theme` win over the page's.
    pub(super) connect_url: RefCell<String>,
    /// The last window that the way out opened.
    pub(super) window: RefCell<Option<Window>>,
    /// The only origin that messages may come from, and go to.
    pub(super) origin: String,
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
    /// Puts the frame into the page, still empty. `origin` is the only one that its messages may come from. A dialog
    /// takes the place of the one that is open, which is closed.
    ///
    /// ```ignore
    /// let frame = Frame::open(FrameOptions::default(), "https://auth.example")?;
    /// frame.attach(Rc::new(move |signal| wake_up.notify_one()));
    /// frame.navigate(&target);
    /// frame.finish(End::Finished);
    /// ```
    pub fn open(mut options: FrameOptions, origin: &str) -> Result<Rc<Self>, Failure> {
        let is_dialog = options.container.is_none();
        // First, so that the one before gives the focus back to the page, and the new one takes it from there.
        if is_dialog && let Some(before) = DIALOG.take().upgrade() {
            before.close();
        }
        let appearance = appearance_of(&options);
        let view = View::open(&options, &appearance)?;
        let on_ready = options.on_ready.take();
        // The page may take it away.
        options.container = None;
        let mut resolve_ended = None;
        let ended = Promise::new(&mut |resolve, _| resolve_ended = Some(resolve));
        let frame = Rc::new(Self {
            view,
            options,
            appearance: RefCell::new(appearance),
            connect_url: RefCell::default(),
            window: RefCell::default(),
            origin: origin.into(),
            url: RefCell::default(),
            handler: RefCell::default(),
            on_ready: Cell::new(on_ready),
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

    /// Loads the connect page.
    pub fn navigate(self: &Rc<Self>, target: &Target<'_>) {
        if self.end.get().is_none() {
            let seen = self.appearance.borrow().clone();
            self.connect_url.replace(target.connect_url.into());
            let url = appearance::url(target.connect_url, target.token, target.client_id, &seen);
            self.view.navigate(&url, target.code);
            self.url.replace(Some(url));
            self.await_answer();
        }
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

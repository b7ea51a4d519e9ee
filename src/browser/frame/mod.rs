//! A connect frame in the page (§4.3), from `open` to exactly one end. After its end nothing of it is left in the
//! page.

mod alternatives;
mod appearance;
mod cover;
mod elements;
mod message;
mod success_card;
mod view;
mod window;

use super::failure::Failure;
use super::listener::Listener;
use super::{global, timer::Timer};
use crate::frame::{
    self, Appearance, CONTAINER, Hint, LABELS, LOCALE, ON_READY, Sandbox, THEME, Theme, Violation,
};
use crate::integration::End;
use crate::labels::Labels;
use crate::options::Options;
use elements::Part;
use js_sys::{Function, Promise};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};
pub use success_card::SuccessCard;
use view::View;
use wasm_bindgen::prelude::*;
use web_sys::{
    Element, Event, EventTarget, HtmlElement, MessageEvent, SecurityPolicyViolationEvent,
    SecurityPolicyViolationEventDisposition as Disposition,
};
use window::OpenedWindow;

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
    /// What the page in the frame may do.
    pub sandbox: Sandbox,
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
            sandbox: Sandbox::of(options),
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
    view: View,
    labels: Labels,
    locale: Option<String>,
    theme: Option<Theme>,
    /// As it was last seen.
    appearance: RefCell<Appearance>,
    /// What the connect page was sent.
    sent_appearance: Rc<RefCell<Appearance>>,
    /// Its own `lang` and `theme` win over the page's.
    connect_url: RefCell<String>,
    /// The last window that the way out opened.
    window: RefCell<Option<Rc<OpenedWindow>>>,
    /// The only origin that messages may come from, and go to.
    origin: String,
    /// The connect page's address, once it is loaded.
    url: RefCell<Option<String>>,
    handler: RefCell<Option<SignalHandler>>,
    on_ready: Cell<Option<Function>>,
    /// Runs until the page answers.
    slow: Cell<Option<Timer>>,
    /// Looks whether the page has removed it.
    watch: Cell<Option<Timer>>,
    is_out: Cell<bool>,
    has_warned: Cell<bool>,
    listeners: Cell<Vec<Listener>>,
    end: Cell<Option<End>>,
    /// Where it was when it ended, unless in a dialog.
    place: Cell<Option<Element>>,
    ended: Promise,
    resolve_ended: Option<Function>,
    handle: OnceCell<JsValue>,
    /// The frame itself, until it ends: it works on after the page has dropped its handles.
    own: Cell<Option<Rc<Self>>>,
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
    pub fn open(options: FrameOptions, origin: &str) -> Result<Rc<Self>, Failure> {
        let is_dialog = options.container.is_none();
        // First, so that the one before gives the focus back to the page, and the new one takes it from there.
        if is_dialog && let Some(before) = DIALOG.take().upgrade() {
            before.close();
        }
        let appearance = appearance::of_page(options.locale.as_deref(), options.theme);
        let view = View::open(&options, &appearance)?;
        let mut resolve_ended = None;
        let ended = Promise::new(&mut |resolve, _| resolve_ended = Some(resolve));
        let frame = Rc::new(Self {
            view,
            labels: options.labels,
            locale: options.locale,
            theme: options.theme,
            appearance: RefCell::new(appearance),
            sent_appearance: Rc::default(),
            connect_url: RefCell::default(),
            window: RefCell::default(),
            origin: origin.into(),
            url: RefCell::default(),
            handler: RefCell::default(),
            on_ready: Cell::new(options.on_ready),
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

    fn listen(self: &Rc<Self>) -> Vec<Listener> {
        let view = &self.view;
        let mut listeners = vec![
            self.on(view.frame(), "load", |frame, _| frame.loaded()),
            self.clicked(view.get(Part::Retry), |frame| frame.retry()),
            self.clicked(view.get(Part::Phone), |frame| frame.switch_to_phone()),
            self.clicked(view.get(Part::OpenWindow), |frame| frame.open_window()),
            self.on(&global::target(), "message", Self::message),
            self.on(&global::target(), "resize", |frame, _| frame.view.fit()),
            self.on(&global::target(), "online", |frame, _| frame.online()),
        ];
        if let Some(document) = global::document() {
            listeners.push(self.on(&document, "securitypolicyviolation", Self::violation));
        }
        if view.is_dialog() {
            listeners.extend(Listener::contain(&view.root));
            listeners.push(self.clicked(view.get(Part::Close), |frame| frame.close()));
            // Escape fires `cancel`, which the page can veto, and then `close`, which it cannot.
            listeners.push(self.on(&view.root, "close", Self::dialog_closed));
        }
        listeners
    }

    /// Ends the frame if the page takes it out or hides it, and follows what changes around it. One that is
    /// moved is back at the next look.
    fn watch(self: &Rc<Self>) -> Timer {
        let weak = Rc::downgrade(self);
        Timer::every(WATCH_MS, move || {
            if let Some(frame) = weak.upgrade() {
                let root = &frame.view.root;
                let is_out = !root.is_connected() || global::is_hidden(root);
                if frame.is_out.replace(is_out) && is_out {
                    frame.close();
                    return;
                }
                frame.follow_appearance();
                frame.check_popup();
            }
        })
    }

    /// Puts an inline frame into another container, where it loads anew. A dialog stays one.
    pub fn move_to(&self, container: &Element) {
        if self.end.get().is_none() {
            self.view.move_to(container);
        }
    }

    fn clicked(self: &Rc<Self>, button: &HtmlElement, handle: fn(&Rc<Self>)) -> Listener {
        let weak = Rc::downgrade(self);
        Listener::click(button, move |_| {
            if let Some(frame) = weak.upgrade() {
                handle(&frame);
            }
        })
    }

    /// Handles an event for as long as the frame lives.
    fn on(
        self: &Rc<Self>,
        target: &EventTarget,
        name: &'static str,
        handle: fn(&Rc<Self>, &Event),
    ) -> Listener {
        let weak = Rc::downgrade(self);
        Listener::new(target, name, move |event| {
            if let Some(frame) = weak.upgrade() {
                handle(&frame, &event);
            }
        })
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
            self.sent_appearance
                .replace(seen.without_url_params(target.connect_url));
            self.connect_url.replace(target.connect_url.into());
            let url = frame::url(target.connect_url, target.token, target.client_id, &seen);
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
            window.close();
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

    fn finish_and_emit(&self, end: End, signal: Signal) {
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

    /// The element in the page: the container's child, or the dialog.
    pub fn element(&self) -> &HtmlElement {
        &self.view.root
    }

    /// Resolves with the word of the end.
    pub fn ended(&self) -> &Promise {
        &self.ended
    }

    /// The page's handle on it: always the same object, made by the first call.
    pub fn handle(&self, make: impl FnOnce() -> JsValue) -> JsValue {
        self.handle.get_or_init(make).clone()
    }

    fn emit(&self, signal: Signal) {
        // No borrow is held: the handler may attach another.
        let handler = self.handler.borrow().clone();
        if let Some(handler) = handler {
            handler(signal);
        }
    }

    fn url(&self) -> Option<String> {
        self.url.borrow().clone()
    }

    /// Greets each document that loads. The empty frame loads, too.
    fn loaded(self: &Rc<Self>) {
        if self.url.borrow().is_none() {
            return;
        }
        self.view.hide_loading();
        // The page after a form may be the browser's own "refused to connect".
        self.await_answer();
        self.greet();
        // WebKit tells of no page that could not be loaded: there, the silence does.
        if !global::is_online() {
            self.view.show_slow();
        }
    }

    fn dialog_closed(self: &Rc<Self>, event: &Event) {
        let root: &EventTarget = &self.view.root;
        if event.target().as_ref() == Some(root) {
            self.close();
        }
    }

    fn violation(self: &Rc<Self>, event: &Event) {
        let Some(event) = event.dyn_ref::<SecurityPolicyViolationEvent>() else {
            return;
        };
        let violation = Violation {
            is_enforced: event.disposition() == Disposition::Enforce,
            directive: &event.effective_directive(),
            blocked: &event.blocked_uri(),
        };
        if self.url.borrow().is_some() && violation.blocks_frame(&self.origin) {
            self.finish_and_emit(End::Failed, Signal::Blocked);
        }
    }

    fn message(self: &Rc<Self>, event: &Event) {
        let event = event.dyn_ref::<MessageEvent>();
        // Before the data is read: a sender decides how long reading it takes.
        let event = event.filter(|event| self.is_from_us(event));
        match event.and_then(|event| message::read(event, &self.origin)) {
            Some(Hint::Height(height)) => self.view.follow(height),
            Some(Hint::Ready) => self.answered(),
            Some(Hint::Decided) => {
                self.answered();
                self.emit(Signal::Decided);
            }
            None => {}
        }
    }

    /// Whether the frame's window sent the message, or the opened one.
    fn is_from_us(&self, event: &MessageEvent) -> bool {
        let source: JsValue = event.source().into();
        if source.is_undefined() {
            return false;
        }
        let framed: JsValue = self.view.frame().content_window().into();
        let opened = self.window.borrow();
        source == framed || opened.as_ref().is_some_and(|opened| opened.is(&source))
    }
}

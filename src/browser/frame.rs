//! A connect frame in the page (§4.3): from `open` to exactly one end, after which nothing of it is left.

use super::failure::Failure;
use super::old::js;
use super::old::listener::Callback;
use crate::error::{ErrorCode, Operation};
use crate::frame::{self, Hint};
use crate::integration::End;
use pos_connect_protocol::hint;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/js/page.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn view(
        container: &JsValue,
        labels: &JsValue,
        sandbox: &JsValue,
        origin: &JsValue,
        on_ready: &JsValue,
    ) -> Result<JsValue, JsValue>;
}

/// How the page wants its frame.
pub struct FrameOptions {
    /// Where it goes; `null` or `undefined`: a dialog.
    pub container: JsValue,
    /// Texts that replace the standard ones, or `undefined`.
    pub labels: JsValue,
    /// A text; `null`: no sandbox.
    pub sandbox: JsValue,
    /// Called once, when the page answered, or `undefined`.
    pub on_ready: JsValue,
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
    /// What src/js/page.js made.
    view: JsValue,
    /// What it tells; as long as this lives.
    listener: Cell<Option<Callback>>,
    origin: String,
    teller: RefCell<Option<Teller>>,
    end: Cell<Option<End>>,
    /// Itself, until it ends: it works on when the page has dropped its handles.
    own: Cell<Option<Rc<Self>>>,
}

impl Frame {
    /// Puts the frame into the page, still empty. `origin` is the only one that its messages may come from.
    pub fn open(options: FrameOptions, origin: &str) -> Result<Rc<Self>, Failure> {
        let made = view(
            &options.container,
            &options.labels,
            &options.sandbox,
            &origin.into(),
            &options.on_ready,
        );
        let view =
            made.map_err(|_| Failure::new(ErrorCode::UnsupportedBrowser, Operation::MountFrame))?;
        let frame = Rc::new(Self {
            view,
            listener: Cell::default(),
            origin: origin.into(),
            teller: RefCell::default(),
            end: Cell::new(None),
            own: Cell::default(),
        });
        let weak = Rc::downgrade(&frame);
        let heard = Callback::wrap(Box::new(move |event| {
            if let Some(frame) = weak.upgrade() {
                frame.heard(&event);
            }
        }));
        js::set(&frame.view, "tell", heard.as_ref().clone());
        frame.listener.set(Some(heard));
        frame.own.set(Some(frame.clone()));
        Ok(frame)
    }

    /// Tells `teller` from now on.
    pub fn attach(&self, teller: Teller) {
        self.teller.replace(Some(teller));
    }

    /// Loads the connect page. `code` is the number that it shows where it stands alone, or `undefined`.
    pub fn navigate(&self, url: &str, code: &JsValue) {
        if self.end.get().is_none() {
            js::act(&self.view, "navigate", &url.into(), code);
        }
    }

    /// Ends the frame; the first end counts. Everything it put into the page is gone then.
    pub fn finish(&self, end: End) {
        if self.end.get().is_some() {
            return;
        }
        self.end.set(Some(end));
        let _own = self.own.take();
        self.teller.take();
        js::act(&self.view, "remove", &end.as_str().into(), js::NONE);
    }

    /// Ends the frame as closed, and says so.
    fn close(&self) {
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

    /// What the page is given: a `ConnectFrame`.
    pub fn handle(&self) -> JsValue {
        js::get(&self.view, "handle")
    }

    fn tell(&self, signal: Signal) {
        // No borrow is held: it may attach another.
        let teller = self.teller.borrow().clone();
        if let Some(teller) = teller {
            teller(signal);
        }
    }

    fn heard(&self, event: &JsValue) {
        match &*js::text(event, "type") {
            "message" => self.message(event),
            "securitypolicyviolation" => self.finish_and_tell(End::Failed, Signal::Blocked),
            // The dialog, or its button.
            _ => self.close(),
        }
    }

    fn message(&self, event: &JsValue) {
        let origin = js::text(event, "origin");
        if origin != self.origin {
            return;
        }
        let data = js::get(event, "data");
        let kind = js::get(&data, hint::TYPE).as_string();
        let message = frame::Message {
            origin: &origin,
            mark: js::get(&data, hint::MARK).as_f64(),
            kind: kind.as_deref(),
        };
        let Some(hint) = frame::read(&message, &self.origin) else {
            return;
        };
        js::tell(&self.view, "ready");
        if hint == Hint::Decided {
            self.tell(Signal::Decided);
        }
    }
}

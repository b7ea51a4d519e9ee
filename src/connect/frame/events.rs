//! What a frame hears: its buttons, its documents, the messages of the connect page, and the page's own policy.

use super::elements::Part;
use super::frame::{Frame, Signal};
use super::message::{self, Hint, Message, Violation};
use crate::connect::integration::End;
use crate::core::listener::Listener;
use crate::core::{global, object, weak};
use pos_connect_protocol::hint;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{
    Event, EventTarget, HtmlElement, MessageEvent, SecurityPolicyViolationEvent,
    SecurityPolicyViolationEventDisposition as Disposition,
};

impl Frame {
    /// The listeners of an open frame.
    pub(super) fn listen(self: &Rc<Self>) -> Vec<Listener> {
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

    fn clicked(self: &Rc<Self>, button: &HtmlElement, handle: fn(&Rc<Self>)) -> Listener {
        Listener::click(button, weak::handler(self, move |frame, _| handle(frame)))
    }

    /// Handles an event for as long as the frame lives.
    fn on(
        self: &Rc<Self>,
        target: &EventTarget,
        name: &'static str,
        handle: fn(&Rc<Self>, &Event),
    ) -> Listener {
        let handle = move |frame: &Rc<Self>, event| handle(frame, &event);
        Listener::new(target, name, weak::handler(self, handle))
    }

    /// Greets each document that loads. The empty frame loads, too.
    fn loaded(self: &Rc<Self>) {
        if self.url.borrow().is_none() {
            return;
        }
        self.view.hide_loading();
        // The page after a form may be the browser's own "refused to connect".
        self.await_answer();
        self.greet_frame();
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
        if self.url.borrow().is_some() && violation.blocks_frame(&self.config().connect_origin) {
            self.finish_and_emit(End::Failed, Signal::Blocked);
        }
    }

    fn message(self: &Rc<Self>, event: &Event) {
        let event = event.dyn_ref::<MessageEvent>();
        // Before the data is read: a sender decides how long reading it takes.
        let event = event.filter(|event| self.is_from_us(event));
        match event.and_then(|event| read(event, &self.config().connect_origin)) {
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
        let opened: JsValue = self.window.borrow().clone().into();
        source == framed || source == opened
    }
}

/// What a message says; `None` if it is not the connect page's. Its data is read only if `origin` has sent it.
fn read(event: &MessageEvent, origin: &str) -> Option<Hint> {
    let sender = event.origin();
    if sender != origin {
        return None;
    }
    let data = event.data();
    let kind = object::get(&data, hint::TYPE).as_string();
    let message = Message {
        origin: &sender,
        mark: object::get(&data, hint::MARK).as_f64(),
        kind: kind.as_deref(),
        height: object::get(&data, hint::HEIGHT).as_f64(),
    };
    message::read(&message, origin)
}

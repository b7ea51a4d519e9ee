//! An ask in the page: what `keypad` decides, performed. Everything settles it, exactly once; nothing of it is left then.

mod dom;
pub mod element;
mod events;
pub mod result;

use self::dom::Dom;
use self::element::{AskFunction, Hold};
use super::client::Client;
use super::failure::Failure;
use super::old::bell::Bell;
use super::old::js;
use super::old::listener::Listener;
use super::old::node;
use super::old::page;
use super::old::promise::{promise, settled};
use super::old::stop::{self, Stops};
use super::old::task::Task;
use super::old::timer::Timer;
use crate::error::{ErrorCode, Operation};
use crate::keypad::ask::{Ask, End, Input, PrintReason, SEND_MS, Step};
use crate::keypad::settings::Settings;
use crate::keypad::taps::Taps;
use crate::lines::split;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsValue;

/// How often the model is told that time has passed. The deadlines are by the clock.
const TICK_MS: f64 = 250.0;

/// One ask.
pub struct Keypad {
    ask: RefCell<Ask>,
    taps: RefCell<Taps>,
    /// Asked before the print is cancelled, or `undefined`.
    on_send: JsValue,
    began: f64,
    live: RefCell<Live>,
    consent: RefCell<JsValue>,
    outcome: Cell<JsValue>,
    bell: Bell,
}

/// What is in the page; gone at the end.
#[derive(Default)]
struct Live {
    dom: Option<Rc<Dom>>,
    /// The element of ours around it; a page's own stays in the page.
    host: JsValue,
    /// Where the focus was.
    focus: JsValue,
    /// Aborts `onSend`, while it runs.
    sending: JsValue,
    listeners: Vec<Listener>,
    hold: Option<Hold>,
    timer: Option<Timer>,
}

/// What the option says; what is not known, or fails, is no.
async fn is_enabled(value: JsValue) -> bool {
    let value = if value.is_function() {
        js::ask(&value, js::NONE)
    } else {
        Ok(value)
    };
    let Ok(value) = value else {
        return false;
    };
    let stops = Stops::default();
    let outcome = stops.outcome(Operation::ReceiptFor, Some(SEND_MS), value);
    matches!(outcome.await, Ok(Some(Ok(answer))) if answer == true)
}

/// The value, or else what stands in for `undefined`.
fn or(value: JsValue, other: impl FnOnce() -> JsValue) -> JsValue {
    if value.is_undefined() { other() } else { value }
}

impl Keypad {
    /// Begins an ask, in no page yet. The signal may be `undefined`.
    pub fn new(settings: Settings, on_send: JsValue, signal: JsValue) -> Rc<Self> {
        let began = page::now();
        let keypad = Rc::new(Self {
            ask: RefCell::new(Ask::new(settings, began)),
            taps: RefCell::default(),
            on_send,
            began,
            live: RefCell::default(),
            consent: RefCell::default(),
            outcome: Cell::default(),
            bell: Bell::default(),
        });
        // Also while the host does not know yet whether to ask: then a known number is all there is to wipe.
        let weak = Rc::downgrade(&keypad);
        let leaving = move |_| {
            if let Some(keypad) = weak.upgrade() {
                keypad.end(PrintReason::PageHidden);
            }
        };
        let leaving = Listener::new(&js::global(), "pagehide", Box::new(leaving));
        keypad.live.borrow_mut().listeners.push(leaving);
        if stop::is_aborted(&signal) {
            keypad.aborted(&signal);
        } else if !signal.is_undefined() {
            let (weak, source) = (Rc::downgrade(&keypad), signal.clone());
            let abort = move |_| {
                if let Some(keypad) = weak.upgrade() {
                    keypad.aborted(&source);
                }
            };
            let listener = Listener::new(&signal, "abort", Box::new(abort));
            keypad.live.borrow_mut().listeners.push(listener);
        }
        keypad
    }

    /// `receiptFor`: whether to ask, and then the ask, in `container` or in a dialog.
    pub fn receipt_for(
        self: &Rc<Self>,
        client: &Rc<Client>,
        enabled: JsValue,
        container: JsValue,
        ask: AskFunction,
    ) {
        let before = client.keypad.replace(Rc::downgrade(self)).upgrade();
        if let Some(before) = before {
            before.end(PrintReason::Replaced);
        }
        if client.is_destroyed() {
            self.end(PrintReason::Aborted);
        }
        let enabled = or(enabled, || client.ereceipt.clone());
        let enabled = or(enabled, || {
            let client = client.clone();
            promise(async move {
                let connection = client.connection(Operation::ReceiptFor).await?;
                Ok(js::get(&connection, "ereceipt"))
            })
        });
        let keypad = self.clone();
        // In a task of its own, as the ask may be over before the host knows whether to ask.
        Task::start(Box::pin(async move {
            if is_enabled(enabled).await {
                keypad.open(container, ask);
            } else {
                keypad.end(PrintReason::NotEnabled);
            }
        }));
    }

    /// Resolves with the outcome.
    pub async fn over(&self) -> JsValue {
        // It rings once, and is kept until it is heard.
        self.bell.heard().await;
        self.outcome.take()
    }

    fn aborted(self: &Rc<Self>, signal: &JsValue) {
        self.end_because(PrintReason::Aborted, js::get(signal, "reason"));
    }

    /// Ends it with a print.
    pub fn end(self: &Rc<Self>, reason: PrintReason) {
        self.end_because(reason, JsValue::UNDEFINED);
    }

    fn end_because(self: &Rc<Self>, reason: PrintReason, cause: JsValue) {
        self.on(Input::End(reason), page::now(), cause);
    }

    /// Puts an element of its own into the page.
    fn open(self: &Rc<Self>, container: JsValue, ask: AskFunction) {
        if self.ask.borrow().is_settled() {
            return;
        }
        let is_modal = container.is_undefined();
        let parent = or(container, || js::get(&js::named("document"), "body"));
        let Ok(element) = element::create(ask) else {
            return self.end(PrintReason::Unsupported);
        };
        node::append(&parent, &element);
        self.live.borrow_mut().host = element.clone();
        self.show(element, is_modal);
    }

    /// Shows the keypad in an element, unless the ask is over.
    pub fn show(self: &Rc<Self>, element: JsValue, is_modal: bool) {
        if self.ask.borrow().is_settled() {
            return;
        }
        let weak = Rc::downgrade(self);
        let end = move |is_replaced| {
            if let Some(keypad) = weak.upgrade() {
                keypad.end(if is_replaced == true {
                    PrintReason::Replaced
                } else {
                    PrintReason::Removed
                });
            }
        };
        let Ok(hold) = Hold::new(element.clone(), Box::new(end)) else {
            return self.end(PrintReason::Unsupported);
        };
        // The ask before it ended just now, and with it code of the page's ran, which may have ended this one, too.
        if self.ask.borrow().is_settled() {
            return;
        }
        self.live.borrow_mut().hold = Some(hold);
        if js::get(&element, "isConnected") == false {
            self.end(PrintReason::Removed);
        } else if self.build(&element, is_modal).is_err() {
            self.end(PrintReason::Unsupported);
        }
    }

    fn build(self: &Rc<Self>, element: &JsValue, is_modal: bool) -> Result<(), JsValue> {
        let dom = Rc::new(Dom::new(&self.ask.borrow().settings, is_modal));
        let weak = Rc::downgrade(self);
        let tick = move |_| {
            if let Some(keypad) = weak.upgrade() {
                keypad.tick();
            }
        };
        {
            let mut live = self.live.borrow_mut();
            live.focus = js::get(&js::named("document"), "activeElement");
            live.timer = Some(Timer::every(TICK_MS, Box::new(tick)));
            let mut names = events::NAMES;
            while !names.is_empty() {
                let (name, rest) = split(names, b'\n');
                live.listeners.push(self.listener(&dom.surface, name));
                names = rest;
            }
            live.dom = Some(dom.clone());
        }
        // The time until the host knew whether to ask does not count.
        self.on(Input::Touch, page::now(), JsValue::UNDEFINED);
        self.taps.borrow_mut().shown(page::now());
        self.render();
        let shown = dom.show(&js::get(element, "shadowRoot"), is_modal);
        // The focus moved, and a handler of the page's may have ended it.
        if self.ask.borrow().is_settled() {
            dom.remove();
        }
        shown
    }

    fn listener(self: &Rc<Self>, target: &JsValue, name: &'static str) -> Listener {
        let weak: Weak<Self> = Rc::downgrade(self);
        let hear = move |event| {
            if let Some(keypad) = weak.upgrade()
                && let Some(dom) = keypad.shown()
            {
                keypad.heard(&dom, name, &event);
            }
        };
        Listener::new(target, name, Box::new(hear))
    }

    /// The one way into the model and out of it. No borrow is held while the page's own code may run.
    fn on(self: &Rc<Self>, input: Input, now: f64, cause: JsValue) {
        let step = self.ask.borrow_mut().on(input, now);
        match step {
            Step::Nothing => {}
            Step::Show => self.render(),
            Step::Send => {
                self.render();
                self.send();
            }
            Step::Settled(end) => {
                let is_late = input == Input::Tick && !self.live.borrow().sending.is_undefined();
                let cause = if is_late {
                    Failure::new(ErrorCode::Timeout, Operation::ReceiptFor).into()
                } else {
                    cause
                };
                self.settle(end, cause);
            }
        }
    }

    fn tick(self: &Rc<Self>) {
        // Nobody can answer what the page has hidden; an older browser that can't tell goes on.
        let is_hidden = self.shown().is_some_and(|dom| {
            js::act(&dom.surface, "checkVisibility", js::NONE, js::NONE) == false
        });
        let input = if is_hidden {
            Input::End(PrintReason::Removed)
        } else {
            Input::Tick
        };
        self.on(input, page::now(), JsValue::UNDEFINED);
    }

    fn shown(&self) -> Option<Rc<Dom>> {
        self.live.borrow().dom.clone()
    }

    fn render(&self) {
        if let Some(dom) = self.shown() {
            let view = self.ask.borrow_mut().view();
            dom.render(&view);
        }
    }

    /// Asks the host to accept the e-receipt.
    fn send(self: &Rc<Self>) {
        let controller = stop::controller();
        let options = js::object();
        js::set(&options, "signal", stop::signal_of(&controller));
        let receipt = self.receipt();
        self.live.borrow_mut().sending = controller;
        let answer = js::ask_two(&self.on_send, &receipt, &options);
        let keypad = self.clone();
        let accepted = async move {
            let answer = match answer {
                Ok(value) => settled(&value).await,
                thrown => thrown,
            };
            match answer {
                Ok(_) => keypad.on(Input::SentOk, page::now(), JsValue::UNDEFINED),
                Err(thrown) => keypad.end_because(PrintReason::SendFailed, thrown),
            }
        };
        Task::start(Box::pin(accepted));
    }

    fn settle(&self, end: End, cause: JsValue) {
        let live = self.live.take();
        self.outcome.replace(self.result(&end, cause));
        let had_focus = live.dom.is_some_and(|dom| dom.remove());
        node::remove(&live.host);
        if had_focus {
            js::tell(&live.focus, "focus");
        }
        if !matches!(end, End::Ereceipt(_)) {
            stop::abort(&live.sending);
        }
        self.bell.ring();
    }
}

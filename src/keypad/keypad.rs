//! One prompt in the page: what `prompt` decides, performed. Every prompt settles exactly once, and leaves nothing.

use super::code::Code;
use super::dom::Dom;
use super::element::{self, Hold};
use super::key::Key;
use super::prompt::{End, Input, Prompt, SEND_MS, Step};
use super::reason::PrintReason;
use super::settings::{ON_SCAN, ON_SEND, SIGNAL, Settings};
use super::taps::Taps;
use super::{events, focus_restore, names, notice};
use crate::core::cancellation::timeout;
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::listener::Listener;
use crate::core::notify::Notify;
use crate::core::options::Options;
use crate::core::timer::Timer;
use crate::core::{global, popover, task, weak};
use crate::vault::seal::random_letters;
use js_sys::{Function, Object};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, AbortSignal, Element, Event, EventTarget, HtmlElement};

/// How often the model is told that time has passed. The deadlines are by the clock.
const TICK_MS: f64 = 250.0;

/// One prompt.
///
/// It owns every text that holds a digit. No borrow is held while the page's own code may run.
pub struct Keypad {
    pub(super) prompt: RefCell<Prompt>,
    pub(super) taps: RefCell<Taps>,
    /// The keys that were pressed here, and whether the page hears of them.
    pub(super) keys_down: RefCell<Vec<(Key, bool)>>,
    /// The host's function that is asked before a print is cancelled by a number.
    pub(super) on_send: Option<Function>,
    /// The one that is asked before a print is cancelled by a code.
    pub(super) on_scan: Option<Function>,
    /// Where the service lets tills make links.
    pub(super) code: OnceCell<Code>,
    pub(super) began: f64,
    pub(super) live: RefCell<Live>,
    pub(super) consent: OnceCell<Object>,
    /// Names the e-receipt in every attempt, so that a host that got it twice sends it once.
    pub(super) idempotency_key: String,
    pub(super) attempts: Cell<u32>,
    /// Why the host did not accept the first attempt.
    pub(super) failure: RefCell<Option<JsValue>>,
    /// Aborted with the object that it belongs to.
    pub(super) owner: OnceCell<AbortSignal>,
    pub(super) outcome: Cell<Option<Object>>,
    pub(super) settled: Notify,
}

/// What is in the page; gone at the end.
#[derive(Default)]
pub(super) struct Live {
    pub(super) dom: Option<Rc<Dom>>,
    /// The element of ours around it; a page's own stays in the page.
    pub(super) own_element: Option<HtmlElement>,
    /// What the keypad is shown in: that, or the page's own.
    pub(super) element: Option<HtmlElement>,
    pub(super) is_modal: bool,
    /// Where the focus was.
    pub(super) focus: Option<HtmlElement>,
    /// Aborts `onSend`, while it runs.
    pub(super) sending: Option<AbortController>,
    pub(super) listeners: Vec<Listener>,
    pub(super) hold: Option<Hold>,
    pub(super) timer: Option<Timer>,
    /// Until a button is dark again whose key was pressed on a keyboard.
    pub(super) light: Option<Timer>,
}

impl Keypad {
    /// Begins the prompt that the options describe, in no page yet. The caller's signal ends it, with its reason as
    /// cause.
    pub fn new(options: &Options) -> Result<Rc<Self>, Failure> {
        let languages = [global::document_language(), global::language()];
        let settings = Settings {
            country: names::country,
            language: names::language,
            ..Settings::new(options, &languages)?
        };
        // What became of the last one is over, too.
        notice::end();
        let began = global::now();
        let keypad = Rc::new(Self {
            prompt: RefCell::new(Prompt::new(settings, began)),
            taps: RefCell::default(),
            keys_down: RefCell::default(),
            on_send: options.page(&ON_SEND),
            on_scan: options.page(&ON_SCAN),
            code: OnceCell::new(),
            began,
            live: RefCell::default(),
            consent: OnceCell::new(),
            idempotency_key: random_letters()?,
            attempts: Cell::default(),
            failure: RefCell::default(),
            owner: OnceCell::new(),
            outcome: Cell::default(),
            settled: Notify::default(),
        });
        // Also while the host does not know yet whether to ask: then a known number is all there is to wipe.
        keypad.listen(&global::target(), "pagehide", |keypad, _| {
            keypad.end(PrintReason::PageHidden);
        });
        if let Some(signal) = options.page::<AbortSignal>(&SIGNAL) {
            let source = signal.clone();
            keypad.follow(&signal, move |keypad| {
                keypad.end_because(PrintReason::Aborted, Some(source.reason()));
            });
        }
        Ok(keypad)
    }

    /// Ends it with the object that it belongs to.
    pub fn end_with(self: &Rc<Self>, owner: &AbortSignal) {
        let _ = self.owner.set(owner.clone());
        self.follow(owner, |keypad| keypad.end(PrintReason::Aborted));
    }

    /// Shows the prompt once `enabled` says so, in `container` or in a dialog. It may be over before that. A code is
    /// offered if the host takes one, and links have a `receipt_url`.
    pub fn show_if(
        self: &Rc<Self>,
        enabled: impl Future<Output = Result<bool, JsValue>> + 'static,
        receipt_url: impl Future<Output = Option<String>> + 'static,
        container: Option<Element>,
    ) {
        let keypad = self.clone();
        self.start(async move {
            let cause = match timeout(SEND_MS, enabled).await {
                Some(Ok(true)) => {
                    keypad.open(container);
                    return keypad.offer_code(receipt_url).await;
                }
                Some(Ok(false)) => None,
                Some(Err(thrown)) => Some(thrown),
                None => Some(Failure::new(ErrorCode::Timeout).during(Operation::ReceiptFor)),
            };
            keypad.end_because(PrintReason::NotEnabled, cause);
        });
    }

    /// Shows the prompt in an element of the page.
    pub fn show_in(self: &Rc<Self>, element: HtmlElement) {
        let keypad = self.clone();
        self.start(async move { keypad.show(&element, false) });
    }

    /// Begins to show it. What throws on the way is the page's, and the end.
    fn start(self: &Rc<Self>, showing: impl Future<Output = ()> + 'static) {
        let keypad = self.clone();
        let end = move |thrown| keypad.end_because(PrintReason::Unsupported, Some(thrown));
        task::start_or(Box::pin(showing), Box::new(end));
    }

    /// Waits for the end; resolves with the outcome.
    pub async fn until_settled(&self) -> JsValue {
        // It is notified once, and that is kept for whoever waits later.
        self.settled.notified().await;
        self.outcome.take().map_or(JsValue::UNDEFINED, Into::into)
    }

    /// Ends it with a print.
    pub fn end(self: &Rc<Self>, reason: PrintReason) {
        self.end_because(reason, None);
    }

    fn end_because(self: &Rc<Self>, reason: PrintReason, cause: Option<JsValue>) {
        self.on(Input::End(reason), global::now(), cause);
    }

    /// Calls `act` when the signal is aborted, or at once if it is.
    fn follow(self: &Rc<Self>, signal: &AbortSignal, act: impl Fn(&Rc<Self>) + 'static) {
        if signal.aborted() {
            act(self);
        } else {
            self.listen(signal, "abort", move |keypad, _| act(keypad));
        }
    }

    /// Listens until the end.
    fn listen(
        self: &Rc<Self>,
        target: &EventTarget,
        name: &'static str,
        hear: impl Fn(&Rc<Self>, Event) + 'static,
    ) {
        let listener = Listener::new(target, name, weak::handler(self, hear));
        self.live.borrow_mut().listeners.push(listener);
    }

    fn is_settled(&self) -> bool {
        self.prompt.borrow().is_settled()
    }

    /// Puts an element of its own into the page.
    fn open(self: &Rc<Self>, container: Option<Element>) {
        if self.is_settled() {
            return;
        }
        let is_modal = container.is_none();
        let body = || global::document()?.body().map(Element::from);
        let placed = container.or_else(body).and_then(|parent| {
            let element = element::create().ok()?;
            popover::mark(&element);
            parent.append_child(&element).ok()?;
            Some(element)
        });
        let Some(element) = placed else {
            return self.end(PrintReason::Unsupported);
        };
        self.live.borrow_mut().own_element = Some(element.clone());
        self.show(&element, is_modal);
    }

    /// Shows the keypad in an element, unless the prompt is over.
    fn show(self: &Rc<Self>, element: &HtmlElement, is_modal: bool) {
        if self.is_settled() {
            return;
        }
        let end = weak::handler(self, |keypad, reason| keypad.end(reason));
        let hold = Hold::new(element, end);
        // The prompt before it ended just now, and with it code of the page ran, which may have ended this one, too.
        if self.is_settled() {
            return;
        }
        {
            let mut live = self.live.borrow_mut();
            live.hold = Some(hold);
            live.element = Some(element.clone());
            live.is_modal = is_modal;
        }
        if !element.is_connected() {
            self.end(PrintReason::Removed);
        } else if self.build(element, is_modal).is_none() {
            self.end(PrintReason::Unsupported);
        }
    }

    /// Makes the elements and shows them; `None` if the browser lacks something.
    fn build(self: &Rc<Self>, element: &HtmlElement, is_modal: bool) -> Option<()> {
        // It may stand in another window, or in a frame.
        let document = element.owner_document()?;
        let root = element.shadow_root()?;
        let settings = self.prompt.borrow().settings.clone();
        let dom = Rc::new(Dom::new(&document, &settings, is_modal));
        for name in events::NAMES {
            let parts = dom.clone();
            self.listen(&dom.surface, name, move |keypad, event| {
                keypad.on_event(&parts, name, &event);
            });
        }
        let parts = dom.clone();
        let click = weak::handler(self, move |keypad, event| {
            keypad.on_event(&parts, "click", &event);
        });
        let mut listeners = vec![Listener::click(&dom.surface, click)];
        if is_modal {
            listeners.extend(Listener::contain(&dom.surface));
        }
        self.live.borrow_mut().listeners.extend(listeners);
        let timer = Timer::every(TICK_MS, weak::callback(self, |keypad| keypad.tick()));
        let focus = focus_restore::waiting_opener().or_else(|| focus_restore::opener(&document));
        {
            let mut live = self.live.borrow_mut();
            live.focus = focus;
            live.timer = Some(timer);
            live.dom = Some(dom.clone());
        }
        // The time until the host knew whether to ask does not count.
        self.on(Input::Touch, global::now(), None);
        self.taps.borrow_mut().shown(global::now());
        self.translate();
        let shown = dom.show(&root);
        // The focus moved, and a handler of the page may have ended it.
        if self.is_settled() {
            dom.remove();
        }
        shown.ok()
    }

    pub(super) fn dom(&self) -> Option<Rc<Dom>> {
        self.live.borrow().dom.clone()
    }

    /// Shows all of it in the language of the prompt, and tells the page, which may end the prompt there.
    fn translate(&self) {
        if let Some(dom) = self.dom() {
            let settings = self.prompt.borrow().settings.clone();
            dom.translate(&settings);
            self.render();
            let element = self.live.borrow().element.clone();
            if let Some(element) = element {
                element::tell(&element, settings.texts.tag());
            }
        }
    }

    fn render(&self) {
        if let Some(dom) = self.dom() {
            let view = self.prompt.borrow_mut().view();
            dom.render(&view);
        }
    }

    /// The one way into the model and out of it.
    pub(super) fn on(self: &Rc<Self>, input: Input, now: f64, cause: Option<JsValue>) {
        let step = self.prompt.borrow_mut().on(input, now);
        match step {
            Step::Nothing => {}
            Step::Show => self.render(),
            Step::Translate => self.translate(),
            Step::Send => {
                self.render();
                self.send();
            }
            Step::Scan => {
                self.render();
                self.show_code(now);
                self.send_scan();
            }
            Step::Failed => {
                self.failure.replace(cause);
                self.live.borrow_mut().sending = None;
                // It stands where "send" stood, under the finger that pressed it.
                self.taps.borrow_mut().shown(now);
                self.render();
            }
            Step::Settled(end) => {
                let is_late = input == Input::Tick && self.live.borrow().sending.is_some();
                let late = || Failure::new(ErrorCode::Timeout).during(Operation::ReceiptFor);
                let before = || match end {
                    End::Print(PrintReason::SendFailed) => self.failure.take(),
                    _ => None,
                };
                let cause = if is_late { Some(late()) } else { cause };
                let cause = cause.or_else(before);
                self.settle(end, cause);
            }
        }
    }

    fn tick(self: &Rc<Self>) {
        // Nobody can answer what the page has hidden.
        let input = match self.dom().is_some_and(|dom| dom.is_hidden()) {
            true => Input::End(PrintReason::Removed),
            false => Input::Tick,
        };
        self.on(input, global::now(), None);
    }

    fn settle(self: &Rc<Self>, end: End, cause: Option<JsValue>) {
        let live = self.live.take();
        let result = self.result(&end, cause.unwrap_or_default());
        self.outcome.set(Some(result));
        self.settled.notify_one();
        self.leave(&end, live);
    }

    /// Takes it out of the page.
    fn leave(&self, end: &End, live: Live) {
        let document = live
            .dom
            .as_ref()
            .and_then(|dom| dom.surface.owner_document());
        let notice = self.outcome_notice(end, &live);
        let had_focus = live.dom.is_some_and(|dom| dom.remove());
        if let Some(own) = live.own_element {
            own.remove();
        }
        // Or the element would still be held by this prompt.
        drop(live.hold);
        if let Some(focus) = live.focus.filter(|_| had_focus) {
            focus_restore::restore(focus, document, !self.keys_down.take().is_empty());
        }
        if !matches!(end, End::Ereceipt(_) | End::Scanned)
            && let Some(sending) = live.sending
        {
            sending.abort();
        }
        if let Some(notice) = notice {
            notice::show(notice);
        }
    }
}

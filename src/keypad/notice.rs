//! After the end: for a moment the shopper sees what became of the receipt. It takes no focus, no pointer and no key.

use super::dom::{self, hide_from_recorders};
use super::element::{self, Hold};
use super::keypad::{Keypad, Live};
use super::prompt::End;
use crate::core::listener::Listener;
use crate::core::timer::Timer;
use crate::core::{global, nodes, popover};

use std::cell::RefCell;
use web_sys::{AbortSignal, Element, HtmlElement, Text};

/// A live region is heard if it was there, and empty, before its text.
const FILL_MS: f64 = 50.0;

/// What is shown, and for how long. Of the number it has four digits.
pub struct OutcomeNotice {
    pub text: String,
    pub ms: f64,
    pub language: String,
    pub dir: &'static str,
    /// Where it gets an element of its own, after that of the keypad has gone.
    pub parent: Option<Element>,
    /// In the page's own element.
    pub element: HtmlElement,
    /// Above everything.
    pub is_above: bool,
    /// Aborted when the object is destroyed.
    pub owner: Option<AbortSignal>,
}

/// What is in the page, until dropped.
#[derive(Default)]
struct Shown {
    /// The element of ours around it.
    own_element: Option<HtmlElement>,
    panel: Option<HtmlElement>,
    text: Option<Text>,
    hold: Option<Hold>,
    timers: Vec<Timer>,
    listeners: Vec<Listener>,
}

thread_local! {
    /// There is one at a time.
    static LAST: RefCell<Shown> = RefCell::default();
}

/// Takes it out of the page, if it is there.
pub fn end() {
    // Not while it is borrowed: what is dropped may run code of the page.
    drop(LAST.take());
}

/// Shows it once the page has heard of the result.
pub fn show(notice: OutcomeNotice) {
    end();
    let timer = Timer::once(0.0, move || {
        let outcome = notice.open().unwrap_or_default();
        drop(LAST.replace(outcome));
    });
    LAST.with_borrow_mut(|last| last.timers.push(timer));
}

impl Keypad {
    /// What the shopper is to see of it, if it was shown at all.
    pub(super) fn outcome_notice(&self, end: &End, live: &Live) -> Option<OutcomeNotice> {
        let (text, settings) = {
            let prompt = self.prompt.borrow();
            (prompt.outcome_text(end)?, prompt.settings.clone())
        };
        let element = live.element.clone()?;
        let parent = live.own_element.as_ref();
        let parent = parent.and_then(|own| own.parent_element());
        let texts = &settings.texts;
        Some(OutcomeNotice {
            text,
            ms: settings.outcome_ms,
            language: texts.tag().into(),
            dir: texts.dir(),
            is_above: live.is_modal,
            parent,
            element,
            owner: self.owner.get().cloned(),
        })
    }
}

impl OutcomeNotice {
    fn open(&self) -> Option<Shown> {
        if self.owner.as_ref().is_some_and(AbortSignal::aborted) {
            return None;
        }
        let mut outcome = Shown::default();
        let mut element = self.element.clone();
        if let Some(parent) = &self.parent {
            element = element::create().ok()?;
            outcome.own_element = Some(element.clone());
            popover::mark(&element);
            parent.append_child(&element).ok()?;
        }
        outcome.hold = Some(Hold::new(&element, |_| end()));
        if !element.is_connected() {
            return None;
        }
        let is_above = self.is_above;
        let (panel, text) = self.panel(&element)?;
        if is_above {
            popover::show(&panel);
        }
        outcome.panel = Some(panel.clone());
        outcome.text = Some(text.clone());
        let texts = self.text.clone();
        let fill = move || {
            text.set_data(&texts);
            // The page may have become shorter with the keypad that is gone.
            if !is_above {
                dom::into_view(&panel);
            }
        };
        outcome.timers = vec![
            Timer::once(FILL_MS, fill),
            Timer::once(FILL_MS + self.ms, end),
        ];
        outcome.listeners = vec![Listener::new(&global::target(), "pagehide", |_| end())];
        if let Some(owner) = &self.owner {
            outcome
                .listeners
                .push(Listener::new(owner, "abort", |_| end()));
        }
        Some(outcome)
    }

    /// The one element of a notice, with a text to be filled.
    fn panel(&self, element: &HtmlElement) -> Option<(HtmlElement, Text)> {
        let document = element.owner_document()?;
        let panel = nodes::element(&document, "div");
        let inline = (!self.is_above).then_some(("data-inline", ""));
        let attributes = [
            ("part", "outcome"),
            ("role", "status"),
            ("lang", self.language.as_str()),
            ("dir", self.dir),
        ];
        for (name, value) in attributes.into_iter().chain(inline) {
            nodes::set(&panel, name, value);
        }
        hide_from_recorders(&panel);
        let text = document.create_text_node("");
        nodes::append(&panel, &text);
        let root = element.shadow_root()?;
        nodes::append(&root, &panel);
        Some((panel, text))
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(text) = &self.text {
            text.set_data("");
        }
        for node in [&self.panel, &self.own_element].into_iter().flatten() {
            node.remove();
        }
    }
}

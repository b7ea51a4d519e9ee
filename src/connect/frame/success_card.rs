//! In the place of the frame, for a moment: who is connected. It takes no focus, and nobody waits for it.

use super::elements::{ABOVE, DONE, check, element, set_appearance, texts_of};
use super::frame::Frame;
use super::texts::TextKey;
use crate::connect::integration::End;
use crate::core::listener::Listener;
use crate::core::object::get;
use crate::core::timer::Timer;
use crate::core::{global, nodes, popover};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlElement};

/// A live region is heard if it was there, and empty, before its text.
const FILL_MS: f64 = 50.0;

/// A card that stands in the page until it is dropped.
pub struct SuccessCard {
    root: HtmlElement,
    timers: Vec<Timer>,
    listeners: Vec<Listener>,
}

impl Frame {
    /// Shows what a token set says of the connection. `end` is called after `ms`, and when somebody closes it. Where
    /// the user has closed the frame, nothing follows.
    pub fn success_card(&self, set: &JsValue, ms: f64, end: Rc<dyn Fn()>) -> Option<SuccessCard> {
        let document = global::document()?;
        let is_above = self.view.is_dialog();
        let place: Element = match is_above {
            true => document.body()?.into(),
            false => self.place.take()?,
        };
        if self.end() != Some(End::Finished) || !place.is_connected() {
            return None;
        }
        let lines = self.lines(&document, set);
        let mut card = SuccessCard {
            root: self.card(&document, is_above),
            timers: Vec::new(),
            listeners: Vec::new(),
        };
        popover::mark(&card.root);
        place.append_child(&card.root).ok()?;
        if is_above {
            popover::show(&card.root);
        }
        let (filled, over) = (card.root.clone(), end.clone());
        let fill = move || {
            for line in &lines {
                nodes::append(&filled, line);
            }
        };
        card.timers.push(Timer::once(FILL_MS, fill));
        card.timers.push(Timer::once(FILL_MS + ms, move || over()));
        let over = end.clone();
        card.listeners = vec![
            Listener::click(&card.root, move |_| over()),
            Listener::new(&document, "keydown", move |event| {
                if get(&event, "key") == "Escape" {
                    end();
                }
            }),
        ];
        Some(card)
    }

    fn card(&self, document: &Document, is_above: bool) -> HtmlElement {
        let appearance = self.appearance.borrow();
        let style = if is_above { ABOVE } else { "" };
        let root = element(document, "div", "done", &[DONE, style].concat());
        nodes::set(&root, "role", "status");
        set_appearance(&root, &texts_of(&self.options, &appearance), &appearance);
        root
    }

    /// "Connected", whose store of which account, and whether with e-receipts.
    fn lines(&self, document: &Document, set: &JsValue) -> Vec<HtmlElement> {
        let texts = texts_of(&self.options, &self.appearance.borrow());
        let line = |tag, class, style| element(document, tag, class, style);
        let title = line("strong", "done-title", "font-size:1.25rem");
        title.set_text_content(Some(texts.text(TextKey::Done)));
        let mut lines = vec![check(document), title];
        // A name has a direction of its own.
        let store = line("bdi", "done-store", "font-weight:600");
        let account = line("bdi", "done-account", "");
        for (member, name) in [("store", store), ("account", account)] {
            if let Some(text) = get(&get(set, member), "name").as_string() {
                name.set_text_content(Some(&text));
                lines.push(name);
            }
        }
        let key = match get(set, "ereceipt").is_truthy() {
            true => TextKey::EreceiptsOn,
            false => TextKey::EreceiptsOff,
        };
        let ereceipts = line("span", "done-ereceipts", "");
        ereceipts.set_text_content(Some(texts.text(key)));
        lines.push(ereceipts);
        lines
    }
}

impl Drop for SuccessCard {
    fn drop(&mut self) {
        self.listeners.clear();
        self.timers.clear();
        self.root.remove();
    }
}

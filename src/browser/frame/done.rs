//! In the place of the frame, for a moment: who is connected. It takes no focus, and nobody waits for it.

use super::super::{global, nodes, popover};
use super::make::{ABOVE, DONE, Maker, append, set_style};
use super::view::words;
use super::{End, Frame};
use crate::browser::listener::Listener;
use crate::browser::object::get;
use crate::browser::timer::Timer;
use crate::frame::words::Word;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement};

/// A live region is heard if it was there, and empty, before its text.
const FILL_MS: f64 = 50.0;

/// In the page until dropped.
pub struct Done {
    root: HtmlElement,
    timers: Vec<Timer>,
    listeners: Vec<Listener>,
}

impl Frame {
    /// Shows what a token set says of the connection. `end` is called after `ms`, and when somebody closes it. Where
    /// the user has closed the frame, nothing follows.
    pub fn done(&self, set: &JsValue, ms: f64, end: Rc<dyn Fn()>) -> Option<Done> {
        let document = global::document()?;
        let is_above = self.view.dialog.is_some();
        let place: Element = match is_above {
            true => document.body()?.into(),
            false => self.place.take()?,
        };
        if self.end() != Some(End::Finished) || !place.is_connected() {
            return None;
        }
        let maker = Maker(document.clone());
        let lines = self.lines(&maker, set);
        let mut done = Done {
            root: self.card(&maker, is_above),
            timers: Vec::new(),
            listeners: Vec::new(),
        };
        popover::mark(&done.root);
        place.append_child(&done.root).ok()?;
        if is_above {
            popover::show(&done.root);
        }
        let (filled, over) = (done.root.clone(), end.clone());
        let fill = move || {
            let lines: Vec<&HtmlElement> = lines.iter().collect();
            append(&filled, &lines);
        };
        done.timers.push(Timer::once(FILL_MS, fill));
        done.timers.push(Timer::once(FILL_MS + ms, move || over()));
        let over = end.clone();
        done.listeners = vec![
            Listener::click(&done.root, move |_| over()),
            Listener::new(&document, "keydown", move |event| {
                if get(&event, "key") == "Escape" {
                    end();
                }
            }),
        ];
        Some(done)
    }

    fn card(&self, maker: &Maker, is_above: bool) -> HtmlElement {
        let look = self.look.borrow();
        let words = words(&self.labels, &look);
        let style = if is_above { ABOVE } else { "" };
        let root = maker.element("div", "done", &[DONE, style].concat());
        nodes::set(&root, "role", "status");
        nodes::set(&root, "lang", words.tag());
        nodes::set(&root, "dir", words.dir());
        if let Some(theme) = look.theme {
            set_style(&root, "color-scheme", theme.as_str());
        }
        root
    }

    /// "Connected", whose store of which account, and whether with e-receipts.
    fn lines(&self, maker: &Maker, set: &JsValue) -> Vec<HtmlElement> {
        let words = words(&self.labels, &self.look.borrow());
        let check = maker.check();
        let title = maker.element("strong", "done-title", "font-size:1.25rem");
        title.set_text_content(Some(words.text(Word::Done)));
        let mut lines = vec![check, title];
        // A name has a direction of its own.
        let store = maker.element("bdi", "done-store", "font-weight:600");
        let account = maker.element("bdi", "done-account", "");
        for (of, line) in [("store", store), ("account", account)] {
            if let Some(text) = get(&get(set, of), "name").as_string() {
                line.set_text_content(Some(&text));
                lines.push(line);
            }
        }
        let word = match get(set, "ereceipt").is_truthy() {
            true => Word::EreceiptsOn,
            false => Word::EreceiptsOff,
        };
        let line = maker.element("span", "done-ereceipts", "");
        line.set_text_content(Some(words.text(word)));
        lines.push(line);
        lines
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.listeners.clear();
        self.timers.clear();
        self.root.remove();
    }
}

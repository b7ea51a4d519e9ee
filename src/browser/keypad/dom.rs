//! The keypad's elements: one table, walked once.

use crate::browser::old::js;
use crate::browser::old::node::{Elements, append, attribute, remove};
use crate::keypad::settings::Settings;
use crate::keypad::taps::KEYS;
use crate::keypad::view::View;
use crate::keypad::words::Word;
use wasm_bindgen::JsValue;

/// Its rules; they go into the shadow root as a constructed sheet, which a strict CSP allows.
pub const STYLE: &str = include_str!("keypad.css");

const PANEL: usize = 0;
const TITLE: usize = 1;
/// The number; what a keyboard types into.
pub const DISPLAY: usize = 3;
const NUMBER: usize = 4;
/// A button.
pub const CLEAR: usize = 5;
const HINT: usize = 7;
/// A button.
pub const SUGGESTION: usize = 8;
const GRID: usize = 9;
/// The first of the grid's keys.
pub const FIRST_KEY: usize = 10;
const DELETE: usize = FIRST_KEY + KEYS - 1;
const CONSENT: usize = DELETE + 1;
/// A button.
pub const SEND: usize = CONSENT + 2;
/// A button.
pub const PRINT: usize = SEND + 1;
/// A button.
pub const NONE: usize = PRINT + 1;
const STATUS: usize = NONE + 1;

/// As `build` in `page.js` reads it. What changes has a text from the beginning: the node stays the same, only what it says changes. The display is a text box
/// without a caret: in it, screen readers leave the digits to us instead of jumping to headings.
const TREE: &str = "\
0|div|part=keypad
0|div|part=title|id=t
0|div|part=screen
2|div|part=display|role=textbox|tabindex=0|aria-labelledby=t|aria-describedby=h
3|bdi|text= |dir=ltr
2|button|part=clear
0|div|part=slot
6|div|part=hint|text= |id=h
6|button|text= |part=suggestion
0|div|part=keys|role=group|dir=ltr
9|button|part=key|text=1|tabindex=0
9|button|part=key|text=2|tabindex=-1
9|button|part=key|text=3|tabindex=-1
9|button|part=key|text=4|tabindex=-1
9|button|part=key|text=5|tabindex=-1
9|button|part=key|text=6|tabindex=-1
9|button|part=key|text=7|tabindex=-1
9|button|part=key|text=8|tabindex=-1
9|button|part=key|text=9|tabindex=-1
9|button|part=key|text=+|tabindex=-1
9|button|part=key|text=0|tabindex=-1
9|button|part=key delete|tabindex=-1
0|div|part=consent
0|div|part=actions
23|button|part=send
23|button|part=print
23|button|part=none
0|div|part=status|text= |role=status";

/// The elements of one ask.
pub struct Dom {
    /// What listens: the panel, or the dialog around it.
    pub surface: JsValue,
    parts: Elements,
}

impl Dom {
    /// Builds them, detached.
    pub fn new(settings: &Settings, is_modal: bool) -> Self {
        let words = &settings.words;
        let parts = Elements::new(TREE);
        for (part, word) in &[
            (TITLE, Word::Title),
            (CLEAR, Word::Clear),
            (CONSENT, Word::Consent),
            (SEND, Word::Send),
            (PRINT, Word::Print),
            (NONE, Word::None),
        ] {
            parts.label(*part, &words.get(*word).into());
        }
        let mut dom = Self {
            surface: parts.get(PANEL),
            parts,
        };
        dom.set(PANEL, "lang", words.locale);
        dom.set(PANEL, "dir", if words.is_rtl() { "rtl" } else { "ltr" });
        dom.set(GRID, "aria-label", words.get(Word::Keys));
        dom.set(DELETE, "aria-label", words.get(Word::Delete));
        dom.hide(NONE, !settings.allows_none);
        if is_modal {
            let dialog = Elements::new("0|dialog").get(0);
            append(&dialog, &dom.surface);
            dom.surface = dialog;
        } else {
            attribute(&dom.surface, "role", "group");
        }
        attribute(&dom.surface, "aria-labelledby", "t");
        dom
    }

    /// Puts them into the page, with the focus on the number.
    pub fn show(&self, root: &JsValue, is_modal: bool) -> Result<(), JsValue> {
        append(root, &self.surface);
        if is_modal {
            js::call(&self.surface, "showModal", js::NONE, js::NONE)?;
        }
        self.focus(DISPLAY);
        Ok(())
    }

    /// Shows what changed.
    pub fn render(&self, view: &View) {
        self.write(NUMBER, &view.display);
        self.write(HINT, &view.hint);
        self.write(SUGGESTION, &view.suggestion);
        if let Some(text) = &view.say {
            self.tell(text);
        }
        // What goes away must not take the focus with it: the keyboard would be dead.
        if view.suggestion.is_empty() && self.is_focused(SUGGESTION)
            || view.is_empty && self.is_focused(CLEAR)
        {
            self.focus_number();
        }
        self.hide(HINT, view.hint.is_empty());
        self.hide(SUGGESTION, view.suggestion.is_empty());
        self.set(
            CLEAR,
            "part",
            if view.is_empty { "clear off" } else { "clear" },
        );
        let tone = view.tone.as_str();
        self.set(PANEL, "data-tone", tone);
        let is = |wanted: &str| if tone == wanted { "true" } else { "false" };
        self.set(DISPLAY, "aria-invalid", is("bad"));
        self.set(GRID, "aria-disabled", is("busy"));
    }

    /// Takes every trace of the number out of the elements, and these out of the page. Says whether the focus was inside.
    pub fn remove(&self) -> bool {
        let had_focus = self.has_focus();
        for part in &[NUMBER, HINT, SUGGESTION, STATUS] {
            self.write(*part, "");
        }
        // Only a dialog has it; closed, it returns the focus.
        js::tell(&self.surface, "close");
        remove(&self.surface);
        had_focus
    }

    /// Which part an event came from.
    pub fn source(&self, event: &JsValue) -> Option<usize> {
        self.parts.position(&js::get(event, "target"))
    }

    /// A keyboard's keys count only while the focus is inside; whoever touches the keypad means it.
    pub fn catch_focus(&self) {
        if !self.has_focus() {
            self.focus_number();
        }
    }

    /// Moves the focus to the number, but nothing under the finger.
    pub fn focus_number(&self) {
        let options = js::object();
        js::set(&options, "preventScroll", true.into());
        js::act(&self.part(DISPLAY), "focus", &options, js::NONE);
    }

    fn has_focus(&self) -> bool {
        is(&self.surface, ":focus-within")
    }

    fn is_focused(&self, part: usize) -> bool {
        is(&self.part(part), ":focus")
    }

    /// Screen readers hear differences: the same again needs one that nobody sees.
    fn tell(&self, text: &str) {
        let before = js::text(&js::get(&self.part(STATUS), "firstChild"), "data");
        if before == text {
            self.write(STATUS, &[text, "\u{a0}"].concat());
        } else {
            self.write(STATUS, text);
        }
    }

    fn focus(&self, part: usize) {
        js::tell(&self.part(part), "focus");
    }

    /// Moves the grid's one tab stop, and the focus with it.
    pub fn rove(&self, from: usize, step: i8) {
        let to = from.saturating_add_signed(isize::from(step));
        if (FIRST_KEY..=DELETE).contains(&from) && (FIRST_KEY..=DELETE).contains(&to) {
            self.set(from, "tabindex", "-1");
            self.set(to, "tabindex", "0");
            self.focus(to);
        }
    }

    fn part(&self, part: usize) -> JsValue {
        self.parts.get(part)
    }

    fn write(&self, part: usize, text: &str) {
        js::set_text(&js::get(&self.part(part), "firstChild"), "data", text);
    }

    fn set(&self, part: usize, name: &str, value: &str) {
        attribute(&self.part(part), name, value);
    }

    fn hide(&self, part: usize, is_hidden: bool) {
        js::set(&self.part(part), "hidden", is_hidden.into());
    }
}

fn is(element: &JsValue, selector: &str) -> bool {
    js::act(element, "matches", &selector.into(), js::NONE) == true
}

/// The symbol of one of the grid's keys; the last one has none, and takes one back.
pub fn symbol(key: usize) -> Option<u8> {
    b"123456789+0".get(key).copied()
}

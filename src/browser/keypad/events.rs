//! What fingers and keys do to a keypad: read, and handed to the model.

use super::Keypad;
use super::dom::{self, Dom};
use crate::browser::old::{js, page};
use crate::keypad::ask::Input;
use crate::keypad::key::{self, Key};
use crate::keypad::taps::KEYS;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// What a surface listens to.
pub const NAMES: &str = "\
pointerdown
pointercancel
mousedown
contextmenu
click
keydown
cancel
close";

impl Keypad {
    /// One event of the surface, or of the page.
    pub(super) fn heard(self: &Rc<Self>, dom: &Dom, name: &str, event: &JsValue) {
        let at = js::number(event, "timeStamp");
        let source = dom.source(event);
        let key = source
            .and_then(|source| source.checked_sub(dom::FIRST_KEY))
            .filter(|key| *key < KEYS);
        let by_pointer = name == "pointerdown" || js::number(event, "detail") != 0.0;
        if by_pointer && self.taps.borrow().is_early(at) {
            return;
        }
        if name == "pointerdown" {
            self.taps.borrow_mut().touched(source, at);
        }
        let input = match (name, key) {
            ("keydown", _) => self.keydown(dom, event, at, source),
            ("pointerdown", Some(key)) => {
                let by_mouse = js::text(event, "pointerType") == "mouse";
                let is_first = js::number(event, "button") == 0.0;
                let counts = is_first && self.taps.borrow_mut().down(key, by_mouse, at);
                dom.catch_focus();
                counts.then(|| pressed(key))
            }
            // Of a delete key there is nothing to take back.
            ("pointercancel", Some(key)) => {
                let is_back = self.taps.borrow_mut().cancelled(key);
                (is_back && dom::symbol(key).is_some()).then_some(Input::Back)
            }
            ("click", Some(key)) => {
                let counts = self.taps.borrow_mut().click(key, by_pointer, at);
                (counts && !self.is_scanners(at)).then(|| pressed(key))
            }
            ("click", None) if by_pointer && !self.taps.borrow().is_meant(source, at) => None,
            ("click", None) if !self.is_scanners(at) => clicked(dom, source),
            // The focus stays where a keyboard's Enter sends; no menu opens under a long press.
            ("mousedown" | "contextmenu", Some(_)) => {
                prevent(event);
                None
            }
            ("cancel", _) => {
                prevent(event);
                Some(Input::Print)
            }
            ("close", _) => Some(Input::Print),
            _ => None,
        };
        // Only a scanner's pace is judged by when keys were pressed; a busy page hears of them late, and must not be late for the rest.
        let now = match input {
            Some(Input::Typed(_)) => at,
            _ => page::now(),
        };
        self.on(input.unwrap_or(Input::Touch), now, JsValue::UNDEFINED);
    }

    fn is_scanners(&self, at: f64) -> bool {
        self.ask.borrow().is_scanners(at)
    }

    fn keydown(&self, dom: &Dom, event: &JsValue, at: f64, source: Option<usize>) -> Option<Input> {
        let is = |name: &str| js::is(event, name);
        if is("ctrlKey") || is("metaKey") || is("altKey") || is("isComposing") {
            return None;
        }
        let key = key::read(&js::text(event, "key"), &js::text(event, "code"));
        // A focused button keeps its own Enter and Space, unless they are a scanner's.
        let is_native = source.is_some_and(|source| source != dom::DISPLAY)
            && matches!(key, Key::Enter | Key::Character)
            && !self.is_scanners(at);
        let is_repeated = is("repeat");
        if key != Key::Other && (!is_native || is_repeated) {
            prevent(event);
            // The till's own shortcuts must not read along.
            js::tell(event, "stopPropagation");
        }
        match key {
            Key::Back => Some(Input::Back),
            _ if is_repeated => None,
            Key::Symbol(symbol) => Some(Input::Typed(Some(symbol))),
            Key::Character => Some(Input::Typed(None)),
            Key::Enter if is_native || self.is_scanners(at) => None,
            Key::Enter => Some(Input::Send),
            Key::Escape => Some(Input::Print),
            Key::Move(step) => {
                if let Some(source) = source {
                    dom.rove(source, step);
                }
                None
            }
            Key::Other => None,
        }
    }
}

/// The buttons that are no keys of the grid. Two of them go away when they are pressed, which must not take the focus with them.
fn clicked(dom: &Dom, source: Option<usize>) -> Option<Input> {
    let input = match source? {
        dom::CLEAR => Input::Clear,
        dom::SUGGESTION => Input::Accept,
        dom::SEND => return Some(Input::Send),
        dom::PRINT => return Some(Input::Print),
        dom::NONE => return Some(Input::None),
        _ => return None,
    };
    dom.focus_number();
    Some(input)
}

fn pressed(key: usize) -> Input {
    dom::symbol(key).map_or(Input::Back, Input::Symbol)
}

fn prevent(event: &JsValue) {
    js::tell(event, "preventDefault");
}

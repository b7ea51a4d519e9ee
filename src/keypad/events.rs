//! What fingers and keys do to a keypad: read, and handed to the model.

use super::dom::Dom;
use super::key::{self, Key};
use super::part::{Part, symbol};
use super::prompt::Input;
use super::{Keypad, paste, time};
use crate::core::global;
use crate::core::object::{get, text};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DataTransfer, Event};

/// What a surface listens to, beside clicks.
pub const NAMES: [&str; 9] = [
    "pointerdown",
    "pointercancel",
    "mousedown",
    "contextmenu",
    "keydown",
    "keyup",
    "paste",
    "cancel",
    "close",
];

// Events are read by name: scanners, remote controls and browsers that fill in forms dispatch plain ones, and the
// keypad may stand in another window.

/// A member that is a number; else 0.
fn number(value: &JsValue, name: &str) -> f64 {
    get(value, name).as_f64().unwrap_or_default()
}

/// Whether a member is `true`.
fn flag(event: &Event, name: &str) -> bool {
    get(event, name) == true
}

/// When an event happened, by our own clock. The keypad may stand in another window.
fn time_of(event: &Event, dom: &Dom) -> f64 {
    let document = dom.surface.owner_document();
    let window = document.and_then(|document| document.default_view());
    let clock = window.and_then(|window| window.performance());
    let theirs = clock.map_or(0.0, |clock| clock.now());
    time::of_event(number(event, "timeStamp"), theirs, global::now())
}

impl Keypad {
    /// A key went down here. `is_native`: it presses the button that has the focus, and the page hears of it.
    fn pressed(&self, key: Key, is_native: bool) {
        let mut down = self.keys_down.borrow_mut();
        if !down.iter().any(|(pressed, _)| *pressed == key) {
            down.push((key, is_native));
        }
    }

    /// A key came up: whether it is one of those that the page did not hear of.
    fn lifted(&self, key: &str, code: &str) -> bool {
        let key = key::read(key, code);
        let mut down = self.keys_down.borrow_mut();
        let place = down.iter().position(|(pressed, _)| *pressed == key);
        place.is_some_and(|place| !down.swap_remove(place).1)
    }

    /// One event of the surface. A page may dispatch plain events of these names: what such an event lacks is 0, empty
    /// or false.
    pub(super) fn on_event(self: &Rc<Self>, dom: &Rc<Dom>, name: &str, event: &Event) {
        let at = time_of(event, dom);
        let part = dom.part(event);
        let by_pointer = name == "pointerdown" || number(event, "detail") != 0.0;
        if by_pointer && self.taps.borrow().is_early(at) {
            return;
        }
        let input = match (name, part) {
            ("keydown", _) => self.keydown(dom, event, at, part),
            ("keyup", _) => {
                self.keyup(event, at);
                None
            }
            ("pointerdown", _) => self.pointerdown(dom, event, at, part),
            ("pointercancel", Some(Part::Key(key))) => self.pointercancel(key),
            ("click", _) => self.clicked(dom, part, by_pointer, at),
            // The focus stays where a keyboard's Enter sends.
            ("mousedown", Some(Part::Key(_))) => {
                event.prevent_default();
                None
            }
            // No menu opens under a long press.
            ("contextmenu", Some(Part::Key(_))) => {
                event.prevent_default();
                self.taps.borrow_mut().held();
                None
            }
            ("cancel", _) => {
                event.prevent_default();
                (!dom.close_languages()).then_some(Input::Print)
            }
            ("paste", _) => self.pasted(event),
            ("close", _) => Some(Input::Print),
            _ => None,
        };
        // Only a scanner's pace depends on when keys were pressed. A busy page is told late; the rest goes by the
        // clock.
        let now = match input {
            Some(Input::Typed(_)) => at,
            _ => global::now(),
        };
        if let Some(input) = input {
            dom.close_languages();
            self.give_feedback(dom, input, name == "keydown");
        }
        self.on(input.unwrap_or(Input::Touch), now, None);
    }

    /// The first number of what was pasted takes the place of what was typed.
    fn pasted(self: &Rc<Self>, event: &Event) -> Option<Input> {
        // A plain event has none.
        let pasted = get(event, "clipboardData");
        let pasted = pasted
            .unchecked_ref::<DataTransfer>()
            .get_data("text/plain");
        let pasted = pasted.unwrap_or_default();
        event.prevent_default();
        event.stop_propagation();
        let region = self.prompt.borrow().settings.region;
        let Some(number) = paste::number(&pasted, region) else {
            return Some(Input::Unread);
        };
        let mut symbols = number.bytes().map(Input::Symbol);
        let last = symbols.next_back()?;
        for input in std::iter::once(Input::Clear).chain(symbols) {
            self.on(input, global::now(), None);
        }
        Some(last)
    }

    fn is_scanners(&self, at: f64) -> bool {
        self.prompt.borrow_mut().is_scanners(at, Key::Other)
    }

    fn pointerdown(&self, dom: &Dom, event: &Event, at: f64, part: Option<Part>) -> Option<Input> {
        if !matches!(part, Some(Part::Language | Part::Offered(_))) {
            dom.close_languages();
        }
        let by_mouse = text(event, "pointerType") == "mouse";
        // Another button of a mouse or a pen is followed by no click.
        let counts =
            number(event, "button") == 0.0 && self.taps.borrow_mut().down(part, by_mouse, at);
        let Some(Part::Key(key)) = part else {
            return None;
        };
        dom.catch_focus();
        counts.then(|| pressed(key))
    }

    fn pointercancel(&self, key: usize) -> Option<Input> {
        let is_back = self.taps.borrow_mut().cancelled(key);
        // A delete key typed nothing that could be taken back.
        (is_back && symbol(key).is_some()).then_some(Input::Back)
    }

    /// Decides whether the key is the keypad's, the focused button's, a scanner's or the page's.
    fn keydown(&self, dom: &Dom, event: &Event, at: f64, part: Option<Part>) -> Option<Input> {
        if flag(event, "isComposing") {
            return None;
        }
        let key = key::read(&text(event, "key"), &text(event, "code"));
        let is_printable = matches!(key, Key::Symbol(_) | Key::Character);
        let with_alt = flag(event, "altKey");
        let is_modified = with_alt || flag(event, "ctrlKey") || flag(event, "metaKey");
        let heard = if is_modified { Key::Other } else { key };
        let is_scanners = self.prompt.borrow_mut().is_scanners(at, heard);
        if is_scanners && (is_modified || !is_printable) {
            // Whatever a code ends with: Tab would take the focus along, and Ctrl+J is the end of a line.
            event.prevent_default();
            event.stop_propagation();
            if key.is_ours() {
                self.pressed(key, false);
            }
            return None;
        }
        if is_modified {
            // Some scanners type all characters with Alt and the number pad.
            return (with_alt && is_printable).then_some(Input::Typed(None));
        }
        // A focused button keeps its own Enter and Space, unless they are a scanner's, or were meant for what was
        // there before.
        let is_dropped = is_scanners || self.taps.borrow().is_early(at);
        let is_native = part.is_some_and(|part| part != Part::Display)
            && matches!(key, Key::Enter | Key::Character)
            && !is_dropped;
        let is_repeated = flag(event, "repeat");
        if key.is_ours() && (!is_native || is_repeated) {
            event.prevent_default();
            // The till's own shortcuts must not read along.
            event.stop_propagation();
        }
        if key.is_ours() {
            // Held, the one that ends the prompt would press the till's own button next.
            self.pressed(key, is_native);
        }
        let is_others = key == Key::Enter && (is_native || is_dropped);
        if is_others || (is_repeated && key != Key::Back) {
            return None;
        }
        self.meant(dom, part, key)
    }

    /// What a key means that is the keypad's.
    fn meant(&self, dom: &Dom, part: Option<Part>, key: Key) -> Option<Input> {
        match key {
            Key::Back => Some(Input::Back),
            Key::Symbol(symbol) => Some(Input::Typed(Some(symbol))),
            Key::Character => Some(Input::Typed(None)),
            // The shopper has not agreed to a number by a key that somebody else may have pressed for something else.
            Key::Enter if self.prompt.borrow().is_prefilled() => {
                dom.focus_send();
                None
            }
            Key::Enter => Some(Input::Send),
            Key::Escape => (!dom.close_languages()).then_some(Input::Print),
            Key::Move(step) => {
                match part {
                    Some(Part::Key(from)) => dom.rove(from, step),
                    Some(Part::Offered(from)) => {
                        dom.focus_language(from.wrapping_add_signed(step.signum().into()));
                    }
                    _ => {}
                }
                None
            }
            Key::Tab | Key::Other => None,
        }
    }

    fn keyup(&self, event: &Event, at: f64) {
        // The number must not be read there, either. A key that went down elsewhere comes up there, too.
        let is_lifted = self.lifted(&text(event, "key"), &text(event, "code"));
        if is_lifted {
            event.stop_propagation();
        }
        if is_lifted || self.taps.borrow().is_early(at) {
            // Firefox presses a button when Space comes up, whatever became of its keydown.
            event.prevent_default();
        }
    }

    /// What a click means, if it counts. Two buttons go away when they are pressed, which must not take the focus with
    /// them. Nor must a finger leave it where Enter would change the language again instead of sending.
    fn clicked(&self, dom: &Dom, part: Option<Part>, by_pointer: bool, at: f64) -> Option<Input> {
        let counts = match part {
            Some(Part::Key(key)) => self.taps.borrow_mut().click_key(key, by_pointer, at),
            _ => !by_pointer || self.taps.borrow_mut().click_button(part, at),
        };
        if !counts || self.is_scanners(at) {
            return None;
        }
        let settings = self.prompt.borrow().settings.clone();
        let (count, shown) = (settings.texts.count(), settings.texts.shown());
        let input = match part? {
            Part::Clear => Input::Clear,
            Part::Suggestion => Input::Accept,
            Part::Send => return Some(Input::Send),
            Part::Print => return Some(Input::Print),
            Part::Scan => return Some(Input::Scan),
            Part::Done => return Some(Input::Done),
            Part::None => return Some(Input::None),
            Part::Language if count > 2 => {
                dom.list_languages(shown);
                return None;
            }
            Part::Language => Input::Language(1 - shown),
            Part::Offered(place) => Input::Language(place),
            Part::Key(key) => return Some(pressed(key)),
            Part::Display => return None,
        };
        if by_pointer || !matches!(input, Input::Language(_)) {
            dom.focus_number();
        }
        Some(input)
    }
}

fn pressed(key: usize) -> Input {
    symbol(key).map_or(Input::Back, Input::Symbol)
}

//! What a key that counts feels and sounds like, and the light of a button whose key was pressed on a keyboard.

use super::Keypad;
use super::dom::Dom;
use super::prompt::Input;
use crate::core::timer::Timer;
use crate::core::weak;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// How long a button stays lit: as long as a finger stays on it.
const LIGHT_MS: f64 = 120.0;

// In the file of the element: in Chromium, the test server of wasm-bindgen hangs with one file more.
#[wasm_bindgen(module = "/src/keypad/element.js")]
extern "C" {
    fn vibrate();
    fn click();
}

impl Keypad {
    /// Answers an input of the shopper, before the model: that may end the prompt.
    pub(super) fn give_feedback(&self, dom: &Rc<Dom>, input: Input, is_typed: bool) {
        let prompt = self.prompt.borrow();
        if prompt.is_sending() || prompt.is_failed() {
            return;
        }
        let feedback = prompt.settings.feedback;
        drop(prompt);
        if feedback.haptic {
            vibrate();
        }
        if feedback.click {
            click();
        }
        let symbol = match input {
            Input::Typed(Some(symbol)) => Some(symbol),
            Input::Back if is_typed => None,
            _ => return,
        };
        dom.light(symbol);
        let timer = Timer::once(LIGHT_MS, weak::callback(dom, |dom| dom.darken()));
        self.live.borrow_mut().light = Some(timer);
    }
}

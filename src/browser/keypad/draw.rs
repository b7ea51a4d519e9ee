//! What the ask says, put into the elements.

use super::Keypad;

impl Keypad {
    /// Says all that does not change by itself, in the language that is shown.
    pub(super) fn translate(&self) {
        let dom = self.live.borrow().dom.clone();
        if let Some(dom) = dom {
            let (settings, next) = {
                let ask = self.ask.borrow();
                (ask.settings.clone(), ask.next_language())
            };
            dom.translate(&settings.words, next);
        }
    }

    pub(super) fn render(&self) {
        let dom = self.live.borrow().dom.clone();
        if let Some(dom) = dom {
            let view = self.ask.borrow_mut().view();
            dom.render(&view);
        }
    }
}

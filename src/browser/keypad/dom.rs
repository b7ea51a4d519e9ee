//! The keypad's elements: makes them, and shows what the view says. Which one was pressed becomes a `Part`.

use super::make::Maker;
use crate::browser::nodes::set;
use crate::browser::{global, object};
use crate::keypad::part::{KEYS, Part, symbol};
use crate::keypad::settings::Settings;
use crate::keypad::view::{Tone, View};
use crate::keypad::words::{Word, Words};
use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{
    Document, Element, Event, EventTarget, FocusOptions, HtmlButtonElement, HtmlDialogElement,
    HtmlElement, ShadowRoot, Text,
};

#[wasm_bindgen]
extern "C" {
    // web-sys' own does not say where to: not with the features that we have.
    #[wasm_bindgen(extends = Element)]
    type Scrollable;
    #[wasm_bindgen(method, js_name = scrollIntoView)]
    fn scroll_into_view(this: &Scrollable, to: &Object);
}

/// Of a key that is pressed on a keyboard.
const LIT: &str = "data-lit";

/// The elements of one ask. A text that changes keeps its node.
pub struct Dom {
    /// What listens: the panel, or the dialog around it.
    pub surface: HtmlElement,
    /// The same, if it is a dialog.
    dialog: Option<HtmlDialogElement>,
    panel: HtmlElement,
    title: Text,
    language: HtmlButtonElement,
    display: HtmlElement,
    number: Text,
    clear: HtmlButtonElement,
    hint: HtmlElement,
    hint_text: Text,
    suggestion: HtmlButtonElement,
    suggestion_text: Text,
    grid: HtmlElement,
    /// Row by row.
    keys: Vec<HtmlButtonElement>,
    consent: HtmlElement,
    send: HtmlButtonElement,
    send_text: Text,
    /// While the host is asked.
    progress: HtmlElement,
    print: HtmlButtonElement,
    none: HtmlButtonElement,
    /// What screen readers hear.
    status: Text,
}

impl Dom {
    /// Makes the elements, in no page yet, and without the texts of `translate`.
    pub fn new(document: &Document, settings: &Settings, is_modal: bool) -> Self {
        let make = Maker(document);
        let panel = make.panel();
        // First: what follows makes room for it.
        let language = make.button(&panel, "language", "");
        make.brand(&panel);
        let title = make.title(&panel, settings);
        let screen = make.part(&panel, "screen");
        let (display, number) = make.display(&screen);
        let clear = make.button(&screen, "clear", "");
        make.example(&screen, settings);
        let slot = make.part(&panel, "slot");
        let hint = make.part(&slot, "hint");
        set(&hint, "id", "h");
        let suggestion = make.button(&slot, "suggestion", "");
        let progress = make.part(&panel, "progress");
        set(&progress, "role", "progressbar");
        let (grid, keys) = make.grid(&panel);
        let consent = make.part(&panel, "consent");
        let actions = make.part(&panel, "actions");
        let action = |part| make.button(&actions, part, "");
        let (send, print, none) = (action("send"), action("print"), action("none"));
        none.set_hidden(!settings.allows_none);
        let status = make.part(&panel, "status");
        set(&status, "role", "status");
        let (surface, dialog) = make.surface(&panel, is_modal);
        Self {
            title,
            language,
            number,
            hint_text: make.text(&hint),
            suggestion_text: make.text(&suggestion),
            send_text: make.text(&send),
            progress,
            status: make.text(&status),
            surface,
            dialog,
            panel,
            display,
            clear,
            hint,
            suggestion,
            grid,
            keys,
            consent,
            send,
            print,
            none,
        }
    }

    /// Says all that does not change by itself, in the language that is shown. `next` is the one that a press on the
    /// button shows, by its own name, and its tag; without it there is no button.
    pub fn translate(&self, words: &Words, next: Option<(String, String)>) {
        set(&self.panel, "lang", words.tag());
        set(&self.panel, "dir", words.dir());
        self.title.set_data(words.get(Word::Title));
        for (element, word) in [
            (&*self.clear, Word::Clear),
            (&self.consent, Word::Consent),
            (&*self.print, Word::Print),
            (&*self.none, Word::None),
        ] {
            element.set_text_content(Some(words.get(word)));
        }
        for (element, word) in [
            (&self.display, Word::Number),
            (&self.progress, Word::Sending),
            (&self.grid, Word::Keys),
        ] {
            set(element, "aria-label", words.get(word));
        }
        if let Some(delete) = self.keys.last() {
            set(delete, "aria-label", words.get(Word::Delete));
        }
        self.language.set_hidden(next.is_none());
        let (name, tag) = next.unwrap_or_default();
        self.language.set_text_content(Some(&name));
        set(&self.language, "lang", &tag);
    }

    /// Puts the elements into the page, with the focus on the number. Fails where there are no dialogs.
    pub fn show(&self, root: &ShadowRoot) -> Result<(), JsValue> {
        root.append_child(&self.surface)?;
        if let Some(dialog) = &self.dialog {
            dialog.show_modal()?;
        } else {
            into_view(&self.surface); // All of it, not only the number.
        }
        let _ = self.display.focus();
        Ok(())
    }

    /// Shows what changed.
    pub fn render(&self, view: &View) {
        self.number.set_data(&view.display);
        self.hint_text.set_data(&view.hint);
        self.suggestion_text.set_data(&view.suggestion);
        if let Some(text) = &view.say {
            self.say(text);
        }
        // What goes away must not take the focus with it: the keyboard would be dead.
        if view.suggestion.is_empty() && is(&self.suggestion, ":focus")
            || view.is_empty && is(&self.clear, ":focus")
        {
            self.focus_number();
        }
        self.hint.set_hidden(view.hint.is_empty());
        self.suggestion.set_hidden(view.suggestion.is_empty());
        let clear = if view.is_empty { "clear off" } else { "clear" };
        set(&self.clear, "part", clear);
        if self.send_text.data() != view.send {
            self.send_text.set_data(&view.send);
        }
        self.progress.set_hidden(view.tone != Tone::Busy);
        set(&self.panel, "data-tone", view.tone.as_str());
        let says = |flag| if flag { "true" } else { "false" };
        set(&self.display, "aria-invalid", says(view.tone == Tone::Bad));
        let is_dead = matches!(view.tone, Tone::Busy | Tone::Failed);
        set(&self.grid, "aria-disabled", says(is_dead));
        set(&self.language, "aria-disabled", says(is_dead));
    }

    /// Takes every trace of the number out of the elements, and these out of the page. Returns whether the focus was
    /// inside.
    pub fn remove(&self) -> bool {
        let had_focus = self.has_focus();
        self.darken();
        for text in [
            &self.number,
            &self.hint_text,
            &self.suggestion_text,
            &self.status,
        ] {
            text.set_data("");
        }
        // Closed, a dialog returns the focus. A browser without dialogs has none that is open.
        if let Some(dialog) = self.dialog.as_ref().filter(|dialog| dialog.open()) {
            dialog.close();
        }
        self.surface.remove();
        had_focus
    }

    /// The part that an event came from. Outside of the shadow root its target is the element around that.
    pub fn part(&self, event: &Event) -> Option<Part> {
        let target: EventTarget = event.composed_path().get(0).unchecked_into();
        let is = |element: &EventTarget| *element == target;
        if let Some(key) = self.keys.iter().position(|key| is(key)) {
            return Some(Part::Key(key));
        }
        let parts: &[(&HtmlElement, Part)] = &[
            (&self.display, Part::Display),
            (&self.clear, Part::Clear),
            (&self.suggestion, Part::Suggestion),
            (&self.send, Part::Send),
            (&self.print, Part::Print),
            (&self.none, Part::None),
            (&self.language, Part::Language),
        ];
        let part = parts.iter().find(|(element, _)| is(element));
        part.map(|(_, part)| *part)
    }

    /// Whether the page hides the keypad; an older browser can't tell.
    pub fn is_hidden(&self) -> bool {
        global::is_hidden(&self.surface)
    }

    /// A keyboard's keys count only while the focus is inside, and whoever touches the keypad means it.
    pub fn catch_focus(&self) {
        if !self.has_focus() {
            self.focus_number();
        }
    }

    /// Moves the focus to the number, but nothing under the finger.
    pub fn focus_number(&self) {
        let options = object::bare::<FocusOptions>();
        options.set_prevent_scroll(true);
        let _ = self.display.focus_with_options(&options);
    }

    /// Moves the focus to the button that sends.
    pub fn focus_send(&self) {
        let _ = self.send.focus();
    }

    /// Lights the key of a symbol, or the one that deletes, and no other.
    pub fn light(&self, lit: Option<u8>) {
        self.darken();
        let key = (0..KEYS).find(|key| symbol(*key) == lit);
        if let Some(key) = key.and_then(|key| self.keys.get(key)) {
            set(key, LIT, "");
        }
    }

    /// Lights none.
    pub fn darken(&self) {
        for key in &self.keys {
            // It throws only for a name that no attribute can have.
            let _ = key.remove_attribute(LIT);
        }
    }

    /// Moves the grid's one tab stop, and the focus with it.
    pub fn rove(&self, from: usize, step: i8) {
        let to = from.checked_add_signed(isize::from(step));
        let to = to.and_then(|to| self.keys.get(to));
        if let (Some(from), Some(to)) = (self.keys.get(from), to) {
            set(from, "tabindex", "-1");
            set(to, "tabindex", "0");
            let _ = to.focus();
        }
    }

    fn has_focus(&self) -> bool {
        is(&self.surface, ":focus-within")
    }

    /// Screen readers hear differences: to repeat a text, it needs one that nobody sees.
    fn say(&self, text: &str) {
        if self.status.data() == text {
            self.status.set_data(&[text, "\u{a0}"].concat());
        } else {
            self.status.set_data(text);
        }
    }
}

/// Scrolls the page until all of an element is in sight; where it is, nothing moves.
pub fn into_view(element: &HtmlElement) {
    let to: Object = object::bare();
    let _ = Reflect::set(&to, &"block".into(), &"nearest".into());
    let element: &Scrollable = element.unchecked_ref();
    element.scroll_into_view(&to);
}

fn is(element: &Element, selector: &str) -> bool {
    // It throws only in a browser that does not know the selector.
    element.matches(selector).unwrap_or_default()
}

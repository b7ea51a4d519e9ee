//! The keypad's elements: one table, walked once. Created, never parsed, so that Trusted Types have nothing to object to.

use crate::browser::js;
use crate::browser::node::{append, attribute, element, remove};
use crate::keypad::settings::Settings;
use crate::keypad::taps::KEYS;
use crate::keypad::view::View;
use crate::keypad::words::Word;
use wasm_bindgen::JsValue;

/// Its rules; they go into the shadow root as a constructed sheet, which a strict CSP allows.
pub const STYLE: &str = include_str!("keypad.css");

/// What the text of an element is.
#[derive(Clone, Copy)]
enum Text {
    /// It has only children.
    No,
    /// It changes.
    Live,
    /// A word.
    Of(Word),
    /// No word needs to be translated for a digit.
    Symbol(u8),
}

/// One element. Small, as there are many; what few have is in `ATTRIBUTES`.
struct Row {
    parent: u8,
    tag: Tag,
    text: Text,
    part: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Tag {
    Div,
    Bdi,
    Button,
}

const PANEL: usize = 0;
const TITLE: usize = 1;
const SCREEN: usize = 2;
/// The number; what a keyboard types into.
pub const DISPLAY: usize = 3;
const NUMBER: usize = 4;
/// A button.
pub const CLEAR: usize = 5;
const SLOT: usize = 6;
const HINT: usize = 7;
/// A button.
pub const SUGGESTION: usize = 8;
const GRID: usize = 9;
/// The first of the grid's keys.
pub const FIRST_KEY: usize = 10;
const DELETE: usize = FIRST_KEY + KEYS - 1;
const ACTIONS: usize = DELETE + 2;
/// A button.
pub const SEND: usize = ACTIONS + 1;
/// A button.
pub const PRINT: usize = SEND + 1;
/// A button.
pub const NONE: usize = PRINT + 1;
const STATUS: usize = NONE + 1;

const fn row(parent: usize, tag: Tag, part: &'static str, text: Text) -> Row {
    #[allow(clippy::cast_possible_truncation)] // There are not that many.
    let parent = parent as u8;
    Row {
        parent,
        tag,
        text,
        part,
    }
}

const fn key(symbol: u8) -> Row {
    row(GRID, Tag::Button, "key", Text::Symbol(symbol))
}

const fn word(parent: usize, tag: Tag, part: &'static str, word: Word) -> Row {
    row(parent, tag, part, Text::Of(word))
}

const TREE: &[Row] = &[
    row(PANEL, Tag::Div, "keypad", Text::No),
    word(PANEL, Tag::Div, "title", Word::Title),
    row(PANEL, Tag::Div, "screen", Text::No),
    row(SCREEN, Tag::Div, "display", Text::No),
    row(DISPLAY, Tag::Bdi, "", Text::Live),
    word(SCREEN, Tag::Button, "clear", Word::Clear),
    row(PANEL, Tag::Div, "slot", Text::No),
    row(SLOT, Tag::Div, "hint", Text::Live),
    row(SLOT, Tag::Button, "suggestion", Text::Live),
    row(PANEL, Tag::Div, "keys", Text::No),
    key(b'1'),
    key(b'2'),
    key(b'3'),
    key(b'4'),
    key(b'5'),
    key(b'6'),
    key(b'7'),
    key(b'8'),
    key(b'9'),
    key(b'+'),
    key(b'0'),
    row(GRID, Tag::Button, "key delete", Text::No),
    word(PANEL, Tag::Div, "consent", Word::Consent),
    row(PANEL, Tag::Div, "actions", Text::No),
    word(ACTIONS, Tag::Button, "send", Word::Send),
    word(ACTIONS, Tag::Button, "print", Word::Print),
    word(ACTIONS, Tag::Button, "none", Word::None),
    row(PANEL, Tag::Div, "status", Text::Live),
];

const ATTRIBUTES: &[(usize, &str, &str)] = &[
    (TITLE, "id", "t"),
    // A text box without a caret: in it, screen readers leave the digits to us instead of jumping to headings.
    (DISPLAY, "role", "textbox"),
    (DISPLAY, "tabindex", "0"),
    (DISPLAY, "aria-labelledby", "t"),
    (DISPLAY, "aria-describedby", "h"),
    (NUMBER, "dir", "ltr"),
    (HINT, "id", "h"),
    (GRID, "role", "group"),
    (GRID, "dir", "ltr"),
    (STATUS, "role", "status"),
];

/// The elements of one ask.
pub struct Dom {
    /// What listens: the panel, or the dialog around it.
    pub surface: JsValue,
    parts: Vec<JsValue>,
}

impl Dom {
    /// Builds them, detached.
    pub fn new(settings: &Settings, is_modal: bool) -> Self {
        let words = &settings.words;
        let document = js::named("document");
        let mut parts: Vec<JsValue> = Vec::with_capacity(TREE.len());
        for row in TREE {
            let part = element(
                &document,
                match row.tag {
                    Tag::Div => "div",
                    Tag::Bdi => "bdi",
                    Tag::Button => "button",
                },
            );
            if row.tag == Tag::Button {
                // Not "submit": the container may be a form of the till's.
                attribute(&part, "type", "button");
            }
            if !row.part.is_empty() {
                attribute(&part, "part", row.part);
            }
            let text = match row.text {
                Text::No => JsValue::NULL,
                // The node stays the same; only what it says changes.
                Text::Live => " ".into(),
                Text::Of(word) => words.get(word).into(),
                Text::Symbol(symbol) => String::from(char::from(symbol)).into(),
            };
            js::set(&part, "textContent", text);
            if let Some(parent) = parts.get(usize::from(row.parent)) {
                append(parent, &part);
            }
            parts.push(part);
        }
        let mut dom = Self {
            surface: JsValue::UNDEFINED,
            parts,
        };
        for (part, name, value) in ATTRIBUTES {
            dom.set(*part, name, value);
        }
        for key in FIRST_KEY..=DELETE {
            dom.set(key, "tabindex", if key == FIRST_KEY { "0" } else { "-1" });
        }
        dom.set(PANEL, "lang", words.locale);
        dom.set(PANEL, "dir", if words.is_rtl() { "rtl" } else { "ltr" });
        dom.set(GRID, "aria-label", words.get(Word::Keys));
        dom.set(DELETE, "aria-label", words.get(Word::Delete));
        dom.hide(NONE, !settings.allows_none);
        let panel = dom.part(PANEL);
        dom.surface = if is_modal {
            let dialog = element(&document, "dialog");
            append(&dialog, &panel);
            dialog
        } else {
            attribute(&panel, "role", "group");
            panel
        };
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
        let target = js::get(event, "target");
        self.parts.iter().position(|part| *part == target)
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
        self.parts.get(part).cloned().unwrap_or_default()
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
    js::act(element, "matches", &selector.into(), js::NONE) == JsValue::TRUE
}

/// The symbol of one of the grid's keys; the last one has none, and takes one back.
pub fn symbol(key: usize) -> Option<u8> {
    b"123456789+0".get(key).copied()
}

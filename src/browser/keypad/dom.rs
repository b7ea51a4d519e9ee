//! The keypad's elements: one table, walked once. Created, never parsed, so that Trusted Types have nothing to object to.

use crate::browser::js;
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
    Plain(&'static str),
}

struct Row {
    parent: usize,
    tag: &'static str,
    attributes: &'static [(&'static str, &'static str)],
    text: Text,
}

const PANEL: usize = 0;
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

const fn row(
    parent: usize,
    tag: &'static str,
    attributes: &'static [(&'static str, &'static str)],
    text: Text,
) -> Row {
    Row {
        parent,
        tag,
        attributes,
        text,
    }
}

const fn key(digit: &'static str) -> Row {
    row(
        GRID,
        "button",
        &[("part", "key"), ("tabindex", "-1")],
        Text::Plain(digit),
    )
}

const TREE: &[Row] = &[
    row(PANEL, "div", &[("part", "keypad")], Text::No),
    row(
        PANEL,
        "div",
        &[("part", "title"), ("id", "t")],
        Text::Of(Word::Title),
    ),
    row(PANEL, "div", &[("part", "screen")], Text::No),
    // A text box without a caret: in it, screen readers leave the digits to us instead of jumping to headings.
    row(
        SCREEN,
        "div",
        &[
            ("part", "display"),
            ("role", "textbox"),
            ("tabindex", "0"),
            ("aria-labelledby", "t"),
            ("aria-describedby", "h"),
        ],
        Text::No,
    ),
    row(DISPLAY, "bdi", &[("dir", "ltr")], Text::Live),
    row(
        SCREEN,
        "button",
        &[("part", "clear")],
        Text::Of(Word::Clear),
    ),
    row(PANEL, "div", &[("part", "slot")], Text::No),
    row(SLOT, "div", &[("part", "hint"), ("id", "h")], Text::Live),
    row(SLOT, "button", &[("part", "suggestion")], Text::Live),
    row(
        PANEL,
        "div",
        &[("part", "keys"), ("role", "group"), ("dir", "ltr")],
        Text::No,
    ),
    key("1"),
    key("2"),
    key("3"),
    key("4"),
    key("5"),
    key("6"),
    key("7"),
    key("8"),
    key("9"),
    key("+"),
    key("0"),
    row(
        GRID,
        "button",
        &[("part", "key delete"), ("tabindex", "-1")],
        Text::No,
    ),
    row(
        PANEL,
        "div",
        &[("part", "consent")],
        Text::Of(Word::Consent),
    ),
    row(PANEL, "div", &[("part", "actions")], Text::No),
    row(ACTIONS, "button", &[("part", "send")], Text::Of(Word::Send)),
    row(
        ACTIONS,
        "button",
        &[("part", "print")],
        Text::Of(Word::Print),
    ),
    row(ACTIONS, "button", &[("part", "none")], Text::Of(Word::None)),
    row(
        PANEL,
        "div",
        &[("part", "status"), ("role", "status")],
        Text::Live,
    ),
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
        let element = |tag: &str| js::act(&document, "createElement", &tag.into(), js::NONE);
        let mut parts: Vec<JsValue> = Vec::with_capacity(TREE.len());
        for row in TREE {
            let part = element(row.tag);
            for (name, value) in row.attributes {
                attribute(&part, name, value);
            }
            if row.tag == "button" {
                // Not "submit": the container may be a form of the till's.
                attribute(&part, "type", "button");
            }
            let text = match row.text {
                Text::No => "",
                // The node stays the same; only what it says changes.
                Text::Live => " ",
                Text::Of(word) => words.get(word),
                Text::Plain(text) => text,
            };
            js::set_text(&part, "textContent", text);
            if let Some(parent) = parts.get(row.parent) {
                append(parent, &part);
            }
            parts.push(part);
        }
        let mut dom = Self {
            surface: JsValue::UNDEFINED,
            parts,
        };
        dom.set(PANEL, "lang", words.locale);
        dom.set(PANEL, "dir", if words.is_rtl() { "rtl" } else { "ltr" });
        dom.set(GRID, "aria-label", words.get(Word::Keys));
        dom.set(DELETE, "aria-label", words.get(Word::Delete));
        dom.set(FIRST_KEY, "tabindex", "0");
        dom.hide(NONE, !settings.allows_none);
        let panel = dom.part(PANEL);
        dom.surface = if is_modal {
            let dialog = element("dialog");
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
            self.write(STATUS, text);
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
        for part in [NUMBER, HINT, SUGGESTION, STATUS] {
            self.write(part, "");
        }
        // Only a dialog has it; closed, it returns the focus.
        js::act(&self.surface, "close", js::NONE, js::NONE);
        js::act(&self.surface, "remove", js::NONE, js::NONE);
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
        js::act(&self.surface, "matches", &":focus-within".into(), js::NONE) == JsValue::TRUE
    }

    fn focus(&self, part: usize) {
        js::act(&self.part(part), "focus", js::NONE, js::NONE);
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

fn attribute(element: &JsValue, name: &str, value: &str) {
    js::act(element, "setAttribute", &name.into(), &value.into());
}

fn append(parent: &JsValue, child: &JsValue) {
    js::act(parent, "appendChild", child, js::NONE);
}

/// The symbol of one of the grid's keys; the last one has none, and takes one back.
pub fn symbol(key: usize) -> Option<u8> {
    b"123456789+0".get(key).copied()
}

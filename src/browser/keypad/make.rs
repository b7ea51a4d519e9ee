//! Makes the keypad's elements.

use crate::browser::nodes::{self, append, set};
use crate::keypad::part::{KEYS, symbol};
use crate::keypad::settings::Settings;
use crate::phone;
use wasm_bindgen::prelude::*;
use web_sys::{Document, HtmlButtonElement, HtmlDialogElement, HtmlElement, Node, Text};

/// What keeps an element and all in it out of a recorded session: rrweb, PostHog, Sentry, FullStory and New Relic read
/// the class, Datadog, Hotjar and Clarity the others. Inside of the shadow root, because rrweb looks no further than
/// that, and where no framework of the page's replaces them.
const UNRECORDED: [(&str, &str); 4] = [
    (
        "class",
        "rr-block ph-no-capture sentry-block fs-exclude nr-block",
    ),
    ("data-dd-privacy", "hidden"),
    ("data-hj-suppress", ""),
    ("data-clarity-mask", "true"),
];

/// Keeps an element out of recorded sessions.
pub fn hide_from_recorders(element: &HtmlElement) {
    for (name, value) in UNRECORDED {
        set(element, name, value);
    }
}

/// Makes elements. They are created, never parsed: Trusted Types allow it.
pub struct Maker<'a>(pub &'a Document);

impl Maker<'_> {
    fn element(&self, name: &str) -> HtmlElement {
        nodes::element(self.0, name)
    }

    pub fn part(&self, parent: &Node, part: &str) -> HtmlElement {
        let element = self.element("div");
        set(&element, "part", part);
        append(parent, &element);
        element
    }

    pub fn button(&self, parent: &Node, part: &str, label: &str) -> HtmlButtonElement {
        let button: HtmlButtonElement = self.element("button").unchecked_into();
        // Not "submit": the container may be a form of the till's.
        button.set_type("button");
        set(&button, "part", part);
        button.set_text_content(Some(label));
        append(parent, &button);
        button
    }

    /// What all of it is in.
    pub fn panel(&self) -> HtmlElement {
        let panel = self.element("div");
        set(&panel, "part", "keypad");
        panel
    }

    /// Where a child of the element shows that the page has put into it.
    pub fn brand(&self, panel: &Node) {
        let brand = self.element("slot");
        set(&brand, "name", "brand");
        append(panel, &brand);
    }

    /// The title, and what the receipt is for; gives the title's text.
    pub fn title(&self, panel: &Node, settings: &Settings) -> Text {
        let title = self.part(panel, "title");
        set(&title, "id", "t");
        let text = self.text(&title);
        if !settings.context.is_empty() {
            // In the title, so that it is heard with it.
            let context = self.part(&title, "context");
            set(&context, "dir", "auto");
            context.set_text_content(Some(&settings.context));
        }
        text
    }

    /// A text that changes.
    pub fn text(&self, parent: &Node) -> Text {
        let text = self.0.create_text_node(" ");
        append(parent, &text);
        text
    }

    /// The number: a text box without a caret, in which screen readers leave the digits to us instead of jumping to
    /// headings.
    pub fn display(&self, screen: &Node) -> (HtmlElement, Text) {
        let display = self.part(screen, "display");
        for (name, value) in [
            ("role", "textbox"),
            ("tabindex", "0"),
            ("aria-describedby", "h"),
        ] {
            set(&display, name, value);
        }
        let number = self.element("bdi");
        set(&number, "dir", "ltr");
        append(&display, &number);
        let text = self.text(&number);
        (display, text)
    }

    /// How a number is written here, for those who see it: the style sheet shows it while there is nothing to clear.
    pub fn example(&self, screen: &Node, settings: &Settings) {
        let example = self.part(screen, "example");
        set(&example, "aria-hidden", "true");
        example.set_text_content(phone::example(settings.region).as_deref());
    }

    /// The keys; the first one is the tab stop.
    pub fn grid(&self, panel: &Node) -> (HtmlElement, Vec<HtmlButtonElement>) {
        let grid = self.part(panel, "keys");
        set(&grid, "role", "group");
        set(&grid, "dir", "ltr");
        let mut keys = Vec::with_capacity(KEYS);
        for place in 0..KEYS {
            let key = match symbol(place) {
                Some(symbol) => self.button(&grid, "key", &char::from(symbol).to_string()),
                None => self.button(&grid, "key delete", ""),
            };
            set(&key, "tabindex", if place == 0 { "0" } else { "-1" });
            keys.push(key);
        }
        (grid, keys)
    }

    /// The panel, or a dialog around it.
    pub fn surface(
        &self,
        panel: &HtmlElement,
        is_modal: bool,
    ) -> (HtmlElement, Option<HtmlDialogElement>) {
        let surface = match is_modal {
            true => self.element("dialog"),
            false => panel.clone(),
        };
        hide_from_recorders(&surface);
        set(&surface, "aria-labelledby", "t");
        if !is_modal {
            set(&surface, "role", "group");
            return (surface, None);
        }
        append(&surface, panel);
        let dialog = surface.clone().unchecked_into();
        (surface, Some(dialog))
    }
}

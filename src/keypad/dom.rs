//! The keypad's elements: one table makes, nests and names them. They show what the view says; the one that was pressed
//! becomes a `Part`.

use super::languages;
use super::part::{KEYS, Part, symbol};
use super::settings::Settings;
use super::texts::TextKey;
use super::view::{Tone, View};
use crate::core::elements::{Elements, elements};
use crate::core::nodes::{self, append, set};
use crate::core::{global, object};
use crate::phone;
use js_sys::Object;
use wasm_bindgen::prelude::*;
use web_sys::{
    Document, Element, Event, EventTarget, FocusOptions, HtmlDialogElement, HtmlElement, ShadowRoot,
};

#[wasm_bindgen]
extern "C" {
    // web-sys' own does not say where to: not with the features that we have.
    #[wasm_bindgen(extends = Element)]
    type Scrollable;
    #[wasm_bindgen(method, catch, js_name = scrollIntoView)]
    fn scroll_into_view(this: &Scrollable, to: &Object) -> Result<(), JsValue>;
}

/// The attribute of a key that is pressed on a keyboard.
const LIT: &str = "data-lit";

/// What keeps an element and all in it out of a recorded session: rrweb, PostHog, Sentry, FullStory and New Relic read
/// the class, Datadog, Hotjar and Clarity the others. Inside of the shadow root, because rrweb looks no further than
/// that, and where no framework of the page replaces them.
const UNRECORDED: [(&str, &str); 4] = [
    (
        "class",
        "rr-block ph-no-capture sentry-block fs-exclude nr-block",
    ),
    ("data-dd-privacy", "hidden"),
    ("data-hj-suppress", ""),
    ("data-clarity-mask", "true"),
];

elements! {
    /// An element of the keypad.
    Item {
        /// All of the keypad.
        Panel in Panel: "div part=keypad";
        // First: what follows makes room for it. Its type is not "submit": the container may be a form of the till.
        Language in Panel: "button type=button part=language";
        /// The languages, where there are more than two.
        Languages in Panel: "div part=languages hidden";
        /// Where a child of the element shows that the page has put into it.
        Brand in Panel: "slot name=brand";
        Title in Panel: "div part=title id=t";
        Heading in Title: "span" => Title;
        // In the title, so that it is heard with it.
        Context in Title: "div part=context";
        /// Has a direction of its own, at the place that the keypad's direction gives it.
        Line in Context: "bdi";
        Screen in Panel: "div part=screen";
        /// The number: a text box without a caret, in which screen readers leave the digits to us instead of jumping to
        /// headings.
        Display in Screen: "div part=display role=textbox tabindex=0 aria-readonly=false aria-describedby=h";
        Number in Display: "bdi dir=ltr";
        Clear in Screen: "button type=button part=clear" => Clear;
        /// How a number is written here, for those who see it. The style sheet hides it once there is something to
        /// clear.
        Example in Screen: "div part=example aria-hidden=true";
        Slot in Panel: "div part=slot";
        Hint in Slot: "div part=hint id=h";
        Suggestion in Slot: "button type=button part=suggestion";
        /// Shown while the host is asked.
        Progress in Slot: "div part=progress role=progressbar";
        Keys in Panel: "div part=keys role=group dir=ltr";
        /// Where the code is drawn.
        Code in Panel: "div part=code";
        Consent in Panel: "div part=consent" => Consent;
        Actions in Panel: "div part=actions";
        Send in Actions: "button type=button part=send";
        Done in Actions: "button type=button part=done" => Done;
        Print in Actions: "button type=button part=print" => Print;
        None in Actions: "button type=button part=none" => None;
        /// The last: it may come while a finger is on its way to the others.
        Scan in Actions: "button type=button part=scan hidden" => Scan;
        /// What screen readers hear.
        Status in Panel: "div part=status role=status";
    }
}

/// What is pressed, beside the keys, or has the focus.
const PARTS: [(Item, Part); 9] = [
    (Item::Display, Part::Display),
    (Item::Clear, Part::Clear),
    (Item::Suggestion, Part::Suggestion),
    (Item::Send, Part::Send),
    (Item::Done, Part::Done),
    (Item::Scan, Part::Scan),
    (Item::Print, Part::Print),
    (Item::None, Part::None),
    (Item::Language, Part::Language),
];

/// What has a text that changes, or one beside a child.
const CHANGING: [Item; 5] = [
    Item::Number,
    Item::Hint,
    Item::Suggestion,
    Item::Send,
    Item::Status,
];

/// Keeps an element out of recorded sessions.
pub fn hide_from_recorders(element: &HtmlElement) {
    for (name, value) in UNRECORDED {
        set(element, name, value);
    }
}

/// The elements of one prompt. A text that changes keeps its node.
pub struct Dom {
    /// What listens: the panel, or the dialog around it.
    pub surface: HtmlElement,
    /// The dialog around the panel, if there is one.
    dialog: Option<HtmlDialogElement>,
    elements: Elements,
    /// Row by row.
    keys: Vec<HtmlElement>,
    /// The buttons of the list of languages.
    pub(super) languages: Vec<HtmlElement>,
}

impl Dom {
    /// Makes the elements, in no page yet, and without the texts of `translate`.
    pub fn new(document: &Document, settings: &Settings, is_modal: bool) -> Self {
        let elements = Elements::new(document, ROWS);
        let get = |item| elements.get(item as usize);
        for item in CHANGING {
            append(get(item), &document.create_text_node(" "));
        }
        let example = phone::example(settings.region);
        get(Item::Example).set_text_content(example.as_deref());
        get(Item::None).set_hidden(!settings.allows_none);
        let surface = match is_modal {
            true => nodes::element(document, "dialog"),
            false => get(Item::Panel).clone(),
        };
        if is_modal {
            append(&surface, get(Item::Panel));
        } else {
            set(&surface, "role", "group");
        }
        hide_from_recorders(&surface);
        set(&surface, "aria-labelledby", "t");
        Self {
            dialog: is_modal.then(|| surface.clone().unchecked_into()),
            surface,
            keys: keys(document, get(Item::Keys)),
            languages: languages::buttons(document, get(Item::Languages), settings),
            elements,
        }
    }

    pub(super) fn get(&self, item: Item) -> &HtmlElement {
        self.elements.get(item as usize)
    }

    /// Changes a text in its node.
    fn write(&self, item: Item, text: &str) {
        if let Some(node) = self.get(item).first_child() {
            node.set_node_value(Some(text));
        }
    }

    fn read(&self, item: Item) -> Option<String> {
        self.get(item).first_child()?.node_value()
    }

    /// Shows all that does not change by itself, in the language that is shown.
    pub fn translate(&self, settings: &Settings) {
        let texts = &settings.texts;
        let panel = self.get(Item::Panel);
        set(panel, "lang", texts.tag());
        set(panel, "dir", texts.dir());
        self.get(Item::Context)
            .set_hidden(settings.context().is_empty());
        self.get(Item::Line)
            .set_text_content(Some(settings.context()));
        for (item, key) in TEXTS {
            self.get(*item).set_text_content(Some(texts.get(*key)));
        }
        let delete = self.keys.last().map(|delete| (delete, TextKey::Delete));
        let labels = [
            (self.get(Item::Display), TextKey::Number),
            (self.get(Item::Progress), TextKey::Sending),
            (self.get(Item::Keys), TextKey::Keys),
        ];
        for (element, key) in labels.into_iter().chain(delete) {
            set(element, "aria-label", texts.get(key));
        }
        self.name_language(settings);
    }

    /// Puts the elements into the page, with the focus on the number. Fails where there are no dialogs.
    pub fn show(&self, root: &ShadowRoot) -> Result<(), JsValue> {
        root.append_child(&self.surface)?;
        if let Some(dialog) = &self.dialog {
            dialog.show_modal()?;
        } else {
            into_view(&self.surface); // All of it, not only the number.
        }
        let _ = self.get(Item::Display).focus();
        Ok(())
    }

    /// Shows what changed.
    pub fn render(&self, view: &View) {
        self.write(Item::Number, &view.display);
        self.write(Item::Hint, &view.hint);
        self.write(Item::Suggestion, &view.suggestion);
        if let Some(text) = &view.announcement {
            self.announce(text);
        }
        let (clear, suggestion) = (self.get(Item::Clear), self.get(Item::Suggestion));
        // What goes away must not take the focus with it: the keyboard would be dead.
        if view.suggestion.is_empty() && is(suggestion, ":focus")
            || view.is_empty && is(clear, ":focus")
        {
            self.focus_number();
        }
        self.get(Item::Hint).set_hidden(view.hint.is_empty());
        suggestion.set_hidden(view.suggestion.is_empty());
        let part = if view.is_empty { "clear off" } else { "clear" };
        set(clear, "part", part);
        if self.read(Item::Send).as_ref() != Some(&view.send) {
            self.write(Item::Send, &view.send);
        }
        let (is_busy, is_bad) = (view.tone == Tone::Busy, view.tone == Tone::Bad);
        self.get(Item::Progress).set_hidden(!is_busy);
        set(self.get(Item::Panel), "data-tone", view.tone.as_str());
        let is_dead = is_busy || view.tone == Tone::Failed;
        for (item, name, flag) in [
            (Item::Display, "aria-invalid", is_bad),
            (Item::Keys, "aria-disabled", is_dead),
            (Item::Language, "aria-disabled", is_dead),
        ] {
            set(self.get(item), name, if flag { "true" } else { "false" });
        }
    }

    /// Takes every trace of the number out of the elements, and these out of the page. Returns whether the focus was
    /// inside.
    pub fn remove(&self) -> bool {
        let had_focus = self.has_focus();
        self.darken();
        for item in CHANGING {
            self.write(item, "");
        }
        self.get(Item::Code).set_text_content(None);
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
        if let Some(place) = self.languages.iter().position(|language| is(language)) {
            return Some(Part::Offered(place));
        }
        let part = PARTS.iter().find(|(item, _)| is(self.get(*item)));
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
        let options = object::null_prototype::<FocusOptions>();
        options.set_prevent_scroll(true);
        let _ = self.get(Item::Display).focus_with_options(&options);
    }

    /// Moves the focus to the button that sends.
    pub fn focus_send(&self) {
        let _ = self.get(Item::Send).focus();
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
    fn announce(&self, text: &str) {
        match self.read(Item::Status).as_deref() == Some(text) {
            true => self.write(Item::Status, &[text, "\u{a0}"].concat()),
            false => self.write(Item::Status, text),
        }
    }
}

/// The grid's keys, of which the first is the tab stop.
fn keys(document: &Document, grid: &HtmlElement) -> Vec<HtmlElement> {
    let key = |place| {
        let key = nodes::element(document, "button");
        let symbol = symbol(place).map(|symbol| char::from(symbol).to_string());
        for (name, value) in [
            ("type", "button"),
            (
                "part",
                if symbol.is_some() {
                    "key"
                } else {
                    "key delete"
                },
            ),
            ("tabindex", if place == 0 { "0" } else { "-1" }),
        ] {
            set(&key, name, value);
        }
        key.set_text_content(symbol.as_deref());
        append(grid, &key);
        key
    };
    (0..KEYS).map(key).collect()
}

/// Scrolls the page until all of an element is in sight; where it is, nothing moves.
pub fn into_view(element: &HtmlElement) {
    let to: Object = object::null_prototype();
    object::set(&to, "block", &"nearest".into());
    let element: &Scrollable = element.unchecked_ref();
    // jsdom has no such method, and a keypad out of sight is better than none.
    let _ = element.scroll_into_view(&to);
}

pub(super) fn is(element: &Element, selector: &str) -> bool {
    // It throws only in a browser that does not know the selector.
    element.matches(selector).unwrap_or_default()
}

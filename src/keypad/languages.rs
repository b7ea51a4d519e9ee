//! The languages that the shopper can choose: a button that shows the other one of two, or lists more.

use super::dom::{Dom, Item, is};
use super::settings::Settings;
use super::texts::own_name;
use crate::core::nodes::{self, append, set};
use web_sys::{Document, HtmlElement};

impl Dom {
    /// The button names the other one of two languages, which a press shows; of more, the one that is shown.
    pub(super) fn name_language(&self, settings: &Settings) {
        let texts = &settings.texts;
        let shown = texts.shown();
        let named = match texts.count() {
            2 => 1 - shown,
            _ => shown,
        };
        let button = self.get(Item::Language);
        button.set_hidden(texts.count() == 0);
        if let Some(tag) = texts.offered(named) {
            button.set_text_content(Some(&own_name(tag, settings.language)));
            set(button, "lang", tag);
        }
        if !self.languages.is_empty() {
            set(button, "aria-expanded", "false");
        }
        for (place, language) in self.languages.iter().enumerate() {
            let is_shown = if place == shown { "true" } else { "false" };
            set(language, "aria-current", is_shown);
        }
    }

    /// Shows the list of languages, with the focus on the one that is shown, or hides it.
    pub fn list_languages(&self, shown: usize) {
        let button = self.get(Item::Language);
        if self.close_languages() || is(button, "[aria-disabled=true]") {
            return;
        }
        set(button, "aria-expanded", "true");
        self.get(Item::Languages).set_hidden(false);
        self.focus_language(shown);
    }

    /// Hides the list of languages; false if it was hidden. The button takes its focus.
    pub fn close_languages(&self) -> bool {
        let (button, list) = (self.get(Item::Language), self.get(Item::Languages));
        if list.hidden() {
            return false;
        }
        if is(list, ":focus-within") {
            let _ = button.focus();
        }
        set(button, "aria-expanded", "false");
        list.set_hidden(true);
        true
    }

    /// Moves the focus to a language of the list, if there is one at that place.
    pub fn focus_language(&self, place: usize) {
        if let Some(language) = self.languages.get(place) {
            let _ = language.focus();
        }
    }
}

/// The buttons of the list of languages; none where the button itself shows the other one.
pub fn buttons(document: &Document, list: &HtmlElement, settings: &Settings) -> Vec<HtmlElement> {
    let texts = &settings.texts;
    let mut buttons = Vec::new();
    while let Some(tag) = texts.offered(buttons.len())
        && texts.count() > 2
    {
        let button = nodes::element(document, "button");
        for (name, value) in [("type", "button"), ("part", "offered"), ("lang", tag)] {
            set(&button, name, value);
        }
        button.set_text_content(Some(&own_name(tag, settings.language)));
        append(list, &button);
        buttons.push(button);
    }
    buttons
}

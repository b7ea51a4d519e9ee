//! What stands over the page, or in its place, until it has answered.

use super::elements::{Part, set_style, set_text};
use super::texts::{TextKey, Texts};
use super::view::View;
use crate::core::global;

impl View {
    /// Loads the page again.
    pub fn reload(&self, url: &str) {
        self.hide_waiting();
        self.get(Part::Loading).set_hidden(false);
        self.frame().set_src(url);
    }

    /// The page has loaded.
    pub fn hide_loading(&self) {
        self.get(Part::Loading).set_hidden(true);
    }

    /// The page has answered.
    pub fn hide_waiting(&self) {
        self.get(Part::Loading).set_hidden(true);
        self.get(Part::Slow).set_hidden(true);
        self.cover(false);
    }

    /// Hides what the browser shows in the place of a page that it cannot load, or shows the page again.
    fn cover(&self, is_covered: bool) {
        self.is_covered.set(is_covered);
        let visibility = if is_covered { "hidden" } else { "visible" };
        set_style(self.frame(), "visibility", visibility);
        self.say_slow(&self.texts.borrow());
    }

    /// Whether the page is covered.
    pub fn is_covered(&self) -> bool {
        self.is_covered.get()
    }

    /// The page does not answer: offers the ways out. Without a network it cannot be there.
    pub fn show_slow(&self) {
        self.cover(!global::is_online());
        self.get(Part::Loading).set_hidden(true);
        self.get(Part::Slow).set_hidden(false);
    }

    /// Why it is waited for.
    pub(super) fn say_slow(&self, texts: &Texts) {
        let key = match self.is_covered.get() {
            true => TextKey::Offline,
            false => TextKey::Slow,
        };
        set_text(self.get(Part::SlowText), texts.text(key));
    }
}

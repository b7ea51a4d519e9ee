//! How the page around the frame looks: its language, and whether it is light or dark.

use super::appearance::{Appearance, Theme};
use crate::core::global;

/// What the options say, else what the document says.
pub fn of_page(locale: Option<&str>, theme: Option<Theme>) -> Appearance {
    Appearance {
        locale: locale.map_or_else(global::document_language, String::from),
        theme: theme.or_else(document_theme),
    }
}

/// The theme that the document's `color-scheme` allows alone.
fn document_theme() -> Option<Theme> {
    let root = global::document()?.document_element()?;
    let style = web_sys::window()?.get_computed_style(&root).ok()??;
    Theme::of_scheme(&style.get_property_value("color-scheme").ok()?)
}

//! Trees of elements, each declared as one table. They are created, never parsed, and styled through the CSSOM: a
//! strict Content-Security-Policy and Trusted Types allow both.

use super::nodes::{self, append, set};
use web_sys::{Document, HtmlElement};

/// How one element is made.
pub struct Row {
    /// The place of its parent, which is made before it; the root names itself.
    pub parent: usize,
    /// Its tag and attributes, such as `div part=hint hidden`.
    pub markup: &'static str,
    /// Its style; empty if the page has a style sheet for it.
    pub style: &'static str,
}

/// Declares a tree as an enum of its elements. Each line is an element, its parent, its markup, its style, and the text
/// that it always has. `ROWS` makes the elements, `TEXTS` has the texts.
macro_rules! elements {
    ($(#[$docs:meta])* $name:ident {
        $($(#[$doc:meta])* $element:ident in $parent:ident: $markup:literal $(, $style:ident)? $(=> $text:ident)?;)*
    }) => {
        $(#[$docs])*
        // Some are made, and never asked for.
        #[allow(dead_code)]
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum $name { $($(#[$doc])* $element,)* }

        const ROWS: &[$crate::core::elements::Row] = &[$($crate::core::elements::Row {
            parent: $name::$parent as usize,
            markup: $markup,
            style: [$($style,)? ""][0],
        },)*];

        const TEXTS: &[($name, TextKey)] = &[$($(($name::$element, TextKey::$text),)?)*];
    };
}
pub(crate) use elements;

/// The elements of a table, in its order.
pub struct Elements {
    root: HtmlElement,
    all: Vec<HtmlElement>,
}

impl Elements {
    /// Makes the elements, in no page yet and without texts.
    pub fn new(document: &Document, rows: &[Row]) -> Self {
        let mut all: Vec<HtmlElement> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut words = row.markup.split(' ');
            let element = nodes::element(document, words.next().unwrap_or_default());
            for word in words {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                set(&element, name, value);
            }
            if !row.style.is_empty() {
                element.style().set_css_text(row.style);
            }
            if let Some(parent) = all.get(row.parent) {
                append(parent, &element);
            }
            all.push(element);
        }
        let root = all.first().cloned();
        // A table has at least one row.
        let root = root.unwrap_or_else(|| nodes::element(document, "div"));
        Self { root, all }
    }

    /// The element at a place.
    #[inline(never)]
    pub fn get(&self, place: usize) -> &HtmlElement {
        self.all.get(place).unwrap_or(&self.root)
    }
}

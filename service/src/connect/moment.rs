//! A time on a page.

use crate::clock::Timestamp;
use crate::date;
use askama::Template;
use pos_connect_texts::Language;

/// In UTC, which the text says; script writes it in the reader's own time zone.
#[derive(Template)]
#[template(
    source = r#"<bdi><time datetime="{{ at }}">{{ text }} UTC</time></bdi>"#,
    ext = "html"
)]
pub(super) struct Moment {
    at: String,
    text: String,
}

/// It escapes its own parts.
impl askama::filters::HtmlSafe for Moment {}

impl Moment {
    pub(super) fn new(time: Timestamp, language: Language) -> Self {
        let at = time.to_string();
        Self {
            text: date::written(&at, language),
            at,
        }
    }
}

//! Sentences of the pages.

use askama::Template;

/// A sentence with a name in it. `bdi` keeps the name from turning the direction of the text around it.
#[derive(Template)]
#[template(
    source = "{{ before }}{% if !name.is_empty() %}<bdi>{{ name }}</bdi>{% endif %}{{ after }}",
    ext = "html"
)]
pub(super) struct Sentence<'a> {
    before: &'a str,
    name: &'a str,
    after: &'a str,
}

/// It escapes its own parts.
impl askama::filters::HtmlSafe for Sentence<'_> {}

impl<'a> Sentence<'a> {
    pub(super) fn new(pattern: &'a str, name: &'a str) -> Self {
        Self::with(pattern, "{}", name)
    }

    /// A sentence of a text of another surface's, whose names have another blank.
    pub(super) fn with(pattern: &'a str, blank: &str, name: &'a str) -> Self {
        match pattern.split_once(blank) {
            Some((before, after)) => Self {
                before,
                name,
                after,
            },
            None => Self {
                before: pattern,
                name: "",
                after: "",
            },
        }
    }

    pub(super) fn plain(&self) -> String {
        [self.before, self.name, self.after].concat()
    }
}

//! The texts that a page puts in the place of the standard ones.

/// Texts by name.
#[derive(Clone, Default)]
pub struct Labels(Vec<(String, String)>);

impl Labels {
    /// The text of that name, if the page has one.
    pub fn get(&self, name: &str) -> Option<&str> {
        let label = self.0.iter().find(|(given, _)| given == name);
        label.map(|(_, text)| text.as_str())
    }
}

impl From<Vec<(String, String)>> for Labels {
    fn from(texts: Vec<(String, String)>) -> Self {
        Self(texts)
    }
}

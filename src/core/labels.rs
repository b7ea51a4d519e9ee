//! The `labels` option: the page's own texts in place of the standard ones.

/// Texts by name.
///
/// ```
/// use pos_connect::core::labels::Labels;
///
/// let labels = Labels::from_iter([("close".to_owned(), "Schließen".to_owned())]);
/// assert_eq!(labels.get("close"), Some("Schließen"));
/// assert_eq!(labels.get("title"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<(String, String)>);

impl Labels {
    /// One text, without a name.
    pub fn one(text: String) -> Self {
        Self(vec![(String::new(), text)])
    }

    /// The page's text of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let label = self.0.iter().find(|(given, _)| given == name);
        label.map(|(_, text)| text.as_str())
    }

    /// All texts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, text)| text.as_str())
    }

    /// Whether the page has none of its own.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, String)> for Labels {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(labels: T) -> Self {
        Self(labels.into_iter().collect())
    }
}

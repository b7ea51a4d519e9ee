//! The `labels` option: the page's own texts in place of the standard ones.

/// The names of the connect frame's texts, in the order of `FrameLabels`. Those of the keypad are
/// `keypad::words::Word`.
pub const FRAME: [&str; 12] = [
    "title",
    "loading",
    "slow",
    "openWindow",
    "phone",
    "here",
    "code",
    "scan",
    "qr",
    "copy",
    "copied",
    "close",
];

/// Texts by name.
///
/// ```
/// use pos_connect::labels::Labels;
///
/// let labels = Labels::from_iter([("close".to_owned(), "Schließen".to_owned())]);
/// assert_eq!(labels.text("close", "Close"), "Schließen");
/// assert_eq!(labels.text("title", "Connect your account"), "Connect your account");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<(String, String)>);

impl Labels {
    /// The page's text of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let label = self.0.iter().find(|(given, _)| given == name);
        label.map(|(_, text)| text.as_str())
    }

    /// The page's text of that name, or the standard one.
    pub fn text<'a>(&'a self, name: &str, standard: &'a str) -> &'a str {
        self.get(name).unwrap_or(standard)
    }
}

impl FromIterator<(String, String)> for Labels {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(labels: T) -> Self {
        Self(labels.into_iter().collect())
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn the_declared_labels_of_the_frame_are_its_labels() {
        let types = include_str!("../pkg-template/index.d.ts");
        let (_, labels) = types.split_once("export interface FrameLabels {").unwrap();
        let (labels, _) = labels.split_once("\n}").unwrap();
        let members = labels
            .lines()
            .filter_map(|line| line.trim().strip_suffix("?: string | undefined;"));
        let place = "FrameLabels in pkg-template/index.d.ts, in the order of FRAME";
        assert_eq!(members.collect::<Vec<_>>(), FRAME, "{place}");
    }
}

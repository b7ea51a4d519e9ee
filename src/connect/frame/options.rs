//! The options of `mountFrame` and `connect`.

use super::texts::TextKey;
use crate::connect::integration::{ON_STATUS, SIGNAL};
use crate::core::options::{Call, Kind, Options, Row};

crate::options! {
    /// An element or a selector for the frame; `null` is the default, so look whether your ref has its element.
    CONTAINER = "container": Kind::Element, default "a modal dialog";
    /// Called once, when the page in the frame has answered; it may never come.
    ///
    /// A hint for your own spinner.
    ON_READY = "onReady": Kind::Function, type "() => void", default "none";
    /// Texts around the frame, see `FrameLabels` in `index.d.ts`.
    LABELS = "labels": Kind::Labels(|| TextKey::ALL.map(TextKey::name).into()), type "FrameLabels",
        default "those of `locale`";
    /// The language around the frame (`en`, `he`, `ar`, `es`) and of the connect page.
    ///
    /// The connect page may know others. `connectUrl` wins if it has a `lang` of its own.
    LOCALE = "locale": Kind::Text(0, usize::MAX), default "`<html lang>`, else the browser's";
    /// The colors of the dialog and of the connect page.
    ///
    /// `connectUrl` wins if it has a `theme` of its own.
    THEME = "theme": Kind::OneOf(&["light", "dark"]),
        default "the page's `color-scheme`, if it is one of them alone";
    /// For so many seconds the merchant sees who is connected.
    ///
    /// The frame's place names store and account. It takes no focus, a click or Escape closes it, and nothing
    /// waits for it: the promise resolves at its beginning. It ends with the next `connect()` and with `destroy()`.
    DONE_SECONDS = "doneSeconds": Kind::Number(0, 10, 1.5);
    /// The frame's `sandbox` tokens; `null` for no sandbox.
    SANDBOX_TOKENS = "sandbox": Kind::TextOrNull,
        default "`\"allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox\"`";
}

/// The options of `mountFrame`.
pub const MOUNT: Call = &[EVERY];
/// The options of `connect`.
pub const CONNECT: Call = &[&[&CONTAINER, &SIGNAL, &ON_STATUS], EVERY, &[&DONE_SECONDS]];
const EVERY: &[&Row] = &[&ON_READY, &LABELS, &LOCALE, &THEME, &SANDBOX_TOKENS];

/// What the page in the frame may do: no top navigation, no downloads. Without `allow-same-origin` the origin of its
/// messages would be "null".
pub const SANDBOX: &str =
    "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox";

/// The value of the frame's `sandbox` attribute; `None` for no sandbox.
///
/// ```
/// use pos_connect::connect::frame::options::sandbox;
/// use pos_connect::core::options::Options;
///
/// assert!(sandbox(&Options::default()).is_some_and(|tokens| tokens.starts_with("allow-scripts ")));
/// ```
pub fn sandbox(options: &Options) -> Option<String> {
    options
        .text_or_null(&SANDBOX_TOKENS)
        .unwrap_or_else(|| Some(SANDBOX.into()))
}

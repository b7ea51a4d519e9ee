//! The connect page in a window of its own, and the greeting that each connect page is sent.

use super::appearance::{Appearance, Theme};
use crate::core::object;
use js_sys::Object;
use pos_connect_protocol::hint;
use web_sys::Window;

/// Opens the page in a window; `None` if the browser blocks it.
///
/// The window has an opener, or its messages could not reach this page. It shows the pinned connect page.
pub fn open(url: &str) -> Option<Window> {
    let own = web_sys::window()?;
    let opened = own.open_with_url_and_target(url, "_blank").ok()?;
    // A replaced `open` may throw, or return anything: a kiosk has one window, which must not be closed in the end.
    // `postMessage` is readable whatever the window's origin is.
    opened.filter(|window| *window != own && object::get(window, "postMessage").is_function())
}

/// Whether the user has not closed it.
pub fn is_open(window: &Window) -> bool {
    window.closed() == Ok(false)
}

/// Greets the document in a window, so that it sends its hints here. If its origin is another one, the browser does not
/// deliver the message, and reports no error.
pub fn greet(window: &Window, origin: &str, appearance: &Appearance) {
    let message: Object = object::null_prototype();
    let locale = Some(appearance.locale.as_str()).filter(|locale| !locale.is_empty());
    object::fill(
        &message,
        &[
            (hint::MARK, hint::VERSION.into()),
            (hint::TYPE, hint::HELLO.into()),
            (hint::LOCALE, locale.into()),
            (hint::THEME, appearance.theme.map(Theme::as_str).into()),
        ],
    );
    let _ = window.post_message(&message, origin);
}

//! The connect page in a window of its own, and the greeting that each connect page is sent.

use super::appearance::{Appearance, Theme};
use crate::core::object;
use crate::core::timer::Timer;
use js_sys::Object;
use pos_connect_protocol::hint;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::Window;

/// How often the opened window is greeted, in milliseconds. Unlike a frame, a window of another origin fires no `load`
/// event here. A `MessagePort` would not spare the greetings: each step of the connect page is a document of its own, and
/// a port ends with its document.
const GREETING_MS: f64 = 1_000.0;

/// An opened window. It is greeted until this value is dropped, which does not close it.
pub struct OpenedWindow {
    window: Window,
    _greeting: Timer,
}

impl OpenedWindow {
    /// Opens the page; `None` if the browser blocks it.
    ///
    /// The window has an opener, or its messages could not reach this page. It shows the pinned connect page.
    pub fn open(url: &str, origin: &str, appearance: Rc<RefCell<Appearance>>) -> Option<Self> {
        // A replaced `open` may throw, or return anything.
        let opened = web_sys::window()?.open_with_url_and_target(url, "_blank");
        let window = opened.ok()?.filter(is_window)?;
        let (greeted, origin) = (window.clone(), String::from(origin));
        let greeting = Timer::every(GREETING_MS, move || {
            if is_open(&greeted) {
                greet(&greeted, &origin, &appearance.borrow());
            }
        });
        Some(Self {
            window,
            _greeting: greeting,
        })
    }

    /// Whether the user has not closed it.
    pub fn is_open(&self) -> bool {
        is_open(&self.window)
    }

    /// Whether it is the source of a message.
    pub fn is(&self, source: &JsValue) -> bool {
        let window: &JsValue = self.window.as_ref();
        window == source
    }

    /// Greets it now.
    pub fn greet(&self, origin: &str, appearance: &Appearance) {
        greet(&self.window, origin, appearance);
    }

    /// Brings it to the front.
    pub fn focus(&self) {
        let _ = self.window.focus();
    }

    /// Closes it.
    pub fn close(&self) {
        let _ = self.window.close();
    }
}

fn is_open(window: &Window) -> bool {
    window.closed() == Ok(false)
}

/// Whether it can be sent messages. `postMessage` is readable whatever the window's origin is.
fn is_window(window: &Window) -> bool {
    window.is_object() && object::get(window, "postMessage").is_function()
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

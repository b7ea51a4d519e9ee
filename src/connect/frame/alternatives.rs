//! The ways out of a frame, and back: a window, the merchant's phone, another try.

use super::elements::{appearance_of, texts_of};
use super::view::Stage;
use super::{Frame, window};
use crate::core::timer::Timer;
use crate::core::{console, global, task, weak};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::Window;

/// After so many milliseconds without a message from the page, the ways out are offered. The `load` event proves
/// nothing: a blocked page fires it, too.
const SLOW_MS: f64 = 8_000.0;

impl Frame {
    /// Shows the phone panel in the frame's place; from there, or from the word of a window, the frame again.
    pub(super) fn switch_to_phone(&self) {
        if self.url().is_none() {
            return;
        }
        let stage = match self.view.stage() {
            Stage::Page => Stage::Phone,
            Stage::Phone | Stage::Window => Stage::Page,
        };
        self.view.show(stage, self.has_window());
    }

    /// Opens the page in a window, which it is left to from then on.
    pub(super) fn open_window(&self) {
        let Some(url) = self.url() else {
            return;
        };
        let opened = self.window.borrow().clone();
        if let Some(opened) = opened.filter(window::is_open) {
            // The second click is for a window that is hidden behind this one.
            let _ = opened.focus();
            self.view.show(Stage::Window, true);
            return;
        }
        match window::open(&url) {
            Some(window) => {
                self.window.replace(Some(window));
                self.view.show(Stage::Window, true);
            }
            // Blocked by the browser: the phone is the other way.
            None => self.view.show(Stage::Phone, false),
        }
    }

    /// The page was opened outside of the frame: on a phone, unless this page has opened a window.
    pub fn opened_elsewhere(&self) {
        if self.window.borrow().is_none() {
            self.view.say_opened();
        }
    }

    /// Loads the page again.
    pub(super) fn retry(self: &Rc<Self>) {
        self.reload();
        // The button is gone now.
        let _ = self.view.frame().focus();
    }

    /// The network is back.
    pub(super) fn online(self: &Rc<Self>) {
        if self.view.is_covered() {
            self.reload();
        }
    }

    fn reload(self: &Rc<Self>) {
        if let Some(url) = self.url() {
            self.view.reload(&url);
            self.await_answer();
        }
    }

    /// The merchant may have closed the window: the page is back in its place. An open one is greeted: unlike a frame,
    /// it fires no `load` event here.
    pub(super) fn check_popup(&self) {
        let opened = self.window.borrow().clone().filter(window::is_open);
        if let Some(opened) = &opened {
            self.greet(opened);
        }
        let stage = match self.view.stage() {
            Stage::Window if opened.is_none() => Stage::Page,
            stage => stage,
        };
        self.view.show(stage, opened.is_some());
    }

    /// Explains the way out if the page that loads does not answer.
    pub(super) fn await_answer(self: &Rc<Self>) {
        let slow = weak::callback(self, |frame| {
            frame.view.show_slow();
            frame.warn_silent();
        });
        self.slow.set(Some(Timer::once(SLOW_MS, slow)));
    }

    /// The page in the frame, or in the window, has answered.
    pub(super) fn answered(&self) {
        self.slow.take();
        self.view.hide_waiting();
        let Some(on_ready) = self.on_ready.take() else {
            return;
        };
        // Later: the message is handled first, whatever the callback does.
        task::start(async move {
            console::report("onReady", on_ready.call0(&JsValue::UNDEFINED));
        });
    }

    /// Tells the developer, once a frame, what no browser tells a page: why it may be empty.
    fn warn_silent(&self) {
        let url = self.url();
        let Some(address) = url.as_deref().and_then(|url| url.split('?').next()) else {
            return;
        };
        if !self.has_warned.replace(true) {
            let sentence = [
                "pos-connect: the connect page has said nothing for 8 seconds. Is ",
                address,
                " the right connectUrl, and may ",
                &global::origin(),
                " frame it? The service's operator registers origins: vendor add --origin, vendor set-origins",
            ];
            console::warn(&sentence.concat());
        }
    }

    fn has_window(&self) -> bool {
        self.window.borrow().as_ref().is_some_and(window::is_open)
    }

    /// Follows what the page has changed of its language and its colors.
    pub(super) fn follow_appearance(&self) {
        let appearance = appearance_of(&self.options);
        if *self.appearance.borrow() == appearance {
            return;
        }
        self.view
            .translate(texts_of(&self.options, &appearance), &appearance);
        self.appearance.replace(appearance);
        if self.url().is_some() {
            self.greet_frame();
        }
    }

    /// Says hello to the page in the frame.
    pub(super) fn greet_frame(&self) {
        if let Some(page) = self.view.frame().content_window() {
            self.greet(&page);
        }
    }

    fn greet(&self, page: &Window) {
        let (seen, config) = (self.appearance.borrow(), self.config());
        let sent = seen.without_url_params(&config.connect_url);
        window::greet(page, &config.connect_origin, &sent);
    }
}

//! The elements around the connect frame. Light DOM with class names, so that the till's own style sheet reaches them; what must hold is set
//! through CSSOM, which a strict Content-Security-Policy allows where it blocks `<style>` and `style="…"`.

use super::frame::FrameOptions;
use super::js;
use super::node::{append, attribute, element, remove, set_attribute};
use crate::error::{Error, ErrorCode, Operation};
use wasm_bindgen::JsValue;

/// Texts around the frame.
pub struct Labels {
    /// The frame's accessible name and the dialog's heading.
    pub title: JsValue,
    /// While the page loads.
    pub loading: JsValue,
    /// When nothing was heard from it.
    pub slow: JsValue,
    /// The way out.
    pub open_window: JsValue,
    /// The dialog's close button.
    pub close: JsValue,
}

/// The elements that somebody acts on.
pub struct View {
    /// The page's document.
    pub document: JsValue,
    /// What was put into the page: the body, or the modal dialog around it.
    pub root: JsValue,
    /// The connect frame.
    pub iframe: JsValue,
    /// Says "loading"; a status region.
    pub loading: JsValue,
    /// The way out: text and button.
    pub slow: JsValue,
    /// Opens the new window.
    pub open_window: JsValue,
    /// The close button of the modal dialog, where there is one.
    pub close: Option<JsValue>,
}

const FRAME: &str = "border:0;display:block;flex:1 1 auto;width:100%;min-height:0";
// Not max(100%, 36rem): in a container without a height of its own a percentage makes all of it `auto`, which is 150 px.
const COLUMN: &str = "display:flex;flex-direction:column;height:100%;min-height:36rem";
const COLUMN_IN_DIALOG: &str =
    "display:flex;flex-direction:column;height:min(44rem, 100dvh - 2rem);min-height:0";
const SPACED: &str = "margin:1rem";
const SLOW_TEXT: &str = "margin:0 0 .5rem";
const TOUCHABLE: &str = "min-height:44px;padding:0 1em;font:inherit";
const DIALOG: &str = "padding:0;border:0;border-radius:12px;width:min(30rem, 100vw - 1rem);max-width:none;max-height:none;overflow:hidden;box-shadow:0 1rem 4rem #0008";
const HEADER: &str =
    "display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.5rem 1rem";
const HEADING: &str = "margin:0;font-size:1.125rem";

impl View {
    /// Builds the elements and puts them into the container, or into a modal dialog on top of the page.
    pub fn open(options: &FrameOptions) -> Result<Self, Error> {
        let failed = |_| Error::new(ErrorCode::UnsupportedBrowser, Operation::MountFrame);
        let document = js::named("document");
        if js::is_absent(&document) {
            return Err(failed(JsValue::UNDEFINED).detail(&["There is no document."]));
        }
        let view = Self::build(document, options);
        let body = js::get(&view.document, "body");
        let parent = options.container.as_ref().unwrap_or(&body);
        js::call(parent, "appendChild", &view.root, js::NONE).map_err(failed)?;
        if view.close.is_some() {
            js::call(&view.root, "showModal", js::NONE, js::NONE).map_err(|thrown| {
                remove(&view.root);
                failed(thrown)
            })?;
        }
        Ok(view)
    }

    fn build(document: JsValue, options: &FrameOptions) -> Self {
        let labels = &options.labels;
        let build = Builder {
            document: &document,
        };
        let body = build.element("div", "pos-connect-body", COLUMN);
        let mut root = body.clone();
        let mut close = None;
        if options.container.is_none() {
            style(&body, COLUMN_IN_DIALOG);
            root = build.element("dialog", "pos-connect-dialog", DIALOG);
            set_attribute(&root, "aria-label", &labels.title);
            let header = build.element("div", "pos-connect-header", HEADER);
            let heading = build.text("h2", "pos-connect-title", &labels.title, HEADING);
            append(&header, &heading);
            close = Some(build.button(&header, "pos-connect-close", &labels.close));
            append(&body, &header);
            append(&root, &body);
        }
        let loading = build.text("p", "pos-connect-loading", &labels.loading, SPACED);
        attribute(&loading, "role", "status");
        append(&body, &loading);
        let slow = build.element("div", "pos-connect-slow", SPACED);
        attribute(&slow, "role", "status");
        js::set(&slow, "hidden", JsValue::TRUE);
        let slow_text = build.text("p", "pos-connect-slow-text", &labels.slow, SLOW_TEXT);
        append(&slow, &slow_text);
        let open_window = build.button(&slow, "pos-connect-open-window", &labels.open_window);
        append(&body, &slow);
        let iframe = build.element("iframe", "pos-connect-frame", FRAME);
        set_attribute(&iframe, "title", &labels.title);
        attribute(&iframe, "referrerpolicy", "no-referrer");
        if !options.sandbox.is_null() {
            set_attribute(&iframe, "sandbox", &options.sandbox);
        }
        append(&body, &iframe);
        Self {
            root,
            iframe,
            loading,
            slow,
            open_window,
            close,
            document,
        }
    }

    /// The window in the frame.
    pub fn window(&self) -> JsValue {
        js::get(&self.iframe, "contentWindow")
    }

    /// Takes everything out of the page. Closing first is what returns the focus.
    pub fn remove(&self) {
        if self.close.is_some() {
            js::tell(&self.root, "close");
        }
        remove(&self.root);
    }
}

/// Makes elements. What it calls only fails on malformed names, and its names are all here.
struct Builder<'a> {
    document: &'a JsValue,
}

impl Builder<'_> {
    fn element(&self, name: &str, class: &str, styles: &str) -> JsValue {
        let element = element(self.document, name);
        js::set_text(&element, "className", class);
        style(&element, styles);
        element
    }

    fn text(&self, name: &str, class: &str, text: &JsValue, styles: &str) -> JsValue {
        let element = self.element(name, class, styles);
        js::set(&element, "textContent", text.clone());
        element
    }

    fn button(&self, parent: &JsValue, class: &str, text: &JsValue) -> JsValue {
        let button = self.text("button", class, text, TOUCHABLE);
        // Not "submit": the container may be a form of the till's.
        js::set_text(&button, "type", "button");
        append(parent, &button);
        button
    }
}

fn style(element: &JsValue, styles: &str) {
    js::set_text(&js::get(element, "style"), "cssText", styles);
}

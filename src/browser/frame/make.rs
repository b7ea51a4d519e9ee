//! Makes the elements of a frame, with our class names and their styles.

use super::view::Dialog;
use crate::browser::nodes::{self, set};
use crate::browser::popover;
use wasm_bindgen::prelude::*;
use web_sys::{
    Document, HtmlAnchorElement, HtmlButtonElement, HtmlDialogElement, HtmlElement,
    HtmlIFrameElement,
};

const FRAME: &str =
    "border:0;display:block;box-sizing:border-box;flex:1 0 min(15rem,100%);width:100%;min-height:0";
const PANEL: &str = "display:none;flex:1 1 auto;min-height:min(12rem,100%);overflow:auto;\
    box-sizing:border-box;width:100%;padding:.25rem 1rem;outline:0;flex-wrap:wrap;\
    align-content:flex-start;justify-content:center;gap:1rem";
/// Of an inline frame. Not max(100%, 36rem): in a container without a height of its own the percentage makes all of it
/// `auto`, 150 px.
pub const BODY: &str = "display:flex;flex-direction:column;height:100%;min-height:36rem";
const DIALOG_BODY: &str =
    "display:flex;flex-direction:column;height:100%;min-height:0;overflow:auto";
/// Of a dialog, where the screen is not low.
pub const WIDTH: &str = "min(34rem, 100vw)";
// Large text takes the whole screen, and there the corners are the screen's.
const DIALOG: &str = "margin:auto;pointer-events:auto;padding:0;border:0;border-radius:min(12px,max(0px,100vw - 34rem));\
    height:min(46rem,100dvh);max-width:none;max-height:none;overflow:hidden;box-shadow:0 1rem 4rem #0008";
// Without a height of its own: the page loads below it, in the same place.
const LOADING: &str =
    "flex:none;height:0;overflow:visible;position:relative;z-index:1;pointer-events:none";
const BARS: &str = "padding:1.5rem;display:grid;gap:1rem";
const BAR: &str = "height:1.5rem;border-radius:.5rem;background:currentColor;opacity:.12";
const UNSEEN: &str = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";
const HEADER: &str =
    "display:flex;flex:none;flex-wrap:wrap;align-items:center;gap:.25rem 1rem;padding:.5rem 1rem";
const TITLE: &str =
    "margin:0;flex:1 1 8rem;min-width:0;overflow-wrap:anywhere;font-size:1rem;font-weight:600";
/// Of what is said while the page does not answer.
pub const SLOW: &str = "flex:none;text-align:center";
/// The style of the number that is compared.
pub const NUMBER: &str =
    "display:block;font-size:2rem;line-height:1.25;font-variant-numeric:tabular-nums";
/// Of the row of ways out.
pub const WAYS: &str = "display:flex;flex:none;max-width:100%;flex-wrap:wrap;justify-content:center;\
    gap:.25rem;margin:.25rem";

/// Of what follows a frame for a moment.
pub const DONE: &str = "box-sizing:border-box;min-height:12rem;padding:1.5rem min(1.5rem,4vw);display:grid;gap:.25rem;\
    justify-items:center;align-content:center;text-align:center;overflow-wrap:anywhere";
/// The same, if the frame was in a dialog.
pub const ABOVE: &str = ";position:fixed;inset:0;z-index:2147483647;margin:auto;pointer-events:auto;width:min(24rem,calc(100vw - 2rem));\
    height:fit-content;max-height:100dvh;overflow:auto;border:1px solid;border-radius:12px;background:Canvas;\
    color:CanvasText;box-shadow:0 1rem 4rem #0008";
// White on green: 5.2:1.
const CHECK: &str = "display:grid;place-items:center;width:3rem;height:3rem;margin-bottom:.5rem;border-radius:50%;\
    background:#0a7d3c";
// Drawn: a letter would differ from font to font.
const TICK: &str = "width:.7rem;height:1.25rem;border:solid #fff;border-width:0 4px 4px 0;\
    transform:translateY(-.15rem) rotate(45deg)";

const TOUCHABLE: &str =
    "min-height:48px;max-width:100%;padding:0 1em;font:inherit;overflow-wrap:anywhere";
/// Of a button that is no call to action.
pub const QUIET: &str = "min-height:48px;max-width:100%;padding:0 1em;font:inherit;overflow-wrap:anywhere;\
    border:1px solid #808080;border-radius:.6em;background:none;color:inherit";

/// Makes elements with our class names.
pub struct Maker(pub Document);

impl Maker {
    /// An element of that class and style.
    pub fn element(&self, tag: &str, name: &str, style: &str) -> HtmlElement {
        let element = nodes::element(&self.0, tag);
        element.set_class_name(&["pos-connect-", name].concat());
        element.style().set_css_text(style);
        element
    }

    /// A button that submits nothing.
    pub fn button(&self, name: &str, style: &str) -> HtmlButtonElement {
        let button: HtmlButtonElement = self.element("button", name, style).unchecked_into();
        // Not "submit": the container may be inside a form of the page's.
        button.set_type("button");
        button
    }

    /// A paragraph whose changes are announced.
    pub fn status(&self, name: &str) -> HtmlElement {
        let status = self.element("p", name, "margin:1rem");
        set(&status, "role", "status");
        status
    }

    /// Bars in the place of a page that loads, and a text for those who do not see them.
    pub fn skeleton(&self) -> (HtmlElement, HtmlElement) {
        let loading = self.element("div", "loading", LOADING);
        set(&loading, "role", "status");
        let text = self.element("span", "loading-text", UNSEEN);
        let bars = self.element("div", "bars", BARS);
        set(&bars, "aria-hidden", "true");
        for width in ["60%", "85%", "100%", "100%", "40%"] {
            let bar = self.element("div", "bar", BAR);
            set_style(&bar, "width", width);
            nodes::append(&bars, &bar);
        }
        append(&loading, &[&text, &bars]);
        (loading, text)
    }

    /// A mark for those who see it.
    pub fn check(&self) -> HtmlElement {
        let check = self.element("div", "check", CHECK);
        set(&check, "aria-hidden", "true");
        nodes::append(&check, &self.element("div", "tick", TICK));
        check
    }

    /// The frame, empty.
    pub fn frame(&self, sandbox: Option<&str>) -> HtmlIFrameElement {
        let frame: HtmlIFrameElement = self.element("iframe", "frame", FRAME).unchecked_into();
        frame.set_referrer_policy("no-referrer");
        if let Some(tokens) = sandbox {
            set(&frame, "sandbox", tokens);
        }
        frame
    }

    /// The link to the connect page.
    pub fn link(&self) -> HtmlAnchorElement {
        let link: HtmlAnchorElement = self
            .element("a", "link", "word-break:break-all")
            .unchecked_into();
        link.set_target("_blank");
        link.set_rel("noreferrer");
        link
    }

    /// What stands in the frame's place at times.
    pub fn panel(&self, name: &str) -> HtmlElement {
        let panel = self.element("div", name, PANEL);
        panel.set_tab_index(-1);
        panel
    }

    /// A dialog around the body, which gets a header.
    pub fn dialog(&self, body: &HtmlElement) -> Dialog {
        let close = self.button("close", TOUCHABLE);
        let heading = self.element("h2", "title", TITLE);
        let header = self.element("div", "header", HEADER);
        append(&header, &[&heading, &close]);
        nodes::append(body, &header);
        body.style().set_css_text(DIALOG_BODY);
        let dialog: HtmlDialogElement = self.element("dialog", "dialog", DIALOG).unchecked_into();
        nodes::append(&dialog, body);
        popover::mark(&dialog);
        Dialog {
            element: dialog,
            header,
            heading,
            close,
        }
    }
}

/// Changes one property of its style.
pub fn set_style(element: &HtmlElement, name: &str, value: &str) {
    // It throws only for a style that is read-only.
    let _ = element.style().set_property(name, value);
}

/// Puts the children at the end.
pub fn append(parent: &HtmlElement, children: &[&HtmlElement]) {
    for child in children {
        nodes::append(parent, child);
    }
}

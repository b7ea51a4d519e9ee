//! The elements of a frame. They are in the light DOM and have class names, so that the page's own style sheet applies.
//! They are created, never parsed, and styled through CSSOM: a strict Content-Security-Policy and Trusted Types allow
//! both.

use super::super::global;
use super::FrameOptions;
use crate::browser::failure::Failure;
use crate::browser::{object, removal, task};
use crate::error::{Error, ErrorCode, Operation};
use crate::labels::Labels;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::{
    Document, Element, HtmlAnchorElement, HtmlButtonElement, HtmlDialogElement, HtmlElement,
    HtmlIFrameElement,
};

#[wasm_bindgen(module = "/src/js/phone-panel.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = fillPhonePanel)]
    async fn fill_phone_panel(
        panel: &HtmlElement,
        link: &HtmlAnchorElement,
        texts: &JsValue,
    ) -> Result<(), JsValue>;
}

const FRAME: &str = "border:0;display:block;flex:1 1 auto;width:100%;min-height:0";
// Not max(100%, 36rem): in a container without a height of its own the percentage makes all of it `auto`, 150 px.
const BODY: &str = "display:flex;flex-direction:column;height:100%;min-height:36rem";
const DIALOG_BODY: &str =
    "display:flex;flex-direction:column;height:min(44rem, 100dvh - 2rem);min-height:0";
const DIALOG: &str = "padding:0;border:0;border-radius:12px;width:min(30rem, 100vw - 1rem);max-width:none;\
    max-height:none;overflow:hidden;box-shadow:0 1rem 4rem #0008";
const HEADER: &str =
    "display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.5rem 1rem";
const TITLE: &str = "margin:0;min-width:0;overflow-wrap:anywhere;font-size:1.125rem";
const WAYS: &str = "display:flex;flex-wrap:wrap;justify-content:center";
const PHONE: &str = "Continue on your phone";

const TOUCHABLE: &str = "min-height:44px;padding:0 1em;font:inherit";
const QUIET: &str = "min-height:44px;padding:0 1em;font:inherit;border:0;background:none;color:inherit;\
    text-decoration:underline";

/// What stands in the page.
pub struct View {
    /// The outermost element: the dialog, or the container's child.
    pub root: HtmlElement,
    /// Present if there is no container.
    pub dialog: Option<Dialog>,
    /// Shows the connect page.
    pub frame: HtmlIFrameElement,
    /// Opens the connect page in a window.
    pub open_window: HtmlButtonElement,
    /// Shows the phone panel in the frame's place, or the frame again.
    pub phone: HtmlButtonElement,
    loading: HtmlElement,
    slow: HtmlElement,
    /// The number that the connect page shows when it is opened elsewhere.
    code: HtmlElement,
    /// The phone panel.
    panel: HtmlElement,
    link: HtmlAnchorElement,
    labels: Labels,
}

/// The modal dialog around a frame.
pub struct Dialog {
    /// Closed by Escape, too.
    pub element: HtmlDialogElement,
    /// Its close button.
    pub close: HtmlButtonElement,
}

/// The texts that `fill` in `pkg-template/elsewhere.js` shows.
#[derive(Serialize)]
struct PhoneTexts<'a> {
    scan: &'a str,
    qr: &'a str,
    copy: &'a str,
    copied: &'a str,
}

impl View {
    /// Puts the elements into the container, or into a modal dialog on top of the page. Fails without a document, and
    /// in a browser without modal dialogs.
    pub fn open(options: &FrameOptions) -> Result<Self, Failure> {
        Self::placed(options).map_err(|_| unsupported())
    }

    fn placed(options: &FrameOptions) -> Result<Self, JsValue> {
        let maker = Maker(global::document().ok_or(JsValue::UNDEFINED)?);
        let view = Self::make(&maker, options)?;
        let body = maker.0.body().map(Element::from);
        let place = options.container.clone().or(body);
        place.ok_or(JsValue::UNDEFINED)?.append_child(&view.root)?;
        if let Some(dialog) = &view.dialog
            && let Err(thrown) = dialog.element.show_modal()
        {
            removal::remove(&view.root);
            return Err(thrown);
        }
        Ok(view)
    }

    fn make(maker: &Maker, options: &FrameOptions) -> Result<Self, JsValue> {
        let labels = options.labels.clone();
        let title = labels.text("title", "Connect your account");
        let slow = "Nothing to see here? The page can be opened in a new window.";
        let loading = maker.status("loading", labels.text("loading", "Loading…"))?;
        let slow = maker.status("slow", labels.text("slow", slow))?;
        let code = maker.status("code", "")?;
        let frame = maker.frame(title, options.sandbox.tokens())?;
        let link = maker.link()?;
        let panel = maker.panel(&link)?;
        let open_window = labels.text("openWindow", "Open in a new window");
        let open_window = maker.button("open-window", open_window, QUIET)?;
        let phone = maker.button("phone", labels.text("phone", PHONE), QUIET)?;
        let ways = maker.element("div", "ways", WAYS)?;
        let body = maker.element("div", "body", BODY)?;
        slow.set_hidden(true);
        code.set_hidden(true);
        append(&ways, &[&open_window, &phone])?;
        let dialog = match options.container {
            Some(_) => None,
            None => Some(maker.dialog(&body, title, labels.text("close", "Close"))?),
        };
        append(&body, &[&loading, &frame, &panel, &slow, &code, &ways])?;
        let root = match &dialog {
            Some(dialog) => dialog.element.clone().into(),
            None => body,
        };
        Ok(Self {
            root,
            dialog,
            frame,
            open_window,
            phone,
            loading,
            slow,
            code,
            panel,
            link,
            labels,
        })
    }

    /// Puts it into another container, unless it is a dialog.
    pub fn move_to(&self, container: &Element) {
        let is_there = self.root.parent_element().as_ref() == Some(container);
        if self.dialog.is_none() && !is_there {
            // It fails only for a container inside of the frame.
            let _ = container.append_child(&self.root);
        }
    }

    /// Loads the page, and notes the number that it shows elsewhere.
    pub fn navigate(&self, url: &str, code: Option<&str>) {
        self.frame.set_src(url);
        self.link.set_href(url);
        self.link.set_text_content(Some(url));
        if let Some(code) = code {
            // It fails only where the page has broken its own document; then the number is missing.
            let _ = self.note_code(code);
        }
    }

    fn note_code(&self, code: &str) -> Result<(), JsValue> {
        let document = self.code.owner_document().ok_or(JsValue::UNDEFINED)?;
        let number = Maker(document).element("strong", "number", "font-size:1.5em")?;
        number.set_text_content(Some(code));
        let text = self
            .labels
            .text("code", "The page there shows the same number:");
        self.code.set_text_content(Some(&[text, " "].concat()));
        self.code.append_child(&number)?;
        Ok(())
    }

    /// The page has loaded.
    pub fn hide_loading(&self) {
        self.loading.set_hidden(true);
    }

    /// The page has answered.
    pub fn hide_waiting(&self) {
        self.loading.set_hidden(true);
        self.slow.set_hidden(true);
    }

    /// The page does not answer: explains the way out.
    pub fn show_slow(&self) {
        self.loading.set_hidden(true);
        self.slow.set_hidden(false);
    }

    /// The page was opened elsewhere: shows the number, if there is one.
    pub fn show_code(&self) {
        self.code.set_hidden(!self.code.has_child_nodes());
    }

    /// Whether the phone panel is shown.
    pub fn is_panel_shown(&self) -> bool {
        display(&self.panel) != "none"
    }

    /// Shows the phone panel in the frame's place, or the frame again.
    pub fn switch_panel(&self) {
        let (panel, frame) = (display(&self.panel), display(&self.frame));
        set_display(&self.panel, &frame);
        set_display(&self.frame, &panel);
        let text = match self.is_panel_shown() {
            true => self.labels.text("here", "Continue here"),
            false => self.labels.text("phone", PHONE),
        };
        self.phone.set_text_content(Some(text));
        if self.is_panel_shown() {
            let _ = self.panel.focus();
        }
        if self.panel.child_element_count() < 2 {
            self.fill_panel();
        }
    }

    /// Adds the QR code, whose file is loaded now. If that fails, the link stays, and the next click tries again.
    fn fill_panel(&self) {
        let texts = PhoneTexts {
            scan: self
                .labels
                .text("scan", "Scan this with your phone, or open the link there."),
            qr: self.labels.text("qr", "QR code of the link"),
            copy: self.labels.text("copy", "Copy the link"),
            copied: self.labels.text("copied", "Copied"),
        };
        let texts = object::of(&texts);
        let (panel, link) = (self.panel.clone(), self.link.clone());
        task::start(async move {
            let _ = fill_phone_panel(&panel, &link, &texts).await;
        });
    }

    /// Takes everything out of the page.
    pub fn remove(&self) {
        if let Some(dialog) = &self.dialog {
            // Returns the focus to where it was.
            removal::close(&dialog.element);
        }
        removal::remove(&self.root);
    }
}

/// Says what the browser lacks.
fn unsupported() -> Failure {
    let needed: [&[&str]; 2] = [
        &["document"],
        &["HTMLDialogElement", "prototype", "showModal"],
    ];
    let missing = needed.into_iter().find(|path| global::is_missing(path));
    let error = Error::new(ErrorCode::UnsupportedBrowser, Operation::MountFrame);
    match missing {
        Some(path) => error.detail(&[&path.join("."), " is missing."]).into(),
        None => error.into(),
    }
}

fn display(element: &HtmlElement) -> String {
    element
        .style()
        .get_property_value("display")
        .unwrap_or_default()
}

fn set_display(element: &HtmlElement, value: &str) {
    // It throws only for a style that is read-only.
    let _ = element.style().set_property("display", value);
}

fn append(parent: &HtmlElement, children: &[&HtmlElement]) -> Result<(), JsValue> {
    for child in children {
        parent.append_child(child)?;
    }
    Ok(())
}

/// Makes elements with our class names.
struct Maker(Document);

impl Maker {
    fn element(&self, tag: &str, name: &str, style: &str) -> Result<HtmlElement, JsValue> {
        let element: HtmlElement = self.0.create_element(tag)?.unchecked_into();
        element.set_class_name(&["pos-connect-", name].concat());
        element.style().set_css_text(style);
        Ok(element)
    }

    fn button(&self, name: &str, text: &str, style: &str) -> Result<HtmlButtonElement, JsValue> {
        let button: HtmlButtonElement = self.element("button", name, style)?.unchecked_into();
        // Not "submit": the container may be inside a form of the page's.
        button.set_type("button");
        button.set_text_content(Some(text));
        Ok(button)
    }

    fn status(&self, name: &str, text: &str) -> Result<HtmlElement, JsValue> {
        let status = self.element("p", name, "margin:1rem")?;
        status.set_attribute("role", "status")?;
        status.set_text_content(Some(text));
        Ok(status)
    }

    fn frame(&self, title: &str, sandbox: Option<&str>) -> Result<HtmlIFrameElement, JsValue> {
        let frame: HtmlIFrameElement = self.element("iframe", "frame", FRAME)?.unchecked_into();
        frame.set_title(title);
        frame.set_referrer_policy("no-referrer");
        if let Some(tokens) = sandbox {
            frame.set_attribute("sandbox", tokens)?;
        }
        Ok(frame)
    }

    fn link(&self) -> Result<HtmlAnchorElement, JsValue> {
        let link: HtmlAnchorElement = self
            .element("a", "link", "word-break:break-all")?
            .unchecked_into();
        link.set_target("_blank");
        link.set_rel("noreferrer");
        Ok(link)
    }

    /// The phone panel, which has only the link until it is filled.
    fn panel(&self, link: &HtmlAnchorElement) -> Result<HtmlElement, JsValue> {
        let panel = self.element("div", "elsewhere", FRAME)?;
        panel.append_child(link)?;
        panel.set_tab_index(-1);
        set_display(&panel, "none");
        Ok(panel)
    }

    /// A dialog around the body, which gets a header.
    fn dialog(&self, body: &HtmlElement, title: &str, close: &str) -> Result<Dialog, JsValue> {
        let close = self.button("close", close, TOUCHABLE)?;
        let heading = self.element("h2", "title", TITLE)?;
        heading.set_text_content(Some(title));
        let header = self.element("div", "header", HEADER)?;
        append(&header, &[&heading, &close])?;
        body.append_child(&header)?;
        body.style().set_css_text(DIALOG_BODY);
        let dialog: HtmlDialogElement = self.element("dialog", "dialog", DIALOG)?.unchecked_into();
        dialog.append_child(body)?;
        dialog.set_attribute("aria-label", title)?;
        Ok(Dialog {
            element: dialog,
            close,
        })
    }
}

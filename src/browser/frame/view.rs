//! The elements of a frame. They are in the light DOM and have class names, so that the page's own style sheet applies.
//! They are created, never parsed, and styled through CSSOM: a strict Content-Security-Policy and Trusted Types allow
//! both.

use super::super::global;
use super::FrameOptions;
use super::make::{BODY, Maker, NUMBER, QUIET, SLOW, WAYS, WIDTH, append, set_style};
use crate::browser::failure::Failure;
use crate::browser::{nodes, object, task};
use crate::error::{Error, ErrorCode};
use crate::frame::words::{Word, Words};
use crate::frame::{self, Look};
use crate::labels::Labels;
use serde::Serialize;
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use web_sys::{
    Element, HtmlAnchorElement, HtmlButtonElement, HtmlDialogElement, HtmlElement,
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

/// What stands in the place of the connect page.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Stage {
    /// The page itself.
    #[default]
    Page,
    /// Its link and QR code.
    Phone,
    /// Word of the window that has it.
    Window,
}

/// What stands in the page.
pub struct View {
    /// The outermost element: the dialog, or the container's child.
    pub root: HtmlElement,
    /// Present if there is no container.
    pub dialog: Option<Dialog>,
    /// Shows the connect page.
    pub frame: HtmlIFrameElement,
    /// Loads it again.
    pub retry: HtmlButtonElement,
    /// Opens the connect page in a window, or shows that.
    pub open_window: HtmlButtonElement,
    /// Shows the phone panel in the frame's place, or the frame again.
    pub phone: HtmlButtonElement,
    pub(super) loading: HtmlElement,
    loading_text: HtmlElement,
    pub(super) slow: HtmlElement,
    pub(super) slow_text: HtmlElement,
    /// The number that the connect page shows when it is opened elsewhere.
    code: HtmlElement,
    number: RefCell<String>,
    /// The phone panel.
    panel: HtmlElement,
    /// Stands for the window.
    away: HtmlElement,
    stage: Cell<Stage>,
    has_window: Cell<bool>,
    pub(super) is_covered: Cell<bool>,
    link: HtmlAnchorElement,
    ways: HtmlElement,
    body: HtmlElement,
    pub(super) words: RefCell<Words>,
}

/// The modal dialog around a frame.
pub struct Dialog {
    /// Closed by Escape, too.
    pub element: HtmlDialogElement,
    /// Holds the heading and the close button; on a low screen the ways out, too.
    pub header: HtmlElement,
    /// Names it.
    pub heading: HtmlElement,
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
    waiting: &'a str,
}

impl View {
    /// Puts the elements into the container, or into a modal dialog on top of the page. Fails without a document, and
    /// in a browser without modal dialogs.
    pub fn open(options: &FrameOptions, look: &Look) -> Result<Self, Failure> {
        Self::placed(options, look).map_err(|_| unsupported())
    }

    fn placed(options: &FrameOptions, look: &Look) -> Result<Self, JsValue> {
        let maker = Maker(global::document().ok_or(JsValue::UNDEFINED)?);
        let view = Self::make(&maker, options);
        view.speak(words(&options.labels, look), look);
        let body = maker.0.body().map(Element::from);
        let place = options.container.clone().or(body);
        place.ok_or(JsValue::UNDEFINED)?.append_child(&view.root)?;
        if let Some(dialog) = &view.dialog
            && let Err(thrown) = dialog.element.show_modal()
        {
            view.root.remove();
            return Err(thrown);
        }
        view.fit();
        Ok(view)
    }

    fn make(maker: &Maker, options: &FrameOptions) -> Self {
        let (loading, loading_text) = maker.skeleton();
        let slow = maker.element("div", "slow", SLOW);
        let slow_text = maker.status("slow-text");
        let retry = maker.button("retry", QUIET);
        append(&slow, &[&slow_text, &retry]);
        let code = maker.status("code");
        let frame = maker.frame(options.sandbox.tokens());
        let link = maker.link();
        let panel = maker.panel("elsewhere");
        nodes::append(&panel, &link);
        let away = maker.panel("away");
        set_style(&away, "align-content", "center");
        let open_window = maker.button("open-window", QUIET);
        let phone = maker.button("phone", QUIET);
        let ways = maker.element("div", "ways", WAYS);
        append(&ways, &[&open_window, &phone]);
        let body = maker.element("div", "body", BODY);
        slow.set_hidden(true);
        code.set_hidden(true);
        let dialog = match options.container {
            Some(_) => None,
            None => Some(maker.dialog(&body)),
        };
        let parts: [&HtmlElement; 7] = [&loading, &slow, &frame, &panel, &away, &code, &ways];
        append(&body, &parts);
        let root = match &dialog {
            Some(dialog) => dialog.element.clone().into(),
            None => body.clone(),
        };
        Self {
            root,
            dialog,
            frame,
            retry,
            open_window,
            phone,
            loading,
            loading_text,
            slow,
            slow_text,
            code,
            number: RefCell::default(),
            panel,
            away,
            stage: Cell::default(),
            has_window: Cell::default(),
            is_covered: Cell::default(),
            link,
            ways,
            body,
            words: RefCell::new(words(&options.labels, &Look::default())),
        }
    }

    /// Says everything in these words, wherever it stands.
    pub fn speak(&self, words: Words, look: &Look) {
        nodes::set(&self.root, "lang", words.tag());
        nodes::set(&self.root, "dir", words.dir());
        if let Some(theme) = look.theme {
            set_style(&self.root, "color-scheme", theme.as_str());
        }
        self.words.replace(words);
        let words = self.words.borrow();
        let title = words.text(Word::Title);
        self.frame.set_title(title);
        if let Some(dialog) = &self.dialog {
            nodes::set(&dialog.element, "aria-label", title);
            dialog.heading.set_text_content(Some(title));
            say(&dialog.close, words.text(Word::Close));
        }
        say(&self.loading_text, words.text(Word::Loading));
        self.say_slow(&words);
        say(&self.retry, words.text(Word::Retry));
        say(&self.away, words.text(Word::Elsewhere));
        self.name_ways(&words);
        self.write_code(&words);
        drop(words);
        if self.is_filled() {
            self.fill_panel();
        }
    }

    /// The two ways say where they lead from here.
    fn name_ways(&self, words: &Words) {
        let window = match self.has_window.get() {
            true => Word::ShowWindow,
            false => Word::OpenWindow,
        };
        let phone = match self.stage.get() {
            Stage::Page => Word::Phone,
            Stage::Phone | Stage::Window => Word::Here,
        };
        say(&self.open_window, words.text(window));
        say(&self.phone, words.text(phone));
        self.phone
            .set_hidden(self.stage.get() == Stage::Page && global::is_phone());
    }

    fn write_code(&self, words: &Words) {
        let digits = self.number.borrow();
        let Some(document) = self.code.owner_document().filter(|_| !digits.is_empty()) else {
            return;
        };
        let word = match self.stage.get() {
            Stage::Window => Word::CodeWindow,
            Stage::Page | Stage::Phone if self.has_window.get() => Word::CodeWindow,
            Stage::Page | Stage::Phone => Word::Code,
        };
        let number = Maker(document).element("strong", "number", NUMBER);
        number.set_text_content(Some(digits.as_str()));
        let (before, after) = words.around(word);
        self.code.set_text_content(Some(&before));
        nodes::append(&self.code, &number);
        // It fails only for more than one document.
        let _ = self.code.append_with_str_1(after);
    }

    /// Gives a dialog the whole of a low screen, and puts the ways out beside its heading there.
    pub fn fit(&self) {
        let Some(dialog) = &self.dialog else {
            return;
        };
        let is_low = global::height().is_some_and(frame::is_low);
        set_style(
            &dialog.element,
            "width",
            if is_low { "100vw" } else { WIDTH },
        );
        let (place, before) = match is_low {
            true => (&dialog.header, Some(dialog.close.as_ref())),
            false => (&self.body, None),
        };
        if self.ways.parent_element().as_ref() == Some(place.as_ref()) {
            return;
        }
        let focused = global::document().and_then(|document| document.active_element());
        // It fails only where the page has moved what is ours.
        let _ = place.insert_before(&self.ways, before);
        // An element that moves loses the focus.
        if let Some(focused) = focused.filter(|focused| self.ways.contains(Some(focused))) {
            let _ = focused.unchecked_ref::<HtmlElement>().focus();
        }
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
            self.number.replace(code.into());
            self.write_code(&self.words.borrow());
        }
    }

    /// What stands in the place of the page.
    pub fn stage(&self) -> Stage {
        self.stage.get()
    }

    /// Puts something else in the place of the page. The frame is hidden and never moved, or it would load anew.
    pub fn show(&self, stage: Stage, has_window: bool) {
        let before = self.stage.replace(stage);
        if before == stage && self.has_window.get() == has_window {
            return;
        }
        self.has_window.set(has_window);
        let shown = |wanted, display| if stage == wanted { display } else { "none" };
        set_style(&self.frame, "display", shown(Stage::Page, "block"));
        set_style(&self.panel, "display", shown(Stage::Phone, "flex"));
        set_style(&self.away, "display", shown(Stage::Window, "flex"));
        let words = self.words.borrow();
        self.name_ways(&words);
        self.write_code(&words);
        drop(words);
        let is_here = stage == Stage::Page && !has_window;
        self.code
            .set_hidden(is_here || !self.code.has_child_nodes());
        if stage == Stage::Phone {
            let _ = self.panel.focus();
            if !self.is_filled() {
                self.fill_panel();
            }
        }
    }

    fn is_filled(&self) -> bool {
        self.panel.child_element_count() > 1
    }

    /// Adds the QR code, whose file is loaded now. If that fails, the link stays, and the next click tries again.
    fn fill_panel(&self) {
        let words = self.words.borrow();
        let texts = object::of(&PhoneTexts {
            scan: words.text(Word::Scan),
            qr: words.text(Word::Qr),
            copy: words.text(Word::Copy),
            copied: words.text(Word::Copied),
            waiting: words.text(Word::Waiting),
        });
        let (panel, link) = (self.panel.clone(), self.link.clone());
        task::start(async move {
            let _ = fill_phone_panel(&panel, &link, &texts).await;
        });
    }

    /// Takes everything out of the page.
    pub fn remove(&self) {
        if let Some(dialog) = &self.dialog {
            // Returns the focus to where it was.
            dialog.element.close();
        }
        self.root.remove();
    }
}

/// The words of a look, else of the browser.
pub fn words(labels: &Labels, look: &Look) -> Words {
    Words::new(&look.locale, &[&global::language()], labels.clone())
}

/// Changes a text only if it differs: a status would be read again.
pub(super) fn say(element: &HtmlElement, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

/// Says what the browser lacks.
fn unsupported() -> Failure {
    let needed: [&[&str]; 2] = [
        &["document"],
        &["HTMLDialogElement", "prototype", "showModal"],
    ];
    let missing = needed.into_iter().find(|path| global::is_missing(path));
    let error = Error::new(ErrorCode::UnsupportedBrowser);
    match missing {
        Some(path) => error.detail(&[&path.join("."), " is missing."]).into(),
        None => error.into(),
    }
}

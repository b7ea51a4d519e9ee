//! The elements of a frame. They are in the light DOM and have class names, so that the page's own style sheet applies.
//! They are created, never parsed, and styled through CSSOM: a strict Content-Security-Policy and Trusted Types allow
//! both.

use super::appearance::{self, Appearance};
use super::elements::{
    HEIGHT, NUMBER, PICTURE, Part, WIDTH, element, make, set_appearance, set_style, set_text,
    texts_of, translate,
};
use super::options::{CONTAINER, sandbox};
use super::texts::{TextKey, Texts};
use crate::core::elements::Elements;
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use crate::core::options::Options;
use crate::core::{global, nodes, object, task};
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use web_sys::{
    Document, Element, HtmlAnchorElement, HtmlDialogElement, HtmlElement, HtmlIFrameElement,
};

#[wasm_bindgen(module = "/src/core/qr.js")]
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
    elements: Elements,
    /// The modal dialog, if there is no container.
    dialog: Option<HtmlDialogElement>,
    /// Compared with what the connect page shows when it is opened elsewhere.
    number: RefCell<String>,
    stage: Cell<Stage>,
    has_window: Cell<bool>,
    /// The page was opened on a phone.
    is_opened: Cell<bool>,
    is_covered: Cell<bool>,
    /// The page's, in CSS pixels, once it has said so.
    height: Cell<Option<i32>>,
    texts: RefCell<Texts>,
}

impl View {
    /// Puts the elements into the container, or into a modal dialog on top of the page. Fails without a document, and
    /// in a browser without modal dialogs.
    pub fn open(options: &Options, appearance: &Appearance) -> Result<Self, Failure> {
        Self::placed(options, appearance).map_err(|_| {
            let needed = ["document", "HTMLDialogElement.prototype.showModal"];
            let lacks = global::require(&needed).err();
            lacks.unwrap_or_else(|| Failure::new(ErrorCode::UnsupportedBrowser))
        })
    }

    fn placed(options: &Options, appearance: &Appearance) -> Result<Self, JsValue> {
        let document = global::document().ok_or(JsValue::UNDEFINED)?;
        let view = Self::make(&document, options);
        view.translate(texts_of(options, appearance), appearance);
        let place: Option<Element> = options.page(&CONTAINER);
        let place = place.or_else(|| document.body().map(Element::from));
        place.ok_or(JsValue::UNDEFINED)?.append_child(&view.root)?;
        if let Some(dialog) = &view.dialog
            && let Err(thrown) = dialog.show_modal()
        {
            view.root.remove();
            return Err(thrown);
        }
        view.fit();
        Ok(view)
    }

    fn make(document: &Document, options: &Options) -> Self {
        let is_dialog = !options.has(&CONTAINER);
        let elements = make(document, is_dialog);
        if let Some(tokens) = &sandbox(options) {
            nodes::set(elements.get(Part::Frame as usize), "sandbox", tokens);
        }
        let root = if is_dialog { Part::Dialog } else { Part::Body };
        let root = elements.get(root as usize).clone();
        Self {
            dialog: is_dialog.then(|| root.clone().unchecked_into()),
            root,
            elements,
            number: RefCell::default(),
            stage: Cell::default(),
            has_window: Cell::default(),
            is_opened: Cell::default(),
            is_covered: Cell::default(),
            height: Cell::default(),
            texts: RefCell::new(texts_of(options, &Appearance::default())),
        }
    }

    /// An element of the view.
    pub fn get(&self, part: Part) -> &HtmlElement {
        self.elements.get(part as usize)
    }

    /// Shows the connect page.
    pub fn frame(&self) -> &HtmlIFrameElement {
        self.get(Part::Frame).unchecked_ref()
    }

    fn link(&self) -> &HtmlAnchorElement {
        self.get(Part::Link).unchecked_ref()
    }

    /// Whether it is a modal dialog.
    pub fn is_dialog(&self) -> bool {
        self.dialog.is_some()
    }

    /// Shows everything in these texts, wherever it stands.
    pub fn translate(&self, texts: Texts, appearance: &Appearance) {
        set_appearance(&self.root, &texts, appearance);
        self.texts.replace(texts);
        let texts = self.texts.borrow();
        let title = texts.text(TextKey::Title);
        self.frame().set_title(title);
        if let Some(dialog) = &self.dialog {
            nodes::set(dialog, "aria-label", title);
        }
        translate(&self.elements, &texts);
        self.say_slow(&texts);
        self.name_alternatives(&texts);
        self.write_code(&texts);
        drop(texts);
        if self.is_filled() {
            self.fill_panel();
        }
    }

    /// The two ways say where they lead from here.
    fn name_alternatives(&self, texts: &Texts) {
        let window = match self.has_window.get() {
            true => TextKey::ShowWindow,
            false => TextKey::OpenWindow,
        };
        let phone = match self.stage.get() {
            Stage::Page => TextKey::Phone,
            Stage::Phone | Stage::Window => TextKey::Here,
        };
        let is_useless = self.stage.get() == Stage::Page && global::is_phone();
        set_text(self.get(Part::WindowText), texts.text(window));
        set_text(self.get(Part::PhoneText), texts.text(phone));
        let picture = if phone == TextKey::Phone { "" } else { "none" };
        set_style(self.get(Part::PhoneIcon), PICTURE, picture);
        self.get(Part::Phone).set_hidden(is_useless);
    }

    fn write_code(&self, texts: &Texts) {
        let digits = self.number.borrow();
        let code = self.get(Part::Code);
        let Some(document) = code.owner_document().filter(|_| !digits.is_empty()) else {
            return;
        };
        let key = match self.stage.get() {
            Stage::Window => TextKey::CodeWindow,
            Stage::Page | Stage::Phone if self.has_window.get() => TextKey::CodeWindow,
            Stage::Page | Stage::Phone => TextKey::Code,
        };
        let number = element(&document, "strong", "number", NUMBER);
        number.set_text_content(Some(digits.as_str()));
        let (before, after) = texts.around(key);
        code.set_text_content(Some(&before));
        nodes::append(code, &number);
        // It fails only for more than one document.
        let _ = code.append_with_str_1(after);
    }

    /// Becomes as tall as the page is.
    pub fn follow(&self, height: i32) {
        self.height.set(Some(height));
        self.fit();
    }

    /// Says how tall all has to be for the page, and gives a dialog the whole of a low screen, with the ways out beside
    /// its heading.
    pub fn fit(&self) {
        let is_low = global::height().is_some_and(appearance::is_low);
        let mut height = String::new();
        if let Some(page) = self.height.get()
            && !is_low
            && self.stage.get() == Stage::Page
        {
            let around = self.root.offset_height() - self.frame().offset_height();
            height = [&(page + around).to_string(), "px"].concat();
        }
        set_style(&self.root, HEIGHT, &height);
        set_style(&self.root, PICTURE, if is_low { "none" } else { "" });
        let Some(dialog) = &self.dialog else {
            return;
        };
        let width = if is_low { "100vw" } else { WIDTH };
        set_style(dialog, "width", width);
        let (place, before) = match is_low {
            true => (Part::Header, Some(self.get(Part::Close).as_ref())),
            false => (Part::Body, None),
        };
        let (place, ways) = (self.get(place), self.get(Part::Ways));
        if ways.parent_element().as_ref() == Some(place.as_ref()) {
            return;
        }
        let focused = global::document().and_then(|document| document.active_element());
        // It fails only where the page has moved what is ours.
        let _ = place.insert_before(ways, before);
        // An element that moves loses the focus.
        if let Some(focused) = focused.filter(|focused| ways.contains(Some(focused))) {
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
        self.frame().set_src(url);
        self.link().set_href(url);
        self.link().set_text_content(Some(url));
        set_style(self.get(Part::Ways), "visibility", "");
        if let Some(code) = code {
            self.number.replace(code.into());
            self.write_code(&self.texts.borrow());
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
        for (part, of, display) in [
            (Part::Frame, Stage::Page, "block"),
            (Part::Panel, Stage::Phone, "flex"),
            (Part::Away, Stage::Window, "flex"),
        ] {
            let display = if stage == of { display } else { "none" };
            set_style(self.get(part), "display", display);
        }
        let texts = self.texts.borrow();
        self.name_alternatives(&texts);
        self.write_code(&texts);
        drop(texts);
        let is_here = stage == Stage::Page && !has_window;
        let code = self.get(Part::Code);
        code.set_hidden(is_here || !code.has_child_nodes());
        self.fit();
        if stage == Stage::Phone {
            let _ = self.get(Part::Panel).focus();
            if !self.is_filled() {
                self.fill_panel();
            }
        }
    }

    /// Says in the phone panel that the page was opened there.
    pub fn say_opened(&self) {
        if !self.is_opened.replace(true) && self.is_filled() {
            self.fill_panel();
        }
    }

    fn is_filled(&self) -> bool {
        self.get(Part::Panel).child_element_count() > 1
    }

    /// Adds the QR code, whose file is loaded now. If that fails, the link stays, and the next click tries again.
    fn fill_panel(&self) {
        let texts = self.texts.borrow();
        let waiting = match self.is_opened.get() {
            true => TextKey::Opened,
            false => TextKey::Waiting,
        };
        // The members that `fill` in `pkg-template/elsewhere.js` reads have the names of the labels.
        let text = |member: TextKey, key| (member.name(), texts.text(key).into());
        let texts = object::of(&[
            text(TextKey::Scan, TextKey::Scan),
            text(TextKey::Qr, TextKey::Qr),
            text(TextKey::Copy, TextKey::Copy),
            text(TextKey::Copied, TextKey::Copied),
            text(TextKey::Waiting, waiting),
        ]);
        let (panel, link) = (self.get(Part::Panel).clone(), self.link().clone());
        task::start(async move {
            let _ = fill_phone_panel(&panel, &link, &texts).await;
        });
    }

    /// Loads the page again.
    pub fn reload(&self, url: &str) {
        self.hide_waiting();
        self.get(Part::Loading).set_hidden(false);
        self.frame().set_src(url);
    }

    /// The page has loaded.
    pub fn hide_loading(&self) {
        self.get(Part::Loading).set_hidden(true);
    }

    /// The page has answered.
    pub fn hide_waiting(&self) {
        self.get(Part::Loading).set_hidden(true);
        self.get(Part::Slow).set_hidden(true);
        self.cover(false);
    }

    /// Hides what the browser shows in the place of a page that it cannot load, or shows the page again.
    fn cover(&self, is_covered: bool) {
        self.is_covered.set(is_covered);
        let visibility = if is_covered { "hidden" } else { "visible" };
        set_style(self.frame(), "visibility", visibility);
        self.say_slow(&self.texts.borrow());
    }

    /// Whether the page is covered.
    pub fn is_covered(&self) -> bool {
        self.is_covered.get()
    }

    /// The page does not answer: offers the ways out. Without a network it cannot be there.
    pub fn show_slow(&self) {
        self.cover(!global::is_online());
        self.get(Part::Loading).set_hidden(true);
        self.get(Part::Slow).set_hidden(false);
    }

    /// Why it is waited for.
    fn say_slow(&self, texts: &Texts) {
        let key = match self.is_covered.get() {
            true => TextKey::Offline,
            false => TextKey::Slow,
        };
        set_text(self.get(Part::SlowText), texts.text(key));
    }

    /// Takes everything out of the page.
    pub fn remove(&self) {
        if let Some(dialog) = &self.dialog {
            // Returns the focus to where it was.
            dialog.close();
        }
        self.root.remove();
    }
}

//! The elements around the connect frame. Light DOM with class names, so that the till's own style sheet reaches them; what must hold is set
//! through CSSOM, which a strict Content-Security-Policy allows where it blocks `<style>` and `style="…"`.

use crate::error::{Error, ErrorCode, Operation};
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlDialogElement, HtmlElement, HtmlIFrameElement};

/// Texts around the frame.
pub struct Labels {
    /// The frame's accessible name and the dialog's heading.
    pub title: String,
    /// While the page loads.
    pub loading: String,
    /// When nothing was heard from it.
    pub slow: String,
    /// The way out.
    pub open_window: String,
    /// The dialog's close button.
    pub close: String,
}

impl Default for Labels {
    fn default() -> Self {
        Self {
            title: "Connect your account".into(),
            loading: "Loading…".into(),
            slow: "Nothing to see here? The page can be opened in a new window.".into(),
            open_window: "Open in a new window".into(),
            close: "Close".into(),
        }
    }
}

/// The elements that somebody acts on.
pub struct View {
    /// What was put into the page.
    pub root: HtmlElement,
    /// The connect frame.
    pub iframe: HtmlIFrameElement,
    /// Says "loading"; a status region.
    pub loading: HtmlElement,
    /// The way out: text and button.
    pub slow: HtmlElement,
    /// Opens the new window.
    pub open_window: HtmlElement,
    /// The modal dialog and its close button, where there is one.
    pub dialog: Option<(HtmlDialogElement, HtmlElement)>,
}

/// Builds an element tree; the errors of DOM calls that only fail on malformed names end in one place.
struct Builder<'a> {
    document: &'a Document,
}

impl Builder<'_> {
    fn element<T: JsCast>(
        &self,
        name: &str,
        class: &str,
        styles: &[(&str, &str)],
    ) -> Result<T, JsValue> {
        let element: HtmlElement = self.document.create_element(name)?.unchecked_into();
        element.set_class_name(class);
        for (property, value) in styles {
            element.style().set_property(property, value)?;
        }
        Ok(element.unchecked_into())
    }

    fn text(
        &self,
        name: &str,
        class: &str,
        text: &str,
        styles: &[(&str, &str)],
    ) -> Result<HtmlElement, JsValue> {
        let element: HtmlElement = self.element(name, class, styles)?;
        element.set_text_content(Some(text));
        Ok(element)
    }

    fn button(&self, class: &str, text: &str) -> Result<HtmlElement, JsValue> {
        let touchable = [
            ("min-height", "44px"),
            ("padding", "0 1em"),
            ("font", "inherit"),
        ];
        let button = self.text("button", class, text, &touchable)?;
        // Not "submit": the container may be a form of the till's.
        button.set_attribute("type", "button")?;
        Ok(button)
    }

    fn iframe(&self, labels: &Labels, sandbox: Option<&str>) -> Result<HtmlIFrameElement, JsValue> {
        let styles = [
            ("border", "0"),
            ("display", "block"),
            ("flex", "1 1 auto"),
            ("width", "100%"),
            ("min-height", "0"),
        ];
        let iframe: HtmlIFrameElement = self.element("iframe", "pos-connect-frame", &styles)?;
        iframe.set_attribute("title", &labels.title)?;
        iframe.set_attribute("referrerpolicy", "no-referrer")?;
        if let Some(tokens) = sandbox {
            iframe.set_attribute("sandbox", tokens)?;
        }
        Ok(iframe)
    }

    fn view(&self, labels: &Labels, sandbox: Option<&str>, modal: bool) -> Result<View, JsValue> {
        // Not max(100%, 36rem): in a container without a height of its own a percentage makes all of it `auto`, which is 150 px.
        let (height, least) = if modal {
            ("min(44rem, 100dvh - 2rem)", "0")
        } else {
            ("100%", "36rem")
        };
        let column = [
            ("display", "flex"),
            ("flex-direction", "column"),
            ("height", height),
            ("min-height", least),
        ];
        let body: HtmlElement = self.element("div", "pos-connect-body", &column)?;
        let loading = self.text(
            "p",
            "pos-connect-loading",
            &labels.loading,
            &[("margin", "1rem")],
        )?;
        loading.set_attribute("role", "status")?;
        let iframe = self.iframe(labels, sandbox)?;
        let slow: HtmlElement = self.element("div", "pos-connect-slow", &[("margin", "1rem")])?;
        slow.set_attribute("role", "status")?;
        slow.set_hidden(true);
        let slow_text = self.text(
            "p",
            "pos-connect-slow-text",
            &labels.slow,
            &[("margin", "0 0 .5rem")],
        )?;
        slow.append_child(&slow_text)?;
        let open_window = self.button("pos-connect-open-window", &labels.open_window)?;
        slow.append_child(&open_window)?;
        let mut view = View {
            root: body.clone(),
            iframe,
            loading,
            slow,
            open_window,
            dialog: None,
        };
        if modal {
            view.dialog = Some(self.dialog(labels, &body)?);
        }
        for part in [
            view.loading.as_ref(),
            view.slow.as_ref(),
            view.iframe.as_ref(),
        ] {
            body.append_child(part)?;
        }
        if let Some((dialog, _)) = &view.dialog {
            dialog.append_child(&body)?;
            view.root = dialog.clone().into();
        }
        Ok(view)
    }

    /// The dialog, with its heading and close button put into `body`.
    fn dialog(
        &self,
        labels: &Labels,
        body: &HtmlElement,
    ) -> Result<(HtmlDialogElement, HtmlElement), JsValue> {
        let frame = [
            ("padding", "0"),
            ("border", "0"),
            ("border-radius", "12px"),
            ("width", "min(30rem, 100vw - 1rem)"),
            ("max-width", "none"),
            ("max-height", "none"),
            ("overflow", "hidden"),
            ("box-shadow", "0 1rem 4rem #0008"),
        ];
        let dialog: HtmlDialogElement = self.element("dialog", "pos-connect-dialog", &frame)?;
        dialog.set_attribute("aria-label", &labels.title)?;
        let row = [
            ("display", "flex"),
            ("align-items", "center"),
            ("justify-content", "space-between"),
            ("gap", "1rem"),
            ("padding", ".5rem 1rem"),
        ];
        let header: HtmlElement = self.element("div", "pos-connect-header", &row)?;
        let heading = [("margin", "0"), ("font-size", "1.125rem")];
        let heading = self.text("h2", "pos-connect-title", &labels.title, &heading)?;
        header.append_child(&heading)?;
        let close = self.button("pos-connect-close", &labels.close)?;
        header.append_child(&close)?;
        body.append_child(&header)?;
        Ok((dialog, close))
    }
}

impl View {
    /// Builds the elements and puts them into `container`, or into a modal dialog on top of the page.
    pub fn open(
        document: &Document,
        container: Option<&Element>,
        labels: &Labels,
        sandbox: Option<&str>,
    ) -> Result<Self, Error> {
        let failed = |_| Error::new(ErrorCode::UnsupportedBrowser, Operation::MountFrame);
        let view = Builder { document }
            .view(labels, sandbox, container.is_none())
            .map_err(failed)?;
        let body = document.body();
        let parent = container.or(body.as_deref());
        let parent = parent.ok_or_else(|| failed(JsValue::UNDEFINED))?;
        parent.append_child(&view.root).map_err(failed)?;
        if let Some((dialog, _)) = &view.dialog
            && dialog.show_modal().is_err()
        {
            dialog.remove();
            return Err(failed(JsValue::UNDEFINED));
        }
        Ok(view)
    }

    /// Takes everything out of the page. Closing first is what returns the focus.
    pub fn remove(&self) {
        if let Some((dialog, _)) = &self.dialog {
            dialog.close();
        }
        self.root.remove();
    }
}

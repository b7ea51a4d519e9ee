//! The elements of a frame: one table that makes, nests and names them, with our class names and their styles.

use super::appearance::{Appearance, Theme};
use super::options::{LABELS, LOCALE, THEME};
use super::texts::{TextKey, Texts};
use crate::core::elements::{Elements, elements};
use crate::core::nodes::{self, set};
use crate::core::options::Options;
use crate::core::{global, popover};
use web_sys::{Document, HtmlElement};

const FRAME: &str =
    "border:0;display:block;box-sizing:border-box;flex:1 0 min(15rem,100%);width:100%;min-height:0";
const PANEL: &str = "display:none;flex:1 1 auto;min-height:min(12rem,100%);overflow:auto;\
    box-sizing:border-box;width:100%;padding:.25rem 1rem;outline:0;flex-wrap:wrap;\
    align-content:flex-start;justify-content:center;gap:1rem";
// Not max(100%, 36rem): in a container without a height of its own the percentage makes all of it `auto`, 150 px.
const INLINE_BODY: &str = "display:flex;flex-direction:column;height:100%;min-height:36rem";
const BODY: &str = "display:flex;flex-direction:column;height:100%;min-height:0;overflow:auto";
/// How tall all is with a page that need not scroll, once the page has said so. A container may follow it.
pub const HEIGHT: &str = "--pos-connect-height";
/// The `display` of the pictures beside the ways: a low screen has no room for them.
pub const PICTURE: &str = "--pos-connect-picture";
/// The width of a dialog, where the screen is not low.
pub const WIDTH: &str = "min(34rem, 100vw)";
// Large text takes the whole screen, and there the corners are the screen's.
const DIALOG: &str = "margin:auto;pointer-events:auto;padding:0;border:0;\
    border-radius:min(12px,max(0px,100vw - 34rem));\
    height:min(var(--pos-connect-height,46rem),100dvh);max-width:none;max-height:none;\
    overflow:hidden;box-shadow:0 1rem 4rem #0008";
// Without a height of its own: the page loads below it, in the same place.
const LOADING: &str =
    "flex:none;height:0;overflow:visible;position:relative;z-index:1;pointer-events:none";
const BARS: &str = "padding:1.5rem;display:grid;gap:1rem";
const BAR: &str = "height:1.5rem;border-radius:.5rem;background:currentColor;opacity:.12";
const UNSEEN: &str = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";
const HEADER: &str = "display:flex;flex:none;flex-wrap:wrap;align-items:center;justify-content:flex-end;\
    gap:.25rem 1rem;padding:.5rem 1rem";
const SLOW: &str = "flex:none;text-align:center";
/// The style of the number that is compared.
pub const NUMBER: &str =
    "display:block;font-size:2rem;line-height:1.25;font-variant-numeric:tabular-nums";
// Unseen until there is a page that they lead to.
const WAYS: &str = "display:flex;flex:none;max-width:100%;flex-wrap:wrap;justify-content:center;\
    gap:.25rem;margin:.25rem;visibility:hidden";

/// The style of the card that follows a frame for a moment.
pub const DONE: &str = "box-sizing:border-box;min-height:12rem;padding:1.5rem min(1.5rem,4vw);display:grid;gap:.25rem;\
    justify-items:center;align-content:center;text-align:center;overflow-wrap:anywhere";
/// What is added to it if the frame was in a dialog.
pub const ABOVE: &str = ";position:fixed;inset:0;z-index:2147483647;margin:auto;pointer-events:auto;\
    width:min(24rem,calc(100vw - 2rem));height:fit-content;max-height:100dvh;overflow:auto;\
    border:1px solid;border-radius:12px;background:Canvas;color:CanvasText;box-shadow:0 1rem 4rem #0008";
// White on green: 5.2:1.
const CHECK: &str = "display:grid;place-items:center;width:3rem;height:3rem;margin-bottom:.5rem;border-radius:50%;\
    background:#0a7d3c";
// Drawn: a letter would differ from font to font.
const TICK: &str = "width:.7rem;height:1.25rem;border:solid #fff;border-width:0 4px 4px 0;\
    transform:translateY(-.15rem) rotate(45deg)";

const PARAGRAPH: &str = "margin:1rem";
const LINK: &str = "word-break:break-all";
const TOUCHABLE: &str =
    "min-height:48px;max-width:100%;padding:0 1em;font:inherit;overflow-wrap:anywhere";
// A button that is not a call to action.
const QUIET: &str = "min-height:48px;max-width:100%;padding:0 1em;font:inherit;overflow-wrap:anywhere;\
    border:1px solid #808080;border-radius:.6em;background:none;color:inherit";

// Drawn, as the tick is: a box with a thick edge at its top, and one with a thick edge at its bottom.
const WINDOW: &str = "display:var(--pos-connect-picture,inline-block);box-sizing:border-box;\
    vertical-align:-.15em;margin-inline-end:.5em;\
    border:2px solid;border-radius:3px;width:1.1em;height:.9em;border-top-width:5px";
const PHONE: &str = "display:var(--pos-connect-picture,inline-block);box-sizing:border-box;\
    vertical-align:-.15em;margin-inline-end:.5em;\
    border:2px solid;border-radius:3px;width:.7em;height:1.1em;border-bottom-width:5px";

elements! {
    /// An element of a frame.
    Part {
        /// The modal dialog, in the page if there is no container. Escape closes it, too.
        Dialog in Dialog: "dialog class=pos-connect-dialog", DIALOG;
        /// Holds everything; the outermost element in a container.
        Body in Dialog: "div class=pos-connect-body", BODY;
        /// Heads a dialog, whose page has a heading of its own; on a low screen it has the ways out, too.
        Header in Body: "div class=pos-connect-header", HEADER;
        // A button is not of type "submit": the container may be inside a form of the page.
        Close in Header: "button class=pos-connect-close type=button", TOUCHABLE => Close;
        /// Stands for a page that loads: bars, and a text for those who do not see them.
        Loading in Body: "div class=pos-connect-loading role=status", LOADING;
        LoadingText in Loading: "span class=pos-connect-loading-text", UNSEEN => Loading;
        Bars in Loading: "div class=pos-connect-bars aria-hidden=true", BARS;
        /// Stands over a page that does not answer, and says why it is waited for.
        Slow in Body: "div class=pos-connect-slow hidden", SLOW;
        SlowText in Slow: "p class=pos-connect-slow-text role=status", PARAGRAPH;
        /// Loads the page again.
        Retry in Slow: "button class=pos-connect-retry type=button", QUIET => Retry;
        /// Shows the connect page.
        Frame in Body: "iframe allow=publickey-credentials-get class=pos-connect-frame \
            referrerpolicy=no-referrer", FRAME;
        /// The phone panel, with the link to the connect page.
        Panel in Body: "div class=pos-connect-elsewhere tabindex=-1", PANEL;
        Link in Panel: "a class=pos-connect-link target=_blank rel=noreferrer", LINK;
        /// Stands for the window that has the page.
        Away in Body: "div class=pos-connect-away tabindex=-1", PANEL => Elsewhere;
        /// The number that the connect page shows when it is opened elsewhere.
        Code in Body: "p class=pos-connect-code role=status hidden", PARAGRAPH;
        /// The row of ways out: the window, and the phone panel.
        Ways in Body: "div class=pos-connect-ways", WAYS;
        OpenWindow in Ways: "button class=pos-connect-open-window type=button", QUIET;
        WindowIcon in OpenWindow: "span class=pos-connect-icon", WINDOW;
        WindowText in OpenWindow: "span class=pos-connect-way";
        Phone in Ways: "button class=pos-connect-phone type=button", QUIET;
        PhoneIcon in Phone: "span class=pos-connect-icon", PHONE;
        PhoneText in Phone: "span class=pos-connect-way";
    }
}

/// Makes the elements of a frame. Where there is no dialog, the body is the outermost one.
pub fn make(document: &Document, is_dialog: bool) -> Elements {
    let elements = Elements::new(document, ROWS);
    let get = |part| elements.get(part as usize);
    for width in ["60%", "85%", "100%", "100%", "40%"] {
        let bar = element(document, "div", "bar", BAR);
        set_style(&bar, "width", width);
        nodes::append(get(Part::Bars), &bar);
    }
    set_style(get(Part::Away), "align-content", "center");
    if is_dialog {
        popover::mark(get(Part::Dialog));
    } else {
        get(Part::Body).remove();
        get(Part::Header).remove();
        get(Part::Body).style().set_css_text(INLINE_BODY);
    }
    elements
}

/// Shows the texts that do not change with what the frame does.
pub fn translate(elements: &Elements, texts: &Texts) {
    for (part, key) in TEXTS {
        set_text(elements.get(*part as usize), texts.text(*key));
    }
}

/// An element with our class name and that style, in no page yet.
pub fn element(document: &Document, tag: &str, class: &str, style: &str) -> HtmlElement {
    let element = nodes::element(document, tag);
    element.set_class_name(&["pos-connect-", class].concat());
    element.style().set_css_text(style);
    element
}

/// A mark for those who see it.
pub fn check(document: &Document) -> HtmlElement {
    let check = element(document, "div", "check", CHECK);
    set(&check, "aria-hidden", "true");
    nodes::append(&check, &element(document, "div", "tick", TICK));
    check
}

/// Changes one property of an element's style.
pub fn set_style(element: &HtmlElement, name: &str, value: &str) {
    // It throws only for a style that is read-only.
    let _ = element.style().set_property(name, value);
}

/// Changes a text only if it differs: a status would be read again.
pub fn set_text(element: &HtmlElement, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

/// Shows the language, the direction and the theme of an outermost element.
pub fn set_appearance(root: &HtmlElement, texts: &Texts, appearance: &Appearance) {
    set(root, "lang", texts.tag());
    set(root, "dir", texts.dir());
    if let Some(theme) = appearance.theme {
        set_style(root, "color-scheme", theme.as_str());
    }
}

/// The texts of an appearance, else of the browser.
pub fn texts_of(options: &Options, appearance: &Appearance) -> Texts {
    Texts::new(
        &appearance.locale,
        &[&global::language()],
        options.labels(&LABELS),
    )
}

/// How the page looks: what the options say, else what the document says.
pub fn appearance_of(options: &Options) -> Appearance {
    let (locale, theme) = (options.text(&LOCALE), options.text(&THEME));
    let theme = theme.and_then(|theme| Theme::named(&theme));
    Appearance {
        locale: locale.unwrap_or_else(global::document_language),
        theme: theme.or_else(document_theme),
    }
}

/// The theme that the document's `color-scheme` allows alone.
fn document_theme() -> Option<Theme> {
    let root = global::document()?.document_element()?;
    let style = web_sys::window()?.get_computed_style(&root).ok()??;
    Theme::of_scheme(&style.get_property_value("color-scheme").ok()?)
}

//! After the end: the key that ended a prompt, held or pressed twice, must not press the till's own button.

use super::key::{self, Key};
use crate::core::cancellation::sleep;
use crate::core::listener::Listener;
use crate::core::object::text;
use crate::core::{global, task};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, Event, HtmlElement, Window};

/// An impatient finger's second press comes within this time.
const GUARD_MS: f64 = 400.0;
/// A held key repeats sooner. If nothing more is heard of it, it was released in another window.
const HELD_MS: f64 = 1_500.0;

/// Keeps Enter and Space from the element that gets the focus back.
struct FocusRestore {
    opener: HtmlElement,
    /// The documents of the opener and of the keypad, which may stand in another window or in a frame.
    documents: [Option<Document>; 2],
    is_restored: Cell<bool>,
    until: Cell<f64>,
}

thread_local! {
    /// The last one; it may be over.
    static LAST: RefCell<Weak<FocusRestore>> = const { RefCell::new(Weak::new()) };
}

/// The element that has the focus, in the document of the keypad or else in the page's; of whatever kind, it can be
/// given it.
pub fn opener(keypad: &Document) -> Option<HtmlElement> {
    let here = keypad
        .active_element()
        .filter(|active| !is_body(keypad, active));
    let active = here.or_else(|| global::document()?.active_element());
    active.map(JsCast::unchecked_into)
}

/// The element that is still waiting for the focus: the next prompt returns it there.
pub fn waiting_opener() -> Option<HtmlElement> {
    let last = LAST.with_borrow(Weak::upgrade)?;
    (!last.is_restored.get()).then(|| last.opener.clone())
}

/// Gives the focus back to the element that had it, once no key is down any more. `keypad` is where the key was heard.
pub fn restore(opener: HtmlElement, keypad: Option<Document>, is_key_down: bool) {
    let guard = if is_key_down { HELD_MS } else { GUARD_MS };
    let restore = Rc::new(FocusRestore {
        documents: [opener.owner_document(), keypad],
        opener,
        is_restored: Cell::default(),
        until: Cell::new(global::now() + guard),
    });
    LAST.replace(Rc::downgrade(&restore));
    if is_key_down {
        // A dialog has given it back already.
        let _ = restore.opener.blur();
    } else {
        restore.restore();
    }
    // Now, not in the task: the key may come up before that begins.
    let mut listeners = Vec::new();
    for window in restore.windows() {
        for name in ["keydown", "keyup"] {
            let restore = restore.clone();
            let hear = move |event: Event| restore.on_key(name == "keyup", &event);
            listeners.push(Listener::capturing(&window, name, hear));
        }
    }
    task::start(async move {
        restore.run().await;
        drop(listeners);
    });
}

impl FocusRestore {
    async fn run(&self) {
        loop {
            let left = self.until.get() - global::now();
            if left <= 0.0 {
                break;
            }
            sleep(left).await;
        }
        self.restore();
    }

    fn on_key(&self, is_up: bool, event: &Event) {
        // Whoever has moved the focus since, or opened the next keypad, means it.
        let is_ours = event.target().is_some_and(|target| {
            target == *self.opener.as_ref() || self.is_nobody(target.unchecked_ref())
        });
        let now = global::now();
        if !is_ours || now >= self.until.get() {
            return;
        }
        if is_press(event) {
            event.prevent_default();
            event.stop_immediate_propagation();
            let guard = if is_up { GUARD_MS } else { HELD_MS };
            self.until.set(now + guard);
        }
        if is_up {
            self.restore();
        }
    }

    fn windows(&self) -> Vec<Window> {
        let documents = self.documents.iter().flatten();
        let mut windows: Vec<_> = documents.filter_map(Document::default_view).collect();
        windows.dedup();
        windows
    }

    /// Whether nobody has the focus that is on this element: a body, or the frame in which the keypad stood.
    fn is_nobody(&self, element: &Element) -> bool {
        let mut documents = self.documents.iter().flatten();
        let is_frame =
            |window: &Window| window.frame_element().ok().flatten().as_ref() == Some(element);
        documents.any(|document| is_body(document, element)) || self.windows().iter().any(is_frame)
    }

    /// Gives the focus back, unless something else has taken it meanwhile.
    fn restore(&self) {
        let active = self
            .opener
            .owner_document()
            .and_then(|document| document.active_element());
        let is_free = active.is_none_or(|active| self.is_nobody(&active));
        if !self.is_restored.replace(true) && is_free {
            // It may be gone.
            let _ = self.opener.focus();
        }
    }
}

fn is_body(document: &Document, element: &Element) -> bool {
    document
        .body()
        .is_some_and(|body| Element::from(body) == *element)
}

/// Whether it is one of the keys that press a button.
fn is_press(event: &Event) -> bool {
    let key = text(event, "key");
    key == " " || key::read(&key, "") == Key::Enter
}

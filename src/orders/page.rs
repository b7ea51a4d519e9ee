//! The browser's half of the outbox.

use super::outbox::Outbox;
use super::outbox_page::OutboxPage;
use super::queued_order::{Change, QueuedOrder};
use super::{draft, sealing};
use crate::connect::connection::Connection;
use crate::core::cancellation::{settled, timeout};
use crate::core::channel::Channel;
use crate::core::error::Error;
use crate::core::failure::Failure;
use crate::core::object::{self, get};
use crate::core::options::Options;
use crate::core::{Boxed, console, global, task, weak};
use crate::http::config::{ON_INTERRUPTED, ON_OUTBOX, PERSIST_STORAGE};
use crate::platform::Browser;
use crate::vault::Vault;
use crate::vault::storage::Storage;
use js_sys::{Function, JSON, Object, Reflect};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};

/// The reason of a print that the page could not make which took the money.
const INTERRUPTED: &str = "interrupted";

/// This page, for the orders of one vendor account and store.
pub struct Page {
    browser: Rc<Browser>,
    connection: Rc<Connection>,
    /// `onOutbox`, if the host has one.
    on_change: Option<Function>,
    /// `onInterrupted`, if the host has one.
    on_interrupted: Option<Function>,
    /// Whether the browser is still to be asked not to clear the storage.
    is_to_persist: Cell<bool>,
    /// The channel to the other pages; `None` if there are none.
    channel: OnceCell<Channel>,
    /// The order whose last try of this page failed, and what the page itself threw then.
    thrown: RefCell<Option<(String, JsValue)>>,
}

/// Opens the outbox of this page, which hears of the others. Sends nothing yet.
pub fn outbox(
    browser: Rc<Browser>,
    connection: Rc<Connection>,
    options: &Options,
) -> Rc<Outbox<Page>> {
    let vault = browser.vault.clone();
    let name = (!vault.is_memory()).then(|| vault.scope().to_owned());
    let page = Page {
        is_to_persist: Cell::new(options.flag(&PERSIST_STORAGE) && name.is_some()),
        browser,
        connection,
        on_change: options.page(&ON_OUTBOX),
        on_interrupted: options.page(&ON_INTERRUPTED),
        channel: OnceCell::new(),
        thrown: RefCell::default(),
    };
    let outbox = Rc::new(Outbox::new(page, vault));
    if let Some(name) = name {
        let heard = weak::handler(&outbox, |outbox, text: String| {
            if let Some(change) = Vault::from_text(&text) {
                outbox.on_remote_change(&change);
            }
        });
        let channel = Channel::open(&["pos-connect outbox ", &name], heard);
        let _ = channel.map(|channel| outbox.page.channel.set(channel));
    }
    outbox
}

impl Page {
    /// Why an order was not accepted, as the host is told; with what the page itself threw, if it was this one's try.
    pub fn failure(&self, id: &str, error: Option<Error>) -> Option<Failure> {
        let thrown = self.thrown.borrow();
        let own = thrown.as_ref().filter(|(of, _)| of == id);
        Some(Failure {
            cause: own.map(|(_, thrown)| thrown.clone()),
            ..Failure::from(error?)
        })
    }

    /// Whether the browser has promised not to clear the storage by itself.
    pub async fn is_persisted(&self) -> bool {
        !self.browser.vault.is_memory()
            && answer("persisted")
                .await
                .is_some_and(|answer| answer == true)
    }
}

impl Outbox<Page> {
    /// Ends the sender, and listens to no other page any more. What is on its way is still told: others show it as
    /// waiting.
    pub fn destroy(&self) {
        if let Some(channel) = self.page.channel.get() {
            channel.deafen();
        }
        self.demand.wake_up.notify_one();
    }
}

impl AsRef<Browser> for Page {
    fn as_ref(&self) -> &Browser {
        &self.browser
    }
}

impl OutboxPage for Page {
    // Boxed: see `Storage::perform`.
    fn sealed(&self, mut entry: QueuedOrder) -> Boxed<'_, QueuedOrder> {
        if entry.has_ereceipt {
            self.connection.renew_key();
        }
        Box::pin(async move {
            if entry.has_ereceipt
                && let Some(key) = self.browser.vault.key().await
            {
                // A number that cannot be sealed is kept as it would be without a key: the order was paid.
                let _ = sealing::seal_number(&mut entry, &key).await;
            }
            entry
        })
    }

    fn without_ereceipt(body: &str) -> Option<String> {
        let body = Object::from(JSON::parse(body).ok()?);
        let is_deleted = Reflect::delete_property(&body, &"ereceipt".into());
        is_deleted.ok().filter(|is_deleted| *is_deleted)?;
        object::stringify(&body).ok()
    }

    fn with_ereceipt_of(old: &str, new: &str) -> String {
        draft::with_ereceipt_of(old, new)
    }

    fn tell_pages(&self, change: &Change) {
        if let (Some(channel), Ok(text)) = (self.channel.get(), Vault::to_text(change)) {
            channel.post(&text);
        }
    }

    fn tell_host(&self, change: &Change) {
        self.connection.changed(false);
        if let Some(on_change) = &self.on_change {
            let failure = self.failure(&change.id, change.error.clone());
            let told = draft::change(change, failure);
            console::report("onOutbox", on_change.call1(&JsValue::UNDEFINED, &told));
        }
    }

    fn prints_interrupted(&self) -> bool {
        self.on_interrupted.is_some()
    }

    fn interrupted(&self, entry: &QueuedOrder) {
        if let Some(on_interrupted) = &self.on_interrupted {
            let receipt = draft::receipt_to_print(entry, INTERRUPTED);
            let called = on_interrupted.call1(&JsValue::UNDEFINED, &receipt);
            console::report("onInterrupted", called);
        }
    }

    fn note_thrown(&self, id: &str, failure: &Failure) {
        let thrown = failure.cause.clone();
        self.thrown
            .replace(thrown.map(|thrown| (id.into(), thrown)));
    }

    fn on_call_failed(&self, failure: &Failure) {
        self.connection.on_call_failed(failure);
    }

    fn key_refused(&self) {
        self.browser.vault.forget_key();
        self.connection.renew_key();
    }

    fn keep_storage(&self) {
        if self.is_to_persist.take() {
            task::start(async {
                // What comes of it, `is_persisted` says.
                let _ = answer("persist").await;
            });
        }
    }
}

/// A browser may ask its user first.
const PERSIST_LIMIT_MS: f64 = 1_000.0;

/// What a method of the browser's storage gives (WHATWG Storage); `None` where it is missing or fails.
async fn answer(method: &str) -> Option<JsValue> {
    let storage = global::at("navigator.storage");
    let method: Function = get(&storage, method).dyn_into().ok()?;
    let asked = method.call0(&storage).ok()?;
    timeout(PERSIST_LIMIT_MS, settled(&asked)).await?.ok()
}

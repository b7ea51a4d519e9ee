//! The browser's half of the outbox.

use super::outbox::Outbox;
use super::queued_order::{Change, QueuedOrder};
use super::till::Till;
use super::{draft, persistence, sealing};
use crate::connect::browser::Browser;
use crate::connect::connection::Connection;
use crate::core::cancellation::Cancellation;
use crate::core::channel::Channel;
use crate::core::error::Error;
use crate::core::failure::Failure;
use crate::core::options::Options;
use crate::core::{Boxed, console, object, task, weak};
use crate::http::Http;
use crate::http::config::{ON_INTERRUPTED, ON_OUTBOX, PERSIST_STORAGE};
use crate::vault::Vault;
use crate::vault::storage::Storage;
use js_sys::{Function, JSON, Object, Reflect};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// The reason of a print that the page could not make which took the money.
const INTERRUPTED: &str = "interrupted";

/// This page, for the orders of one vendor account and store.
pub struct Page {
    vault: Rc<Vault>,
    http: Rc<Http>,
    connection: Rc<Connection>,
    /// Ends a wait of the sender's with the object.
    ended: Cancellation,
    /// `onOutbox`, if the host has one.
    on_change: Option<Function>,
    /// `onInterrupted`, if the host has one.
    on_interrupted: Option<Function>,
    /// Whether the browser is still to be asked not to clear the storage.
    is_to_persist: Cell<bool>,
    /// To the other pages; `None` if there are none.
    channel: RefCell<Option<Channel>>,
    /// The order whose last try of this page failed, and what the page itself threw then.
    thrown: RefCell<Option<(String, JsValue)>>,
}

/// Opens the outbox of this page, which hears of the others. Sends nothing yet.
pub fn outbox(
    vault: Rc<Vault>,
    http: Rc<Http>,
    connection: Rc<Connection>,
    ended: Cancellation,
    options: &Options,
) -> Rc<Outbox<Page>> {
    let name = (!vault.is_memory()).then(|| vault.scope().to_owned());
    let page = Page {
        is_to_persist: Cell::new(options.flag(&PERSIST_STORAGE) && name.is_some()),
        vault: vault.clone(),
        http,
        connection,
        ended,
        on_change: options.page(&ON_OUTBOX),
        on_interrupted: options.page(&ON_INTERRUPTED),
        channel: RefCell::default(),
        thrown: RefCell::default(),
    };
    let outbox = Rc::new(Outbox::new(page, vault));
    if let Some(name) = name {
        let heard = weak::handler(&outbox, |outbox, text: String| {
            if let Some(change) = Vault::from_text(&text) {
                outbox.heard(&change);
            }
        });
        let channel = Channel::open(&["pos-connect outbox ", &name], heard);
        outbox.till.channel.replace(channel);
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
        !self.vault.is_memory() && persistence::is_promised().await
    }
}

impl Outbox<Page> {
    /// Ends the sender, and listens to no other page any more. What is on its way is still told: others show it as
    /// waiting.
    pub fn destroy(&self) {
        // With no borrow held: a page may have put its own functions in the place of the browser's.
        let mut channel = self.till.channel.take();
        if let Some(channel) = &mut channel {
            channel.deafen();
        }
        self.till.channel.replace(channel);
        self.demand.wake_up.notify_one();
    }
}

impl Browser for Page {
    fn http(&self) -> &Http {
        &self.http
    }

    fn vault(&self) -> &Vault {
        &self.vault
    }
}

impl Till for Page {
    fn ended(&self) -> &Cancellation {
        &self.ended
    }

    // Boxed: see `Vault::perform`.
    fn sealed(&self, mut entry: QueuedOrder) -> Boxed<'_, QueuedOrder> {
        if entry.has_ereceipt {
            self.connection.renew_key(false);
        }
        Box::pin(async move {
            if entry.has_ereceipt
                && let Some(key) = self.vault.key().await
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
        if let (Some(channel), Ok(text)) = (&*self.channel.borrow(), Vault::to_text(change)) {
            channel.post(&text);
        }
    }

    fn tell_host(&self, change: &Change) {
        self.connection.changed(false);
        if let Some(on_change) = &self.on_change {
            let failure = self.failure(&change.id, change.error());
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
        self.connection.renew_key(true);
    }

    fn keep_storage(&self) {
        if self.is_to_persist.take() {
            task::start(persistence::ask());
        }
    }
}

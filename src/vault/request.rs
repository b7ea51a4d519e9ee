//! Waits for IndexedDB: its events as futures. Nothing listens any more when the wait ends, however it ends.

use super::StorageError;
use crate::core::listener::Listener;
use crate::core::notify::Notify;
use crate::core::{global, object};
use js_sys::{Array, Object};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{
    EventTarget, IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction,
    IdbTransactionMode,
};

#[wasm_bindgen]
extern "C" {
    // web-sys has the options of a transaction only as an unstable API.
    #[wasm_bindgen(extends = IdbDatabase)]
    type DurableDatabase;
    #[wasm_bindgen(method, catch, js_name = transaction)]
    fn begin(
        this: &DurableDatabase,
        stores: &Array,
        mode: IdbTransactionMode,
        options: &Object,
    ) -> Result<IdbTransaction, JsValue>;
}

/// How it ended, once one of the events came.
#[derive(Default)]
struct Ending {
    has_succeeded: Cell<bool>,
    ended: Notify,
}

impl Ending {
    /// Hears of an event that ends it.
    fn on(self: &Rc<Self>, target: &EventTarget, name: &'static str, is_success: bool) -> Listener {
        let ending = self.clone();
        Listener::new(target, name, move |_| {
            ending.has_succeeded.set(is_success);
            ending.ended.notify_one();
        })
    }

    async fn come(&self) -> Result<(), StorageError> {
        self.ended.notified().await;
        self.has_succeeded.get().then_some(()).ok_or(StorageError)
    }
}

/// A request whose events are heard from now on.
pub struct Awaited {
    request: IdbRequest,
    ending: Rc<Ending>,
    _listeners: [Listener; 2],
}

impl Awaited {
    /// To be called before anything is waited for: each event comes once.
    pub fn new(request: &IdbRequest) -> Self {
        let ending = Rc::new(Ending::default());
        Self {
            request: request.clone(),
            _listeners: [
                ending.on(request, "success", true),
                ending.on(request, "error", false),
            ],
            ending,
        }
    }

    /// Waits for the result.
    pub async fn result(&self) -> Result<JsValue, StorageError> {
        self.ending.come().await?;
        Ok(self.request.result()?)
    }
}

/// Waits for a database. A new one gets its stores from `make`.
pub async fn database(
    request: &IdbOpenDbRequest,
    make: fn(&IdbDatabase) -> Result<(), JsValue>,
) -> Result<IdbDatabase, StorageError> {
    let upgraded = request.clone();
    let _upgrade = Listener::new(request, "upgradeneeded", move |_| {
        let made = upgraded.result();
        if made.and_then(|made| make(made.unchecked_ref())).is_err()
            && let Some(transaction) = upgraded.transaction()
        {
            // A database without its stores would be of no use to anybody.
            let _ = transaction.abort();
        }
    });
    Ok(Awaited::new(request).result().await?.unchecked_into())
}

/// A transaction. Dropped before it is over, it is aborted.
pub struct Transaction {
    inner: IdbTransaction,
    is_over: Cell<bool>,
}

impl Transaction {
    /// Begins a transaction that is durable once it is complete. From here to its end, nothing but its own requests
    /// may be waited for: it would end.
    pub fn begin(
        database: &IdbDatabase,
        stores: &[&str],
        mode: IdbTransactionMode,
    ) -> Result<Self, StorageError> {
        let options: Object = object::null_prototype();
        object::set(&options, "durability", &"strict".into());
        let database: &DurableDatabase = database.unchecked_ref();
        let stores = stores.iter().map(|store| JsValue::from(*store)).collect();
        Ok(Self {
            inner: database.begin(&stores, mode, &options)?,
            is_over: Cell::new(false),
        })
    }

    /// A store of the transaction.
    pub fn store(&self, name: &str) -> Result<IdbObjectStore, StorageError> {
        Ok(self.inner.object_store(name)?)
    }

    /// Commits what was written, and waits for the end of the transaction.
    pub async fn complete(&self) -> Result<(), StorageError> {
        commit(&self.inner);
        self.end().await
    }

    /// Commits writes that depend on the result of `request`. `write` makes them; if it fails, nothing is
    /// written. Called by the event itself: a future may come late, when the transaction is over.
    pub async fn complete_after(
        &self,
        request: &IdbRequest,
        write: Box<dyn Fn(JsValue) -> Result<(), JsValue>>,
    ) -> Result<(), StorageError> {
        let (asked, inner) = (request.clone(), self.inner.clone());
        let success = move |_| match asked.result().and_then(&write) {
            Ok(()) => commit(&inner),
            Err(_) => drop(inner.abort()),
        };
        let _asked = Listener::new(request, "success", success);
        let _left = self.commit_when_left();
        self.end().await
    }

    /// Commits, and waits for the end and the result of a small read. Chromium ends a transaction that is committed so
    /// early without the result of a row that it keeps in a file of its own, from 64 KiB on.
    pub async fn committed(&self, read: &IdbRequest) -> Result<JsValue, StorageError> {
        self.complete().await?;
        Ok(read.result()?)
    }

    /// Waits for the result of a read of any size, and commits then.
    pub async fn result(&self, read: &Awaited) -> Result<JsValue, StorageError> {
        let _left = self.commit_when_left();
        let result = read.result().await?;
        self.is_over.set(true);
        commit(&self.inner);
        Ok(result)
    }

    /// In WebKit, a transaction of a page that was left is never over by itself; see [`commit`].
    fn commit_when_left(&self) -> Listener {
        let inner = self.inner.clone();
        Listener::new(&global::target(), "pagehide", move |_| commit(&inner))
    }

    async fn end(&self) -> Result<(), StorageError> {
        let ending = Rc::new(Ending::default());
        let events = [("complete", true), ("error", false), ("abort", false)];
        let _listeners = events.map(|(name, is_success)| ending.on(&self.inner, name, is_success));
        ending.come().await?;
        self.is_over.set(true);
        Ok(())
    }
}

/// A browser commits by itself, but WebKit does not once the page is left: then all pages' writes wait for this one
/// (https://github.com/jakearchibald/idb-keyval/issues/180). An older browser has no `commit`.
#[expect(deprecated, reason = "web-sys marks what the standard has")]
fn commit(transaction: &IdbTransaction) {
    let _ = transaction.commit();
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.is_over.get() {
            // Throws if it is over: just that is wanted.
            let _ = self.inner.abort();
        }
    }
}

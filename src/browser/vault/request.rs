//! Waits for IndexedDB: its events as futures. Handlers are removed when the wait ends, however it ends.

use super::Failed;
use crate::browser::bell::Bell;
use crate::browser::object;
use js_sys::{Function, Object};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{
    IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction, IdbTransactionMode,
};

#[wasm_bindgen]
extern "C" {
    // web-sys has the options of a transaction only as an unstable API.
    #[wasm_bindgen(extends = IdbDatabase)]
    type DurableDatabase;
    #[wasm_bindgen(method, catch, js_name = transaction)]
    fn begin(
        this: &DurableDatabase,
        store: &str,
        mode: IdbTransactionMode,
        options: &Durability,
    ) -> Result<IdbTransaction, JsValue>;

    #[wasm_bindgen(extends = Object)]
    type Durability;
    #[wasm_bindgen(method, setter)]
    fn set_durability(this: &Durability, durability: &str);
}

/// How it ended, once one of the two handlers was called.
#[derive(Default)]
struct Ending {
    has_succeeded: Cell<bool>,
    bell: Bell,
}

impl Ending {
    fn handler(self: &Rc<Self>, is_success: bool) -> Closure<dyn Fn()> {
        let ending = self.clone();
        Closure::new(move || {
            ending.has_succeeded.set(is_success);
            ending.bell.ring();
        })
    }

    async fn come(&self) -> Result<(), Failed> {
        self.bell.heard().await;
        self.has_succeeded.get().then_some(()).ok_or(Failed)
    }
}

fn function(handler: &Closure<dyn Fn()>) -> Option<&Function> {
    Some(handler.as_ref().unchecked_ref())
}

/// The handlers of a request.
struct Awaited<'a> {
    request: &'a IdbRequest,
    _handlers: [Closure<dyn Fn()>; 2],
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.request.set_onsuccess(None);
        self.request.set_onerror(None);
    }
}

/// Waits for the result of a request.
pub async fn result(request: &IdbRequest) -> Result<JsValue, Failed> {
    let ending = Rc::new(Ending::default());
    let (success, error) = (ending.handler(true), ending.handler(false));
    request.set_onsuccess(function(&success));
    request.set_onerror(function(&error));
    let _awaited = Awaited {
        request,
        _handlers: [success, error],
    };
    ending.come().await?;
    Ok(request.result()?)
}

/// The handler of a request that opens a database.
struct Upgrade<'a> {
    request: &'a IdbOpenDbRequest,
    _handler: Closure<dyn Fn()>,
}

impl Drop for Upgrade<'_> {
    fn drop(&mut self) {
        self.request.set_onupgradeneeded(None);
    }
}

/// Waits for a database. A new one gets its stores from `make`.
pub async fn database(
    request: &IdbOpenDbRequest,
    make: fn(&IdbDatabase) -> Result<(), JsValue>,
) -> Result<IdbDatabase, Failed> {
    let upgraded = request.clone();
    let handler = Closure::<dyn Fn()>::new(move || {
        let made = upgraded.result();
        if made.and_then(|made| make(made.unchecked_ref())).is_err()
            && let Some(transaction) = upgraded.transaction()
        {
            // A database without its stores would be of no use to anybody.
            let _ = transaction.abort();
        }
    });
    request.set_onupgradeneeded(function(&handler));
    let _upgrade = Upgrade {
        request,
        _handler: handler,
    };
    Ok(result(request).await?.unchecked_into())
}

/// A transaction on one store. Dropped before it is complete, it is aborted.
pub struct Transaction {
    inner: IdbTransaction,
    store: IdbObjectStore,
    is_complete: Cell<bool>,
}

impl Transaction {
    /// Begins a transaction that is durable once it is complete. From here to `complete`, nothing but its own
    /// requests may be waited for: it would end.
    pub fn begin(
        database: &IdbDatabase,
        store: &str,
        mode: IdbTransactionMode,
    ) -> Result<Self, Failed> {
        let options: Durability = object::bare();
        options.set_durability("strict");
        let database: &DurableDatabase = database.unchecked_ref();
        let inner = database.begin(store, mode, &options)?;
        let store = inner.object_store(store)?;
        Ok(Self {
            inner,
            store,
            is_complete: Cell::new(false),
        })
    }

    /// The store.
    pub fn store(&self) -> &IdbObjectStore {
        &self.store
    }

    /// Commits, and waits for the end of the transaction.
    #[expect(deprecated, reason = "web-sys marks what the standard has")]
    pub async fn complete(&self) -> Result<(), Failed> {
        // A browser commits by itself, but WebKit does not once the page is left: then all pages' writes wait for this
        // one (https://github.com/jakearchibald/idb-keyval/issues/180). An older browser has no `commit`.
        let _ = self.inner.commit();
        let ending = Rc::new(Ending::default());
        let (complete, failed) = (ending.handler(true), ending.handler(false));
        self.inner.set_oncomplete(function(&complete));
        self.inner.set_onerror(function(&failed));
        self.inner.set_onabort(function(&failed));
        let _awaited = Completing {
            transaction: &self.inner,
            _handlers: [complete, failed],
        };
        ending.come().await?;
        self.is_complete.set(true);
        Ok(())
    }

    /// Waits for the end, and gives the result of one of its requests.
    pub async fn result(&self, request: &IdbRequest) -> Result<JsValue, Failed> {
        self.complete().await?;
        Ok(request.result()?)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.is_complete.get() {
            // Throws if it is over: just that is wanted.
            let _ = self.inner.abort();
        }
    }
}

/// The handlers of a transaction.
struct Completing<'a> {
    transaction: &'a IdbTransaction,
    _handlers: [Closure<dyn Fn()>; 2],
}

impl Drop for Completing<'_> {
    fn drop(&mut self) {
        self.transaction.set_oncomplete(None);
        self.transaction.set_onerror(None);
        self.transaction.set_onabort(None);
    }
}

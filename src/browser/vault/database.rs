//! The connection to the database, and the key that it keeps. All vaults of the page share one.

use super::Failed;
use super::request::{self, Transaction};
use super::seal;
use super::turn::detached;
use crate::browser::listener::Listener;
use crate::browser::object;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{
    CryptoKey, IdbDatabase, IdbFactory, IdbObjectStoreParameters, IdbOpenDbRequest,
    IdbTransactionMode,
};

const NAME: &str = "pos-connect";
const VERSION: u32 = 1;
/// The store of the key.
const KEYS: &str = "keys";
/// The name of the key in it.
const KEY: &str = "key";
/// The store of the sealed entries.
pub const ENTRIES: &str = "entries";

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = indexedDB)]
    static INDEXED_DB: Option<IdbFactory>;
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Storage>>> = const { RefCell::new(None) };
}

/// An open database and its key.
pub struct Storage {
    /// The database.
    pub database: Database,
    /// Seals the entries.
    pub key: CryptoKey,
}

/// An open database, which makes way for another page's upgrade. Closed when it is dropped.
pub struct Database {
    inner: IdbDatabase,
    is_closed: Rc<Cell<bool>>,
    _listeners: [Listener; 2],
}

impl Database {
    fn new(inner: IdbDatabase) -> Self {
        let is_closed = Rc::new(Cell::new(false));
        let close = |name| {
            let (database, is_closed) = (inner.clone(), is_closed.clone());
            Listener::new(&inner, name, move |_| {
                database.close();
                is_closed.set(true);
            })
        };
        // Another page upgrades, or the browser takes the storage away.
        let listeners = [close("versionchange"), close("close")];
        Self {
            inner,
            is_closed,
            _listeners: listeners,
        }
    }

    /// Begins a transaction on one store.
    pub fn transaction(
        &self,
        store: &str,
        mode: IdbTransactionMode,
    ) -> Result<Transaction, Failed> {
        Transaction::begin(&self.inner, store, mode)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // Waits for what is under way.
        self.inner.close();
    }
}

/// The open storage, or a new one.
pub async fn ready() -> Result<Rc<Storage>, Failed> {
    let current = CURRENT.with_borrow(Clone::clone);
    if let Some(open) = current.filter(|open| !open.database.is_closed.get()) {
        return Ok(open);
    }
    // To its end: an upgrade that nobody handles would leave a database without stores, and one that opens late is
    // closed.
    let opened = detached(open()).await.ok_or(Failed)??;
    let opened = Rc::new(opened);
    CURRENT.replace(Some(opened.clone()));
    Ok(opened)
}

/// Lets go of it. The next call opens a new one.
pub fn forget() {
    CURRENT.take();
}

async fn open() -> Result<Storage, Failed> {
    let database = Database::new(open_database().await?);
    let key = key_of(&database).await?;
    Ok(Storage { database, key })
}

async fn open_database() -> Result<IdbDatabase, Failed> {
    let factory = INDEXED_DB.with(Clone::clone).ok_or(Failed)?;
    let request = factory.open_with_u32(NAME, VERSION)?;
    let opened = request::database(&request, make_stores).await;
    if opened.is_err() && is_too_old(&request) {
        // A newer release was here. What it added does not concern this one.
        let request = factory.open(NAME)?;
        return request::database(&request, make_stores).await;
    }
    opened
}

fn is_too_old(request: &IdbOpenDbRequest) -> bool {
    let error = request.error().ok().flatten();
    error.is_some_and(|error| error.name() == "VersionError")
}

fn make_stores(database: &IdbDatabase) -> Result<(), JsValue> {
    database.create_object_store(KEYS)?;
    let options = object::bare::<IdbObjectStoreParameters>();
    options.set_key_path(&"id".into());
    database.create_object_store_with_optional_parameters(ENTRIES, &options)?;
    Ok(())
}

/// The key that the database has, or gets. Each step is a transaction of its own: see [`Transaction::complete`].
async fn key_of(database: &Database) -> Result<CryptoKey, Failed> {
    let kept = match kept_key(database).await?.dyn_into() {
        Ok(key) => return Ok(key),
        Err(kept) => kept,
    };
    let made = seal::generate().await?;
    let transaction = database.transaction(KEYS, IdbTransactionMode::Readwrite)?;
    let keys = transaction.store();
    if kept.is_undefined() {
        keys.add_with_key(&made, &KEY.into())?;
    } else {
        keys.put_with_key(&made, &KEY.into())?;
    }
    // Refused if another page was faster: then its key is there.
    let _ = transaction.complete().await;
    kept_key(database).await?.dyn_into().map_err(|_| Failed)
}

async fn kept_key(database: &Database) -> Result<JsValue, Failed> {
    let transaction = database.transaction(KEYS, IdbTransactionMode::Readonly)?;
    let request = transaction.store().get(&KEY.into())?;
    transaction.result(&request).await
}

//! The connection to the database, and the key that it keeps. All vaults of the page share one.

use super::request::{self, Transaction};
use super::{StorageError, seal};
use crate::core::listener::Listener;
use crate::core::{object, task};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{
    CryptoKey, IdbDatabase, IdbFactory, IdbObjectStore, IdbObjectStoreParameters,
    IdbTransactionMode,
};

const NAME: &str = "pos-connect";
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
    static CURRENT: RefCell<Option<Rc<Database>>> = const { RefCell::new(None) };
}

/// An open database, which makes way for another page's upgrade. Closed when it is dropped.
pub struct Database {
    inner: IdbDatabase,
    key: OnceCell<CryptoKey>,
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
            key: OnceCell::new(),
            is_closed,
            _listeners: listeners,
        }
    }

    /// What seals the entries. They can be listed and erased without it.
    pub async fn key(&self) -> Result<CryptoKey, StorageError> {
        if let Some(key) = self.key.get() {
            return Ok(key.clone());
        }
        let key = key_of(self).await?;
        Ok(self.key.get_or_init(|| key).clone())
    }

    /// Begins a transaction.
    pub fn transaction(
        &self,
        stores: &[&str],
        mode: IdbTransactionMode,
    ) -> Result<Transaction, StorageError> {
        Transaction::begin(&self.inner, stores, mode)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // Waits for what is under way.
        self.inner.close();
    }
}

/// The open database, or a new one.
pub async fn ready() -> Result<Rc<Database>, StorageError> {
    let current = CURRENT.with_borrow(Clone::clone);
    if let Some(open) = current.filter(|open| !open.is_closed.get()) {
        return Ok(open);
    }
    // To its end: an upgrade that nobody handles would leave a database without stores, and one that opens late is
    // closed.
    let opened = task::spawn_and_wait(open()).await.ok_or(StorageError)??;
    let opened = Rc::new(opened);
    CURRENT.replace(Some(opened.clone()));
    Ok(opened)
}

/// Lets go of it. The next call opens a new one.
pub fn forget() {
    CURRENT.take();
}

async fn open() -> Result<Database, StorageError> {
    let factory = INDEXED_DB.with(Clone::clone).ok_or(StorageError)?;
    // Any version will do: a new one gets its stores, and one that another release has made is not refused.
    let request = factory.open(NAME)?;
    let opened = request::database(&request, make_stores).await?;
    Ok(Database::new(opened))
}

fn make_stores(database: &IdbDatabase) -> Result<(), JsValue> {
    database.create_object_store(KEYS)?;
    let options = object::null_prototype::<IdbObjectStoreParameters>();
    options.set_key_path(&"id".into());
    database.create_object_store_with_optional_parameters(ENTRIES, &options)?;
    Ok(())
}

/// The key that the database has, or gets. What is there and is not a key changes nothing: a keyring that is locked, or
/// an engine that was updated, gives `null` for a while (https://github.com/dexie/Dexie.js/issues/585).
async fn key_of(database: &Database) -> Result<CryptoKey, StorageError> {
    let mut kept = kept_key(database).await?;
    if kept.is_undefined() {
        let made = seal::generate().await?;
        // Refused if another page was faster: then its key is there.
        let _ = keep_first(database, made).await;
        kept = kept_key(database).await?;
    }
    kept.dyn_into().map_err(|_| StorageError)
}

/// Changes the store of the key.
type ChangeKeys = dyn Fn(&IdbObjectStore) -> Result<(), JsValue>;

/// Keeps a key where there is none, and nothing is sealed: under another key, that could never be opened again.
async fn keep_first(database: &Database, made: CryptoKey) -> Result<(), StorageError> {
    let add = move |keys: &IdbObjectStore| keys.add_with_key(&made, &KEY.into()).map(drop);
    if_nothing_is_sealed(database, Box::new(add)).await
}

/// Erases a key that can't be read, if nothing is sealed: the next entry gets a new one.
pub async fn erase_damaged_key(database: &Database) -> Result<(), StorageError> {
    if kept_key(database).await?.is_instance_of::<CryptoKey>() {
        return Ok(());
    }
    let erase = |keys: &IdbObjectStore| keys.delete(&KEY.into()).map(drop);
    if_nothing_is_sealed(database, Box::new(erase)).await
}

async fn if_nothing_is_sealed(
    database: &Database,
    change: Box<ChangeKeys>,
) -> Result<(), StorageError> {
    let transaction = database.transaction(&[KEYS, ENTRIES], IdbTransactionMode::Readwrite)?;
    let keys = transaction.store(KEYS)?;
    let sealed = transaction.store(ENTRIES)?.count()?;
    let change = move |sealed: JsValue| match sealed == 0 {
        true => change(&keys),
        false => Ok(()),
    };
    transaction.complete_after(&sealed, Box::new(change)).await
}

async fn kept_key(database: &Database) -> Result<JsValue, StorageError> {
    let transaction = database.transaction(&[KEYS], IdbTransactionMode::Readonly)?;
    let request = transaction.store(KEYS)?.get(&KEY.into())?;
    transaction.committed(&request).await
}

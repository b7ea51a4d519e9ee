//! The entries in IndexedDB, sealed. One operation after the other: a read sees what was written before it, though
//! nobody waited for that.

use super::StorageError;
use super::database::{self, Database, ENTRIES};
use super::mutex::FairMutex;
use super::request::{Awaited, Transaction};
use super::seal;
use super::storage::{Action, Found, Range};
use crate::core::cancellation::timeout;
use js_sys::{Array, Object};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{
    IdbCursor, IdbCursorDirection, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransactionMode,
};

/// A storage that another page blocks answers when that page is gone.
const LIMIT_MS: f64 = 10_000.0;

/// Makes the request. Not generic: each closure would carry a copy of the machinery.
type Ask<'a> = dyn Fn(&IdbObjectStore) -> Result<IdbRequest, JsValue> + 'a;

thread_local! {
    static OPERATIONS: Rc<FairMutex> = Rc::default();
}

/// Does it. It takes its place at once, waits for its turn, and then ends after 10 s: whoever waited goes on
/// without it, so its transaction must not happen later, over what is written then.
pub fn perform(action: Action) -> impl Future<Output = Result<Vec<Found>, StorageError>> + use<> {
    let turn = OPERATIONS.with(FairMutex::acquire);
    async move {
        let _guard = turn.await;
        let outcome = timeout(LIMIT_MS, on_database(&action)).await;
        outcome.unwrap_or_else(|| {
            database::forget();
            Err(StorageError)
        })
    }
}

/// Does it on the connection, and if that fails once more on a new one: WebKit loses its connection to the
/// storage while a page sleeps.
async fn on_database(action: &Action) -> Result<Vec<Found>, StorageError> {
    let mut is_retry = false;
    loop {
        let database = database::ready().await?;
        let outcome = attempt(&database, action, is_retry).await;
        if outcome.is_ok() {
            return outcome;
        }
        database::forget();
        if std::mem::replace(&mut is_retry, true) {
            return outcome;
        }
    }
}

async fn attempt(
    database: &Database,
    action: &Action,
    is_retry: bool,
) -> Result<Vec<Found>, StorageError> {
    match action {
        Action::Read(range, most) => rows(database, &keys(range)?, *most).await,
        Action::Ids(scope) => {
            let ids = ids(database, &scoped(scope)?, u32::MAX).await?;
            Ok(ids.iter().map(|id| found_id(&id)).collect())
        }
        Action::Ends(scope) => ends(database, scope).await,
        Action::Write { id, text } => {
            let row = sealed(database, id, text).await?;
            let (transaction, entries) = begin(database, IdbTransactionMode::Readwrite)?;
            entries.put(&row)?;
            transaction.complete().await?;
            Ok(Vec::new())
        }
        Action::Replace { from, version, by } => {
            let replaced = replace(database, from, version, by.as_ref()).await?;
            // The first try may have done it, and only its end was lost.
            Ok((replaced || is_retry)
                .then(Found::default)
                .into_iter()
                .collect())
        }
        Action::Erase(range) => {
            let (transaction, entries) = begin(database, IdbTransactionMode::Readwrite)?;
            entries.delete(&keys(range)?)?;
            transaction.complete().await?;
            Ok(Vec::new())
        }
        Action::EraseDamagedKey => {
            database::erase_damaged_key(database).await?;
            Ok(Vec::new())
        }
    }
}

fn begin(
    database: &Database,
    mode: IdbTransactionMode,
) -> Result<(Transaction, IdbObjectStore), StorageError> {
    let transaction = database.transaction(&[ENTRIES], mode)?;
    let entries = transaction.store(ENTRIES)?;
    Ok((transaction, entries))
}

/// A row. Before its transaction, which would end while waiting for it. The key is the one of this very database.
async fn sealed(database: &Database, id: &str, text: &str) -> Result<Object, StorageError> {
    seal::sealed(&database.key().await?, id, text).await
}

/// The result of one read: as a small one, else as one of any size.
async fn read(database: &Database, ask: &Ask<'_>) -> Result<JsValue, StorageError> {
    let (transaction, entries) = begin(database, IdbTransactionMode::Readonly)?;
    let request = ask(&entries)?;
    if let Ok(result) = transaction.committed(&request).await {
        return Ok(result);
    }
    let (transaction, entries) = begin(database, IdbTransactionMode::Readonly)?;
    let request = Awaited::new(&ask(&entries)?);
    transaction.result(&request).await
}

async fn ids(database: &Database, keys: &JsValue, most: u32) -> Result<Array, StorageError> {
    let ask = |entries: &IdbObjectStore| entries.get_all_keys_with_key_and_limit(keys, most);
    Ok(read(database, &ask).await?.unchecked_into())
}

/// At most so many rows, opened. One that can't be read has no text, and costs the others nothing: Chromium keeps
/// large values in files of their own, and gives no row if one of them is gone.
async fn rows(database: &Database, keys: &JsValue, most: u32) -> Result<Vec<Found>, StorageError> {
    let key = database.key().await?;
    let mut found = Vec::new();
    let ask = |entries: &IdbObjectStore| entries.get_all_with_key_and_limit(keys, most);
    let (all, are_rows) = match read(database, &ask).await {
        Ok(rows) => (rows.unchecked_into(), true),
        Err(_) => (ids(database, keys, most).await?, false),
    };
    for one in all {
        let row = match are_rows {
            true => Ok(one.clone()),
            false => read(database, &|entries| entries.get(&one)).await,
        };
        match row {
            // Erased in the meantime.
            Ok(row) if row.is_undefined() => {}
            Ok(row) => found.push(seal::opened(&key, &row).await),
            Err(_) => found.push(found_id(&one)),
        }
    }
    Ok(found)
}

async fn ends(database: &Database, scope: &str) -> Result<Vec<Found>, StorageError> {
    let (transaction, entries) = begin(database, IdbTransactionMode::Readonly)?;
    let keys = scoped(scope)?;
    let first = entries.get_all_keys_with_key_and_limit(&keys, 1)?;
    let last = entries.open_key_cursor_with_range_and_direction(&keys, IdbCursorDirection::Prev)?;
    let last = transaction.committed(&last).await?;
    let first: Array = first.result()?.unchecked_into();
    let Ok(cursor) = last.dyn_into::<IdbCursor>() else {
        return Ok(Vec::new());
    };
    Ok(vec![found_id(&first.get(0)), found_id(&cursor.key()?)])
}

/// Whether the entry was still there as it had been read; if not, nothing is changed.
async fn replace(
    database: &Database,
    from: &str,
    version: &[u8],
    by: Option<&(String, String)>,
) -> Result<bool, StorageError> {
    let row = match by {
        Some((id, text)) => Some(sealed(database, id, text).await?),
        None => None,
    };
    let (transaction, entries) = begin(database, IdbTransactionMode::Readwrite)?;
    let kept = entries.get(&from.into())?;
    let is_same = Rc::new(Cell::new(false));
    let (was_same, from, version) = (is_same.clone(), JsValue::from(from), version.to_owned());
    let write = move |kept: JsValue| {
        if seal::version(&kept).as_ref() != Some(&version) {
            return Ok(());
        }
        was_same.set(true);
        entries.delete(&from)?;
        row.as_ref()
            .map_or(Ok(()), |row| entries.put(row).map(drop))
    };
    transaction.complete_after(&kept, Box::new(write)).await?;
    Ok(is_same.get())
}

fn keys(range: &Range) -> Result<JsValue, StorageError> {
    match range {
        Range::One(id) => Ok(IdbKeyRange::only(&id.into())?.into()),
        Range::Scope(scope) => scoped(scope),
    }
}

/// The ids that begin so.
fn scoped(scope: &str) -> Result<JsValue, StorageError> {
    let end = [scope, "\u{ffff}"].concat();
    Ok(IdbKeyRange::bound(&scope.into(), &end.into())?.into())
}

/// An id that was asked for.
fn found_id(id: &JsValue) -> Found {
    Found {
        id: id.as_string().unwrap_or_default(),
        ..Found::default()
    }
}

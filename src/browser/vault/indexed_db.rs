//! The entries in IndexedDB, sealed. One operation after the other: a read sees what was written before it, though
//! nobody waited for that.

use super::database::{self, ENTRIES, Storage};
use super::request::Transaction;
use super::seal;
use super::turn::{Turns, within};
use super::{Action, Failed, Found, Range};
use js_sys::Array;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{IdbCursor, IdbCursorDirection, IdbKeyRange, IdbTransactionMode};

/// A storage that another page blocks answers when that page is gone.
const LIMIT_MS: f64 = 10_000.0;

thread_local! {
    static OPERATIONS: Rc<Turns> = Rc::default();
}

/// Does it. It takes its place at once, waits for its turn, and then ends after 10 s: whoever waited goes on
/// without it, so its transaction must not happen later, over what is written then.
pub fn perform(action: Action) -> impl Future<Output = Result<Vec<Found>, Failed>> + use<> {
    let turn = OPERATIONS.with(Turns::join);
    async move {
        turn.begun().await;
        let outcome = within(LIMIT_MS, on_storage(&action)).await;
        outcome.unwrap_or_else(|| {
            database::forget();
            Err(Failed)
        })
    }
}

/// Does it on the connection, and if that fails once more on a new one: WebKit loses its connection to the
/// storage while a page sleeps.
async fn on_storage(action: &Action) -> Result<Vec<Found>, Failed> {
    let mut is_retry = false;
    loop {
        let storage = database::ready().await?;
        let outcome = attempt(&storage, action).await;
        if outcome.is_ok() {
            return outcome;
        }
        database::forget();
        if std::mem::replace(&mut is_retry, true) {
            return outcome;
        }
    }
}

async fn attempt(storage: &Storage, action: &Action) -> Result<Vec<Found>, Failed> {
    match action {
        Action::Read(range) => rows(storage, &keys(range)?, u32::MAX).await,
        Action::First(scope, count) => rows(storage, &scoped(scope)?, *count).await,
        Action::Ids(scope) => {
            let transaction = begin(storage, IdbTransactionMode::Readonly)?;
            let request = transaction.store().get_all_keys_with_key(&scoped(scope)?)?;
            let ids: Array = transaction.result(&request).await?.unchecked_into();
            Ok(ids.iter().map(|id| Found::id(&id)).collect())
        }
        Action::Ends(scope) => ends(storage, scope).await,
        Action::Write { id, text } => put(storage, None, id, text).await,
        Action::Move { from, id, text } => put(storage, Some(from), id, text).await,
        Action::Erase(range) => {
            let transaction = begin(storage, IdbTransactionMode::Readwrite)?;
            transaction.store().delete(&keys(range)?)?;
            transaction.complete().await?;
            Ok(Vec::new())
        }
    }
}

fn begin(storage: &Storage, mode: IdbTransactionMode) -> Result<Transaction, Failed> {
    storage.database.transaction(ENTRIES, mode)
}

/// At most so many rows, opened.
async fn rows(storage: &Storage, keys: &JsValue, most: u32) -> Result<Vec<Found>, Failed> {
    let transaction = begin(storage, IdbTransactionMode::Readonly)?;
    let store = transaction.store();
    let request = store.get_all_with_key_and_limit(keys, most)?;
    let rows: Array = transaction.result(&request).await?.unchecked_into();
    let mut found = Vec::new();
    for row in rows {
        found.push(seal::opened(&storage.key, row.unchecked_ref()).await);
    }
    Ok(found)
}

async fn ends(storage: &Storage, scope: &str) -> Result<Vec<Found>, Failed> {
    let transaction = begin(storage, IdbTransactionMode::Readonly)?;
    let (store, keys) = (transaction.store(), scoped(scope)?);
    let first = store.get_all_keys_with_key_and_limit(&keys, 1)?;
    let last = store.open_key_cursor_with_range_and_direction(&keys, IdbCursorDirection::Prev)?;
    transaction.complete().await?;
    let first: Array = first.result()?.unchecked_into();
    let Ok(cursor) = last.result()?.dyn_into::<IdbCursor>() else {
        return Ok(Vec::new());
    };
    Ok(vec![Found::id(&first.get(0)), Found::id(&cursor.key()?)])
}

async fn put(
    storage: &Storage,
    from: Option<&String>,
    id: &str,
    text: &str,
) -> Result<Vec<Found>, Failed> {
    // Before the transaction, which would end while waiting for it. The key is the one of this very database.
    let row = seal::sealed(&storage.key, id, text).await?;
    let transaction = begin(storage, IdbTransactionMode::Readwrite)?;
    if let Some(from) = from {
        transaction.store().delete(&from.into())?;
    }
    transaction.store().put(&row)?;
    transaction.complete().await?;
    Ok(Vec::new())
}

fn keys(range: &Range) -> Result<JsValue, Failed> {
    match range {
        Range::One(id) => Ok(IdbKeyRange::only(&id.into())?.into()),
        Range::Scope(scope) => scoped(scope),
    }
}

/// The ids that begin so.
fn scoped(scope: &str) -> Result<JsValue, Failed> {
    let end = [scope, "\u{ffff}"].concat();
    Ok(IdbKeyRange::bound(&scope.into(), &end.into())?.into())
}

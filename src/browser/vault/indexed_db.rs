//! The entries in IndexedDB, sealed. One operation after the other: a read sees what was written before it, though
//! nobody waited for that.

use super::connection::{self, Connection, ENTRIES};
use super::request::Transaction;
use super::seal;
use super::turn::{Queue, within};
use super::{Failed, Found, Range, Work};
use js_sys::Array;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{IdbCursor, IdbCursorDirection, IdbKeyRange, IdbTransactionMode};

/// A storage that another page blocks answers when that page is gone.
const LIMIT_MS: f64 = 10_000.0;

thread_local! {
    static OPERATIONS: Rc<Queue> = Rc::default();
}

/// Does the work. It takes its place at once, waits for its turn, and then ends after 10 s: whoever waited goes on
/// without it, so its transaction must not happen later, over what is written then.
pub fn perform(work: Work) -> impl Future<Output = Result<Vec<Found>, Failed>> + use<> {
    let place = OPERATIONS.with(Queue::join);
    async move {
        place.turn().await;
        let outcome = within(LIMIT_MS, connected(&work)).await;
        outcome.unwrap_or_else(|| {
            connection::forget();
            Err(Failed)
        })
    }
}

/// Does the work on the connection, and if that fails once more on a new one: WebKit loses its connection to the
/// storage while a page sleeps.
async fn connected(work: &Work) -> Result<Vec<Found>, Failed> {
    let mut is_retry = false;
    loop {
        let connection = connection::ready().await?;
        let outcome = attempt(&connection, work).await;
        if outcome.is_ok() {
            return outcome;
        }
        connection::forget();
        if std::mem::replace(&mut is_retry, true) {
            return outcome;
        }
    }
}

async fn attempt(connection: &Connection, work: &Work) -> Result<Vec<Found>, Failed> {
    match work {
        Work::Read(range) => rows(connection, &keys(range)?, u32::MAX).await,
        Work::First(scope, count) => rows(connection, &scoped(scope)?, *count).await,
        Work::Ids(scope) => {
            let transaction = begin(connection, IdbTransactionMode::Readonly)?;
            let request = transaction.store().get_all_keys_with_key(&scoped(scope)?)?;
            let ids: Array = transaction.result(&request).await?.unchecked_into();
            Ok(ids.iter().map(|id| Found::id(&id)).collect())
        }
        Work::Ends(scope) => ends(connection, scope).await,
        Work::Write { id, text } => put(connection, None, id, text).await,
        Work::Move { from, id, text } => put(connection, Some(from), id, text).await,
        Work::Erase(range) => {
            let transaction = begin(connection, IdbTransactionMode::Readwrite)?;
            transaction.store().delete(&keys(range)?)?;
            transaction.complete().await?;
            Ok(Vec::new())
        }
    }
}

fn begin(connection: &Connection, mode: IdbTransactionMode) -> Result<Transaction, Failed> {
    connection.database.transaction(ENTRIES, mode)
}

/// At most so many rows, opened.
async fn rows(connection: &Connection, keys: &JsValue, most: u32) -> Result<Vec<Found>, Failed> {
    let transaction = begin(connection, IdbTransactionMode::Readonly)?;
    let store = transaction.store();
    let request = store.get_all_with_key_and_limit(keys, most)?;
    let rows: Array = transaction.result(&request).await?.unchecked_into();
    let mut found = Vec::new();
    for row in rows {
        found.push(seal::opened(&connection.key, row.unchecked_ref()).await);
    }
    Ok(found)
}

async fn ends(connection: &Connection, scope: &str) -> Result<Vec<Found>, Failed> {
    let transaction = begin(connection, IdbTransactionMode::Readonly)?;
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
    connection: &Connection,
    from: Option<&String>,
    id: &str,
    text: &str,
) -> Result<Vec<Found>, Failed> {
    // Before the transaction, which would end while waiting for it. The key is the one of this very database.
    let row = seal::sealed(&connection.key, id, text).await?;
    let transaction = begin(connection, IdbTransactionMode::Readwrite)?;
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

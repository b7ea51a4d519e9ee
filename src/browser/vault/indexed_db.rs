//! The entries in IndexedDB, sealed. One operation after the other: a read sees what was written before it, though
//! nobody waited for that.

use super::connection::{self, Connection, ENTRIES};
use super::seal;
use super::turn::{Queue, within};
use super::{Failed, Found};
use js_sys::Array;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{IdbKeyRange, IdbTransactionMode};

/// A storage that another page blocks answers when that page is gone.
const LIMIT_MS: f64 = 10_000.0;

thread_local! {
    static OPERATIONS: Rc<Queue> = Rc::default();
}

/// Reads one entry.
pub fn read(id: &str) -> impl Future<Output = Result<Found, Failed>> + use<> {
    let id = JsValue::from(id);
    in_turn(connected(async move |connection| {
        let reading = connection
            .database
            .transaction(ENTRIES, IdbTransactionMode::Readonly)?;
        let request = reading.store().get(&id)?;
        let row = reading.result(&request).await?;
        Ok(seal::opened(&connection.key, row).await)
    }))
}

/// Writes one entry, durably.
pub fn write(id: &str, text: String) -> impl Future<Output = Result<(), Failed>> + use<> {
    let id = id.to_owned();
    in_turn(connected(async move |connection| {
        // Before the transaction, which would end while waiting for it. The key is the one of this very database.
        let row = seal::sealed(&connection.key, &id, &text).await?;
        let writing = connection
            .database
            .transaction(ENTRIES, IdbTransactionMode::Readwrite)?;
        writing.store().put(&row)?;
        writing.complete().await
    }))
}

/// All texts whose ids begin with `scope`, if they can be read.
pub fn list(scope: &str) -> impl Future<Output = Result<Vec<String>, Failed>> + use<> {
    let scope = scope.to_owned();
    in_turn(connected(async move |connection| {
        let reading = connection
            .database
            .transaction(ENTRIES, IdbTransactionMode::Readonly)?;
        let request = reading.store().get_all_with_key(&range(&scope)?)?;
        let rows: Array = reading.result(&request).await?.unchecked_into();
        let mut texts = Vec::new();
        for row in rows {
            if let Found::Text(text) = seal::opened(&connection.key, row).await {
                texts.push(text);
            }
        }
        Ok(texts)
    }))
}

/// All ids that begin with `scope`.
pub fn ids(scope: &str) -> impl Future<Output = Result<Vec<String>, Failed>> + use<> {
    let scope = scope.to_owned();
    in_turn(connected(async move |connection| {
        let reading = connection
            .database
            .transaction(ENTRIES, IdbTransactionMode::Readonly)?;
        let request = reading.store().get_all_keys_with_key(&range(&scope)?)?;
        let ids: Array = reading.result(&request).await?.unchecked_into();
        Ok(ids.iter().filter_map(|id| id.as_string()).collect())
    }))
}

/// Erases one entry.
pub fn erase(id: &str) -> impl Future<Output = Result<(), Failed>> + use<> {
    let id = id.to_owned();
    in_turn(connected(async move |connection| {
        erase_in(connection, &JsValue::from(&id)).await
    }))
}

/// Erases all entries whose ids begin with `scope`.
pub fn erase_all(scope: &str) -> impl Future<Output = Result<(), Failed>> + use<> {
    let scope = scope.to_owned();
    in_turn(connected(async move |connection| {
        erase_in(connection, &range(&scope)?).await
    }))
}

async fn erase_in(connection: &Connection, which: &JsValue) -> Result<(), Failed> {
    let erasing = connection
        .database
        .transaction(ENTRIES, IdbTransactionMode::Readwrite)?;
    erasing.store().delete(which)?;
    erasing.complete().await
}

fn range(scope: &str) -> Result<JsValue, Failed> {
    let end = [scope, "\u{ffff}"].concat();
    Ok(IdbKeyRange::bound(&scope.into(), &end.into())?.into())
}

/// Takes a place at once; waits for the turn, and then for the work, which ends after 10 s: whoever waited goes on
/// without it, so its transaction must not happen later, over what is written then.
fn in_turn<T>(
    work: impl Future<Output = Result<T, Failed>>,
) -> impl Future<Output = Result<T, Failed>> {
    let place = OPERATIONS.with(Queue::join);
    async move {
        place.turn().await;
        let outcome = within(LIMIT_MS, work).await;
        outcome.unwrap_or_else(|| {
            connection::forget();
            Err(Failed)
        })
    }
}

/// Does the work on the connection, and if that fails once more on a new one: WebKit loses its connection to the
/// storage while a page sleeps.
async fn connected<T>(work: impl AsyncFn(&Connection) -> Result<T, Failed>) -> Result<T, Failed> {
    match attempt(&work).await {
        Err(Attempt::Work) => attempt(&work).await.map_err(|_| Failed),
        outcome => outcome.map_err(|_| Failed),
    }
}

/// What an attempt failed at.
enum Attempt {
    Opening,
    Work,
}

async fn attempt<T>(work: &impl AsyncFn(&Connection) -> Result<T, Failed>) -> Result<T, Attempt> {
    let connection = connection::ready().await.map_err(|_| Attempt::Opening)?;
    work(&connection).await.map_err(|_| {
        connection::forget();
        Attempt::Work
    })
}

//! The entries in IndexedDB, sealed. One operation after the other: a read sees what was written before it, though
//! nobody waited for that.

use super::connection::{self, Connection, ENTRIES};
use super::seal;
use super::turn::{Queue, within};
use super::{Failed, Found, Range, Work};
use js_sys::Array;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{IdbKeyRange, IdbTransactionMode};

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
    // Before the transaction, which would end while waiting for it. The key is the one of this very database.
    let row = match work {
        Work::Write { id, text } => Some(seal::sealed(&connection.key, id, text).await?),
        Work::Read(_) | Work::Erase(_) => None,
    };
    let mode = match work {
        Work::Read(_) => IdbTransactionMode::Readonly,
        Work::Write { .. } | Work::Erase(_) => IdbTransactionMode::Readwrite,
    };
    let transaction = connection.database.transaction(ENTRIES, mode)?;
    let store = transaction.store();
    let request = match (work, &row) {
        (Work::Read(range), _) => store.get_all_with_key(&keys(range)?)?,
        (Work::Erase(range), _) => store.delete(&keys(range)?)?,
        (Work::Write { .. }, row) => store.put(row.as_ref().ok_or(Failed)?)?,
    };
    let result = transaction.result(&request).await?;
    let mut found = Vec::new();
    if let Work::Read(_) = work {
        for row in result.unchecked_into::<Array>() {
            found.push(seal::opened(&connection.key, row.unchecked_ref()).await);
        }
    }
    Ok(found)
}

fn keys(range: &Range) -> Result<JsValue, Failed> {
    let keys = match range {
        Range::One(id) => IdbKeyRange::only(&id.into())?,
        Range::Scope(scope) => {
            let end = [scope, "\u{ffff}"].concat();
            IdbKeyRange::bound(&scope.into(), &end.into())?
        }
    };
    Ok(keys.into())
}

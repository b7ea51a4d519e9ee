//! Orders: one row for each external id of a vendor in a store.

use super::repeatable::{Answered, Repeatable, Scope};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::{self, Purpose};
use crate::token::Hash;
use pos_connect_foundation::seal::Sealer;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::order::{Order, OrderResponse};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

/// An order as it is stored.
struct StoredOrder {
    fingerprint: Hash,
    sealed: Vec<u8>,
    received_at: Timestamp,
}

impl Store {
    /// Accepts an order, once: the same order again gets the same answer, with or without an `Idempotency-Key`.
    pub async fn accept_order(
        &self,
        order: Order,
        call: Repeatable,
    ) -> Result<Answered, StoreError> {
        self.once(call, move |transaction, sealer, scope| {
            accept(transaction, sealer, scope, order)
        })
        .await
    }

    /// The order of an external id.
    pub fn order(
        &self,
        vendor: i64,
        store: i64,
        external_id: &str,
    ) -> Result<Option<OrderResponse>, StoreError> {
        let row = row_of(&self.sealer, vendor, store, external_id);
        let found = self.read(|connection| find(connection, &row))?;
        found
            .map(|stored| response(&self.sealer, &row, &stored))
            .transpose()
    }
}

fn accept(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    scope: Scope,
    order: Order,
) -> Result<Answered, StoreError> {
    let row = row_of(sealer, scope.vendor, scope.store, &order.external_id);
    let content = json(&order)?;
    let fingerprint = sealer.fingerprint(Purpose::Order, &content);
    if let Some(stored) = find(transaction, &row)? {
        return match stored.fingerprint.matches(&fingerprint) {
            true => Ok(Answered::Replayed(json(&response(sealer, &row, &stored)?)?)),
            false => Ok(Answered::Refused(
                ProblemCode::OrderExists,
                Some("/externalId".into()),
            )),
        };
    }
    let sealed = sealer.seal(Purpose::Order, &row, &content)?;
    let sql =
        "INSERT INTO store_order (hash, vendor_id, store_id, fingerprint, sealed, received_at)
               VALUES (?, ?, ?, ?, ?, ?)";
    let values = params![
        row,
        scope.vendor,
        scope.store,
        fingerprint,
        sealed,
        scope.now
    ];
    transaction.prepare_cached(sql)?.execute(values)?;
    let answer = OrderResponse {
        success: true,
        order,
        received_at: scope.now.to_string(),
    };
    Ok(Answered::Done(json(&answer)?))
}

fn row_of(sealer: &Sealer, vendor: i64, store: i64, external_id: &str) -> Hash {
    seal::row(sealer, Purpose::Order, vendor, store, &[external_id])
}

fn find(connection: &Connection, row: &Hash) -> rusqlite::Result<Option<StoredOrder>> {
    let sql = "SELECT fingerprint, sealed, received_at FROM store_order WHERE hash = ?";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(StoredOrder {
            fingerprint: row.get(0)?,
            sealed: row.get(1)?,
            received_at: row.get(2)?,
        })
    };
    connection
        .prepare_cached(sql)?
        .query_row([row], read)
        .optional()
}

fn response(
    sealer: &Sealer,
    row: &Hash,
    stored: &StoredOrder,
) -> Result<OrderResponse, StoreError> {
    let content = sealer.open(Purpose::Order, row, &stored.sealed)?;
    let order = serde_json::from_slice(&content);
    Ok(OrderResponse {
        success: true,
        order: order.map_err(|_| StoreError::Fault("a stored order cannot be read".into()))?,
        received_at: stored.received_at.to_string(),
    })
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|error| StoreError::Fault(error.to_string()))
}

//! Tills: who may call.

use super::audit::Record;
use super::{Actor, Store, StoreError};
use pos_connect_foundation::clock::{Timestamp, days};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use std::time::Duration;

/// How long a request that added a till is answered alike, as at the service.
const REPEATED_FOR: Duration = days(2);

/// A till that proved itself, or is about to.
#[derive(Clone, Debug)]
pub struct Till {
    /// What the log and `till list` call it; nothing to guess the key by.
    pub label: String,
    /// Hash of its key.
    pub key: Hash,
    /// Whose till it is.
    pub merchant: String,
    /// Name for people.
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// Whether its key was taken from it.
    pub revoked: bool,
}

/// A request of a vendor's server that adds a till, as it is kept for the same answer.
#[derive(Clone)]
pub struct TillRequest {
    /// Hash of the fleet key's label and the `Idempotency-Key`.
    pub hash: Hash,
    /// Label of the fleet key.
    pub fleet_key: String,
    /// The till's key.
    pub sealed_key: Vec<u8>,
}

/// What came of a till that was to be added.
pub enum Addition {
    /// It is there.
    New,
    /// The same request has added this one before, with this key; with none if the till is revoked.
    Repeated(Till, Vec<u8>),
    /// Nothing: the fleet key is revoked.
    Revoked,
    /// Nothing: another till's hash begins alike.
    LabelTaken,
}

/// What came of a till that was to be revoked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Revocation {
    /// It is revoked, now or before.
    Done,
    /// Nothing: there is no such till.
    Unknown,
    /// Nothing: the fleet key is revoked.
    Refused,
}

/// Which tills are asked for.
#[derive(Clone, Debug)]
pub struct TillQuery {
    /// Only this merchant's.
    pub merchant: Option<String>,
    /// Only those after this one, by age and label.
    pub after: (Timestamp, String),
    /// At most so many.
    pub limit: u32,
}

impl Default for TillQuery {
    fn default() -> Self {
        Self {
            merchant: None,
            after: (Timestamp(i64::MIN), String::new()),
            limit: u32::MAX,
        }
    }
}

const TILL: &str =
    "SELECT label, key_hash, merchant, name, created_at, revoked_at IS NOT NULL FROM till";

fn read(row: &Row<'_>) -> Result<Till, StoreError> {
    Ok(Till {
        label: row.get(0)?,
        key: row.get(1)?,
        merchant: row.get(2)?,
        name: row.get(3)?,
        created_at: row.get(4)?,
        revoked: row.get(5)?,
    })
}

impl Store {
    /// Adds a till: for the operator, or for a request of the vendor's server.
    pub async fn add_till(
        &self,
        till: Till,
        request: Option<TillRequest>,
    ) -> Result<Addition, StoreError> {
        let add = move |transaction: &Transaction<'_>| {
            let now = till.created_at;
            if let Some(request) = &request
                && let Some(answered) = answered(transaction, request, now)?
            {
                return Ok(answered);
            }
            let fleet_key = request.as_ref().map(|request| request.fleet_key.clone());
            let sql = "INSERT INTO till (label, key_hash, merchant, name, created_at, fleet_key)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
            let row = values![
                till.label,
                till.key,
                till.merchant,
                till.name,
                now,
                fleet_key
            ];
            if transaction.execute(sql, row)? == 0 {
                return Ok(Addition::LabelTaken);
            }
            let mut actor = Actor::Operator;
            if let Some(request) = &request {
                let sql = "INSERT INTO till_request (hash, till, sealed_key, created_at) VALUES (?1, ?2, ?3, ?4)";
                let row = values![request.hash, till.label, request.sealed_key, now];
                transaction.execute(sql, row)?;
                actor = Actor::FleetKey(request.fleet_key.clone());
            }
            let note = Record::new("till.added", &actor, now).of(&till.merchant);
            note.about(&till.label).write(transaction)?;
            Ok(Addition::New)
        };
        self.database.write(add).await
    }

    /// The till with a label, revoked ones too.
    pub async fn till(&self, label: &str) -> Result<Option<Till>, StoreError> {
        let sql = format!("{TILL} WHERE label = ?1");
        self.database.row(&sql, values![label], read).await
    }

    /// Tills, oldest first.
    pub async fn tills(&self, query: TillQuery) -> Result<Vec<Till>, StoreError> {
        let (at, label) = query.after;
        let mut values = values![at, label, query.limit];
        let mut sql = format!("{TILL} WHERE (created_at, label) > (?1, ?2)");
        if let Some(merchant) = query.merchant {
            sql += " AND merchant = ?4";
            values.extend(values![merchant]);
        }
        sql += " ORDER BY created_at, label LIMIT ?3";
        self.database.rows(&sql, values, read).await
    }

    /// Refuses a till from now on, and erases its key that was kept for a repeated request.
    pub async fn revoke_till(
        &self,
        label: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<Revocation, StoreError> {
        let (label, by) = (label.to_owned(), by.clone());
        let revoke = move |transaction: &Transaction<'_>| {
            if let Actor::FleetKey(fleet_key) = &by
                && !is_enabled(transaction, fleet_key)?
            {
                return Ok(Revocation::Refused);
            }
            let sql = "SELECT merchant FROM till WHERE label = ?1";
            let merchant = transaction.row(sql, values![label], |row| row.get::<String>(0))?;
            let Some(merchant) = merchant else {
                return Ok(Revocation::Unknown);
            };
            let sql = "UPDATE till SET revoked_at = ?2 WHERE label = ?1 AND revoked_at IS NULL";
            if transaction.execute(sql, values![label, now])? > 0 {
                let note = Record::new("till.revoked", &by, now).of(&merchant);
                note.about(&label).write(transaction)?;
            }
            // The row stays: without it the request would add another till.
            let sql = "UPDATE till_request SET sealed_key = ?2 WHERE till = ?1";
            transaction.execute(sql, values![label, Vec::<u8>::new()])?;
            Ok(Revocation::Done)
        };
        self.database.write(revoke).await
    }

    /// Erases the keys of tills whose requests are not repeated any more.
    pub async fn forget_till_requests(&self, now: Timestamp) -> Result<usize, StoreError> {
        let sql = "DELETE FROM till_request WHERE created_at < ?1";
        self.change(sql, values![now.before(REPEATED_FOR)]).await
    }
}

/// Whether a fleet key may act, asked in the transaction of what it does.
fn is_enabled(transaction: &Transaction<'_>, fleet_key: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM fleet_key WHERE label = ?1 AND revoked_at IS NULL";
    transaction.exists(sql, values![fleet_key])
}

/// What a request is answered without adding a till. In the same transaction, so that a key which is revoked while a
/// body is still on its way adds none.
fn answered(
    transaction: &Transaction<'_>,
    request: &TillRequest,
    now: Timestamp,
) -> Result<Option<Addition>, StoreError> {
    if !is_enabled(transaction, &request.fleet_key)? {
        return Ok(Some(Addition::Revoked));
    }
    let sql = "DELETE FROM till_request WHERE hash = ?1 AND created_at < ?2";
    transaction.execute(sql, values![request.hash, now.before(REPEATED_FOR)])?;
    let sql = "SELECT label, key_hash, merchant, name, till.created_at, revoked_at IS NOT NULL, sealed_key
               FROM till_request JOIN till ON till.label = till_request.till WHERE hash = ?1";
    let read = |row: &Row<'_>| Ok(Addition::Repeated(read(row)?, row.get(6)?));
    transaction.row(sql, values![request.hash], read)
}

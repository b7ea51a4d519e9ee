//! Calls that can be repeated: the same `Idempotency-Key` and body get the same answer, and are done once.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::{self, Purpose};
use crate::token::Hash;
use pos_connect_foundation::seal::Sealer;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::body::BodyFault;
use rusqlite::{OptionalExtension, Transaction, params};
use std::time::Duration;

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(48 * 60 * 60);
/// Old answers that each call removes: more than one call adds, so that they never pile up.
const REMOVED: u32 = 4;

/// For whom a call is made, and when.
#[derive(Clone, Copy)]
pub struct Scope {
    /// Row number of the vendor.
    pub vendor: i64,
    /// Row number of the store.
    pub store: i64,
    /// The moment of the call.
    pub now: Timestamp,
}

/// What tells a repeated call from a new one.
pub struct Repeatable {
    /// For whom.
    pub scope: Scope,
    /// Which operation: one key may serve several.
    pub operation: &'static str,
    /// The `Idempotency-Key`, if there was one.
    pub key: Option<String>,
    /// What was sent, in one form for all ways of writing it.
    pub body: Vec<u8>,
}

/// What a call comes to.
pub enum Answered {
    /// It was done now: the answer's body.
    Done(Vec<u8>),
    /// It was done before: the answer that it got then.
    Replayed(Vec<u8>),
    /// Nothing was done, and nothing is kept: the next call may be another.
    Refused(ProblemCode, Option<String>),
}

impl From<BodyFault> for Answered {
    fn from(fault: BodyFault) -> Self {
        Self::Refused(fault.code, Some(fault.pointer))
    }
}

impl Store {
    /// Runs `work` in a transaction, unless the call was answered before.
    pub(super) async fn once<W>(&self, call: Repeatable, work: W) -> Result<Answered, StoreError>
    where
        W: FnOnce(&Transaction<'_>, &Sealer, Scope) -> Result<Answered, StoreError>
            + Send
            + 'static,
    {
        let sealer = self.sealer.clone();
        let Repeatable {
            scope,
            operation,
            key,
            body,
        } = call;
        let names = |key: String| {
            seal::row(
                &sealer,
                Purpose::Answer,
                scope.vendor,
                scope.store,
                &[operation, &key],
            )
        };
        let row = key.map(names);
        let fingerprint = sealer.fingerprint(Purpose::Body, &body);
        self.write(move |transaction| {
            let Some(row) = row else {
                return work(transaction, &sealer, scope);
            };
            if let Some(answered) =
                answered_before(transaction, &sealer, &row, &fingerprint, scope.now)?
            {
                return Ok(answered);
            }
            let answered = work(transaction, &sealer, scope)?;
            if let Answered::Done(answer) | Answered::Replayed(answer) = &answered {
                keep(transaction, &sealer, &row, &fingerprint, answer, scope.now)?;
            }
            Ok(answered)
        })
        .await
    }
}

fn answered_before(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    row: &Hash,
    fingerprint: &Hash,
    now: Timestamp,
) -> Result<Option<Answered>, StoreError> {
    let sql = "SELECT fingerprint, sealed_answer FROM repeatable_call WHERE hash = ?1 AND kept_until > ?2";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let found: Option<(Hash, Vec<u8>)> = transaction
        .prepare_cached(sql)?
        .query_row(params![row, now], read)
        .optional()?;
    let Some((body, sealed)) = found else {
        return Ok(None);
    };
    if !body.matches(fingerprint) {
        return Ok(Some(Answered::Refused(
            ProblemCode::IdempotencyKeyReused,
            None,
        )));
    }
    let answer = sealer.open(Purpose::Answer, row, &sealed)?;
    Ok(Some(Answered::Replayed(answer)))
}

fn keep(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    row: &Hash,
    fingerprint: &Hash,
    answer: &[u8],
    now: Timestamp,
) -> Result<(), StoreError> {
    let sealed = sealer.seal(Purpose::Answer, row, answer)?;
    // In the place of one that is over, if there is one.
    let sql = "INSERT OR REPLACE INTO repeatable_call (hash, fingerprint, sealed_answer, kept_until) VALUES (?, ?, ?, ?)";
    transaction
        .prepare_cached(sql)?
        .execute(params![row, fingerprint, sealed, now.after(KEPT)])?;
    let sql = "DELETE FROM repeatable_call WHERE id IN
               (SELECT id FROM repeatable_call WHERE kept_until <= ?1 ORDER BY kept_until LIMIT ?2)";
    transaction
        .prepare_cached(sql)?
        .execute(params![now, REMOVED])?;
    Ok(())
}

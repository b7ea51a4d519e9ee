//! Calls that can be repeated: the same `Idempotency-Key` and body get the same answer, and are done once.

use super::{Growth, Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::{self, Purpose};
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::refusal::Refusal;
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use pos_connect_protocol::ProblemCode;
use std::time::Duration;

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(48 * 60 * 60);

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
    /// The till that calls, if it is told apart from the store's others: each has its own keys.
    pub till: Option<String>,
    /// The `Idempotency-Key`, if there was one.
    pub key: Option<String>,
    /// What was sent, in one form for all ways of writing it.
    pub body: Vec<u8>,
}

/// What a call comes to.
pub enum Answered {
    /// It was done now: the answer's body, and what it has added.
    Done(Vec<u8>, Growth),
    /// It was done before: the answer that it got then. What is kept for another key is added.
    Replayed(Vec<u8>, Growth),
    /// Nothing was done, and nothing is kept: the next call may be another.
    Refused(Refusal<ProblemCode>),
}

impl Store {
    /// Runs `work` in a transaction, unless the call was answered before.
    pub(super) async fn once<W>(&self, call: Repeatable, work: W) -> Result<Answered, StoreError>
    where
        W: Fn(&Transaction<'_>, &Sealer, Scope) -> Result<Answered, StoreError> + Send + 'static,
    {
        let sealer = self.sealer.clone();
        let Repeatable {
            scope,
            operation,
            till,
            key,
            body,
        } = call;
        let row = key.map(|key| {
            let names: Vec<&str> = [operation, &key]
                .into_iter()
                .chain(till.as_deref())
                .collect();
            seal::row(&sealer, Purpose::Answer, scope.vendor, scope.store, &names)
        });
        let fingerprint = sealer.fingerprint(Purpose::Body, &body);
        self.write(move |transaction| {
            let Some(row) = &row else {
                return work(transaction, &sealer, scope);
            };
            if let Some(answered) =
                answered_before(transaction, &sealer, row, &fingerprint, scope.now)?
            {
                return Ok(answered);
            }
            let mut answered = work(transaction, &sealer, scope)?;
            if let Answered::Done(answer, grown) | Answered::Replayed(answer, grown) = &mut answered
            {
                let length = keep(transaction, &sealer, row, &fingerprint, answer, scope.now)?;
                grown.write(length);
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
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let found: Option<(Hash, Vec<u8>)> = transaction.row(sql, values![row, now], read)?;
    let Some((body, sealed)) = found else {
        return Ok(None);
    };
    if !body.matches(fingerprint) {
        let reused = ProblemCode::IdempotencyKeyReused;
        return Ok(Some(Answered::Refused(reused.into())));
    }
    let answer = sealer.open(Purpose::Answer, row, &sealed)?;
    Ok(Some(Answered::Replayed(answer, Growth::default())))
}

/// Gives the length of what is kept.
fn keep(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    row: &Hash,
    fingerprint: &Hash,
    answer: &[u8],
    now: Timestamp,
) -> Result<usize, StoreError> {
    let sealed = sealer.seal(Purpose::Answer, row, answer)?;
    let length = sealed.len();
    // In the place of one that is over, if there is one.
    let sql = "INSERT INTO repeatable_call (hash, fingerprint, sealed_answer, kept_until) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (hash) DO UPDATE SET fingerprint = excluded.fingerprint,
                 sealed_answer = excluded.sealed_answer, kept_until = excluded.kept_until";
    transaction.execute(sql, values![row, fingerprint, sealed, now.after(KEPT)])?;
    Ok(length)
}

//! Token sets that the operator ends: those of a vendor, an account, a store.

use super::account::{NAMED, named, release};
use super::audit::{Act, record};
use super::event::{EventKind, add_events};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::values;
use rusqlite::types::Value;

/// Whose token sets; what is not given does not matter.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// A vendor's `clientId`.
    pub vendor: Option<String>,
    /// An account's email address or public id.
    pub account: Option<String>,
    /// A store's public id.
    pub store: Option<String>,
}

/// The integrations of a scope.
const INTEGRATIONS: &str = "SELECT i.hash FROM integration i JOIN vendor v ON v.id = i.vendor_id
     JOIN account a ON a.id = i.owner_id JOIN store s ON s.id = i.store_id
     WHERE coalesce(v.client_id = ?2, TRUE) AND (a.email = ?3 OR a.public_id = ?3 OR ?3 IS NULL)
       AND coalesce(s.public_id = ?4, TRUE)";

impl Store {
    /// Ends every token set of a scope, and those that still wait to be picked up; says how many.
    /// `Err` names what of the scope is not there.
    pub async fn revoke_all(
        &self,
        scope: Scope,
        now: Timestamp,
    ) -> Result<Result<usize, &'static str>, StoreError> {
        self.write(move |transaction| {
            let account = scope.account.as_deref().map(named);
            let by_name = format!("SELECT 1 FROM account WHERE {NAMED}");
            let named = [
                (
                    "vendor",
                    "SELECT 1 FROM vendor WHERE client_id = ?1",
                    &scope.vendor,
                ),
                ("account", &by_name, &account),
                (
                    "store",
                    "SELECT 1 FROM store WHERE public_id = ?1",
                    &scope.store,
                ),
            ];
            for (noun, sql, name) in named {
                if name.is_some() && !transaction.exists(sql, values![name])? {
                    return Ok(Err(noun));
                }
            }
            if let Some(account) = &account {
                // Who has signed in and not decided yet would connect right after.
                release(transaction, account)?;
            }
            let values = values![now, scope.vendor, account, scope.store];
            let ended = end_all(transaction, values, now)?;
            let parts = [&scope.vendor, &scope.account, &scope.store];
            let subject: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
            let act = Act::operator(now);
            record(
                transaction,
                "token_sets.revoked",
                Some(&subject.join(" ")),
                &act,
            )?;
            Ok(Ok(ended))
        })
        .await
    }
}

fn end_all(
    transaction: &Transaction<'_>,
    values: Vec<Value>,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let held = format!(
        "UPDATE token_set SET revoked_at = ?1, used_at = coalesce(used_at, ?1)
         WHERE revoked_at IS NULL AND integration_hash IN ({INTEGRATIONS}) RETURNING integration_hash"
    );
    let waiting = format!(
        "UPDATE integration SET pickup_until = ?1
         WHERE claimed_at IS NULL AND pickup_until > ?1 AND hash IN ({INTEGRATIONS}) RETURNING hash"
    );
    let mut ended: Vec<Hash> = transaction.rows(&held, values.clone(), |row| row.get(0))?;
    ended.extend(transaction.rows(&waiting, values, |row| row.get::<Hash>(0))?);
    add_events(transaction, &ended, EventKind::Revoked("operator"), now)?;
    Ok(ended.len())
}

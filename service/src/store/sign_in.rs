//! How often passwords were tried, and where each account was signed in to from.

use super::account::is_current;
use super::audit::{Act, Actor, record};
use super::budget::spend;
use super::event::places;
use super::mode::read_any_mode;
use super::provider::purge_logins;
use super::second_step::purge_second_steps;
use super::{Store, StoreError};
use crate::clock::{Timestamp, days};
use crate::limit::{Budget, micros};
use crate::sign_in::{BudgetChange, Tried};
use crate::token::Hash;
use pos_connect_foundation::database::{Bind, Row, Transaction};
use pos_connect_foundation::metrics;
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use std::collections::HashMap;
use std::time::Duration;

/// How long an address that is not used stays familiar.
const FAMILIAR_FOR: Duration = days(90);
const FAMILIAR: &str =
    "SELECT 1 FROM familiar_address WHERE account_id = ?1 AND address = ?2 AND seen_at > ?3";
/// Rows of the audit about nobody's account: a burst of so many, and one more for each time that passes.
const UNKNOWN: (u32, Duration) = (500, Duration::from_secs(60));
/// The event of a sign-in that failed, in the audit.
const FAILED: &str = "sign_in.failed";
/// The event of a sign-in that came to its end.
pub(super) const SUCCEEDED: &str = "sign_in.succeeded";
/// The event of a right password, where a code is asked for, too.
const CODE_ASKED: &str = "sign_in.code_asked";

/// What is known of the account after an attempt.
#[derive(Debug, Default)]
pub struct Kept {
    /// Its public id, if there is one.
    pub account: Option<String>,
    /// Whether it asks for a code, too.
    pub awaits_code: bool,
}

impl Store {
    /// When budgets are full again, in microseconds since 1970; those of which nothing is spent are left out.
    pub async fn budgets(&self, keys: &[Hash]) -> Result<HashMap<Hash, i64>, StoreError> {
        let places = places(1, keys.len());
        let sql = format!("SELECT key, full_at FROM sign_in_budget WHERE key IN ({places})");
        let values = keys.iter().map(Bind::bind).collect();
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        Ok(self.rows(&sql, values, read).await?.into_iter().collect())
    }

    /// Changes budgets as an attempt wants it, notes it in the audit, and keeps, after a success, where the account was
    /// signed in to from: not before the code, if it asks for one.
    pub async fn keep_budgets(
        &self,
        changes: Vec<BudgetChange>,
        tried: Tried,
        now: Timestamp,
    ) -> Result<Kept, StoreError> {
        self.write(move |transaction| {
            let get = "SELECT full_at FROM sign_in_budget WHERE key = ?1";
            let put = "INSERT INTO sign_in_budget (key, full_at) VALUES (?1, ?2)
                 ON CONFLICT (key) DO UPDATE SET full_at = excluded.full_at";
            for change in &changes {
                // Another service may have spent of it meanwhile.
                let stored = transaction.row(get, values![change.key], |row| row.get(0))?;
                let full_at = change.after(stored.unwrap_or(micros(now)), micros(now));
                transaction.execute(put, values![change.key, full_at])?;
            }
            let kept = note(transaction, &tried, now)?;
            let success = tried.owner.filter(|_| tried.is_right && !kept.awaits_code);
            if let Some((who, Some(address))) = success
                && is_current(transaction, who)?
            {
                remember(transaction, who.account, &address, now)?;
            }
            Ok(kept)
        })
        .await
    }

    /// Whether the account was signed in to from this address lately.
    pub async fn is_familiar(
        &self,
        account: i64,
        address: &Hash,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.exists(
            FAMILIAR,
            values![account, address, now.before(FAMILIAR_FOR)],
        )
        .await
    }

    /// Forgets budgets that are full again, and addresses that nobody has used for long.
    pub async fn purge_sign_ins(&self, now: Timestamp) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let full = "DELETE FROM sign_in_budget WHERE full_at < ?1";
            transaction.execute(full, values![micros(now)])?;
            let unused = "DELETE FROM familiar_address WHERE seen_at <= ?1";
            transaction.execute(unused, values![now.before(FAMILIAR_FOR)])?;
            purge_logins(transaction, now)?;
            purge_second_steps(transaction, now)?;
            Ok(())
        })
        .await
    }
}

/// Whether the account was signed in to from this address lately.
pub(super) fn is_familiar(
    transaction: &Transaction<'_>,
    account: i64,
    address: &Hash,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let since = now.before(FAMILIAR_FOR);
    transaction.exists(FAMILIAR, values![account, *address, since])
}

/// Keeps that the account was signed in to from this address.
pub(super) fn remember(
    transaction: &Transaction<'_>,
    account: i64,
    address: &Hash,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO familiar_address (account_id, address, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (account_id, address) DO UPDATE SET seen_at = excluded.seen_at";
    transaction.execute(sql, values![account, *address, now])?;
    Ok(())
}

/// Leaves a row of the audit.
fn note(transaction: &Transaction<'_>, tried: &Tried, now: Timestamp) -> Result<Kept, StoreError> {
    let account = tried.owner.map(|(who, _)| who.account);
    let success = account.filter(|_| tried.is_right);
    let sql = "SELECT public_id, EXISTS (SELECT 1 FROM second_factor WHERE account_id = account.id
         AND confirmed_at IS NOT NULL), mode FROM account WHERE id = ?1";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<bool>(1)?, read_any_mode(row, 2)?));
    let (subject, awaits_code, mode): (Option<String>, bool, Option<Mode>) = transaction
        .row(sql, values![account], read)?
        .unwrap_or_default();
    let visitor = Actor::Visitor(mode.or(tried.mode));
    let (event, actor) = match success {
        Some(_) if awaits_code => (CODE_ASKED, visitor),
        Some(account) => (SUCCEEDED, Actor::Account(account)),
        None => (FAILED, visitor),
    };
    let act = Act {
        actor,
        address: tried.address,
        now,
    };
    // The same statements for an account that is not there: how long a failure takes must not show.
    let has_room = success.is_some() || has_room_for_strangers(transaction, now)?;
    if subject.is_some() || has_room {
        record(transaction, event, subject.as_deref(), &act)?;
    } else {
        transaction.exists(sql, values![account])?;
        transaction.on_commit(|| metrics::happened(FAILED));
    }
    Ok(Kept {
        account: subject,
        awaits_code,
    })
}

/// Whether one more row of the audit may be about somebody without an account.
fn has_room_for_strangers(
    transaction: &Transaction<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let (burst, refill) = UNKNOWN;
    let budget = (Hash::of("sign-ins of nobody"), Budget::new(burst, refill));
    Ok(spend(transaction, &[budget], now)?.is_ok())
}

/// Leaves a row of the audit about somebody without an account. Whoever invents emails or answers of a provider's, at
/// addresses without end, makes it no larger.
pub(super) fn record_stranger(
    transaction: &Transaction<'_>,
    event: &'static str,
    subject: Option<&str>,
    act: &Act,
) -> Result<(), StoreError> {
    match has_room_for_strangers(transaction, act.now)? {
        true => record(transaction, event, subject, act),
        false => {
            transaction.on_commit(move || metrics::happened(event));
            Ok(())
        }
    }
}

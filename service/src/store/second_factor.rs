//! The second factor of an account with a password: the secret of its one-time codes, and its recovery codes.

use super::account::{NAMED, named, release};
use super::audit::{Act, Actor, record, record_command};
use super::budget::{factor_changes, keep, spend, spent};
use super::sign_in::{is_familiar, remember};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::limit::micros;
use crate::seal::Purpose;
use crate::sign_in::{code_charges, familiar_key, lasting_code_keys};
use crate::token::{Hash, random_digits, random_text};
use crate::totp::{DIGITS, Secret};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use std::collections::HashSet;

/// Recovery codes that an account gets at once.
const RECOVERY_CODES: usize = 10;
/// Their digits: longer than the app's codes, so that one field takes both.
const RECOVERY_DIGITS: usize = 12;

/// A second factor that is on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SecondFactor {
    /// Recovery codes that nobody has used.
    pub recovery_codes: i64,
}

/// Why a code does not count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CodeRefused {
    /// It is none of the account's, or has counted before.
    Wrong,
    /// There were too many wrong ones; the seconds to wait.
    TooMany(u64),
    /// The page is too old or was sent before, or the account asks for no code.
    NotAsked,
}

/// A secret that waits for its first code.
pub(crate) struct SetUp {
    /// What the merchant's app is to have.
    pub(crate) secret: Secret,
    /// Shows that a page has begun this set-up: another page of the account never sees the secret.
    pub(crate) value: String,
}

/// What an account has that asks for codes.
struct Sealed {
    hash: Hash,
    sealed: Vec<u8>,
    last_step: i64,
}

const CONFIRMED: &str = "SELECT hash, sealed, last_step FROM second_factor
     WHERE account_id = ?1 AND confirmed_at IS NOT NULL";
const UNCONFIRMED: &str = "SELECT hash, sealed, last_step FROM second_factor
     WHERE account_id = ?1 AND hash = ?2 AND confirmed_at IS NULL";

impl Store {
    /// The second factor of an account, if it is on.
    pub async fn second_factor(&self, account: i64) -> Result<Option<SecondFactor>, StoreError> {
        let sql =
            "SELECT (SELECT count(*) FROM recovery_code WHERE account_id = ?1) FROM second_factor
             WHERE account_id = ?1 AND confirmed_at IS NOT NULL";
        let read = |row: &Row<'_>| {
            Ok(SecondFactor {
                recovery_codes: row.get(0)?,
            })
        };
        self.row(sql, values![account], read).await
    }

    /// Makes the secret that the merchant's app is to have, in the place of one that no code has confirmed. `None` where
    /// it is on already, and for an account without a password.
    pub(crate) async fn begin_second_factor(
        &self,
        account: i64,
        now: Timestamp,
    ) -> Result<Option<SetUp>, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            let (secret, value) = (Secret::new(), random_text(20));
            let hash = Hash::of(&value);
            let sealed = sealer.seal(Purpose::SecondFactor, &hash, secret.bytes())?;
            let sql = "INSERT INTO second_factor (account_id, hash, sealed, created_at)
                 SELECT id, ?2, ?3, ?4 FROM account WHERE id = ?1 AND password_hash IS NOT NULL
                 ON CONFLICT (account_id) DO UPDATE
                   SET hash = excluded.hash, sealed = excluded.sealed, created_at = excluded.created_at
                   WHERE second_factor.confirmed_at IS NULL";
            let changed = transaction.execute(sql, values![account, hash, sealed, now])?;
            Ok((changed == 1).then_some(SetUp { secret, value }))
        })
        .await
    }

    /// What a page of the account's has begun, and no code has confirmed.
    pub(crate) async fn set_up(
        &self,
        account: i64,
        value: &str,
    ) -> Result<Option<SetUp>, StoreError> {
        let values = values![account, Hash::of(value)];
        let Some(found) = self.row(UNCONFIRMED, values, read_sealed).await? else {
            return Ok(None);
        };
        let secret = found.open(&self.sealer)?;
        let value = value.to_owned();
        Ok(Some(SetUp { secret, value }))
    }

    /// Turns the second factor on, if the code shows that the app has the secret which this page has shown: all other
    /// pages of the account are over, and other addresses are strange. Gives the recovery codes.
    pub async fn confirm_second_factor(
        &self,
        account: i64,
        set_up: &str,
        code: String,
        act: Act,
    ) -> Result<Result<Vec<String>, CodeRefused>, StoreError> {
        let (sealer, hash) = (self.sealer.clone(), Hash::of(set_up));
        self.write(move |transaction| {
            if let Err(wait) = spend(transaction, &[factor_changes(account)], act.now)? {
                return Ok(Err(CodeRefused::TooMany(wait)));
            }
            let found = transaction.row(UNCONFIRMED, values![account, hash], read_sealed)?;
            let Some(found) = found else {
                return Ok(Err(CodeRefused::NotAsked));
            };
            let step = found
                .open(&sealer)?
                .step_of(&code, found.last_step, act.now);
            let Some(step) = step else {
                return Ok(Err(CodeRefused::Wrong));
            };
            let sql =
                "UPDATE second_factor SET confirmed_at = ?2, last_step = ?3 WHERE account_id = ?1";
            transaction.execute(sql, values![account, act.now, step])?;
            let public_id = public_id(transaction, account)?;
            release(transaction, &public_id)?;
            // Whoever knew the password may have made an address familiar.
            let sql = "DELETE FROM familiar_address WHERE account_id = ?1";
            transaction.execute(sql, values![account])?;
            if let Some(address) = act.address {
                remember(
                    transaction,
                    account,
                    &familiar_key(account, address),
                    act.now,
                )?;
            }
            record(
                transaction,
                "second_factor.turned_on",
                Some(&public_id),
                &act,
            )?;
            renew_recovery_codes(transaction, &sealer, account).map(Ok)
        })
        .await
    }

    /// Turns the second factor off, for a code.
    pub async fn turn_off_second_factor(
        &self,
        account: i64,
        code: String,
        act: Act,
    ) -> Result<Result<(), CodeRefused>, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            if let Err(wait) = spend(transaction, &[factor_changes(account)], act.now)? {
                return Ok(Err(CodeRefused::TooMany(wait)));
            }
            let tried = try_code(transaction, &sealer, account, &code, &act)?;
            if tried.is_ok() {
                remove(transaction, account)?;
                let public_id = public_id(transaction, account)?;
                record(
                    transaction,
                    "second_factor.turned_off",
                    Some(&public_id),
                    &act,
                )?;
            }
            Ok(tried)
        })
        .await
    }

    /// Makes new recovery codes, for a code; those of before are over.
    pub async fn renew_recovery_codes(
        &self,
        account: i64,
        code: String,
        act: Act,
    ) -> Result<Result<Vec<String>, CodeRefused>, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            if let Err(wait) = spend(transaction, &[factor_changes(account)], act.now)? {
                return Ok(Err(CodeRefused::TooMany(wait)));
            }
            if let Err(refused) = try_code(transaction, &sealer, account, &code, &act)? {
                return Ok(Err(refused));
            }
            let public_id = public_id(transaction, account)?;
            let event = "second_factor.recovery_codes_renewed";
            record(transaction, event, Some(&public_id), &act)?;
            renew_recovery_codes(transaction, &sealer, account).map(Ok)
        })
        .await
    }

    /// Takes the second factor away, for a merchant without phone and recovery codes, and ends the account's pages.
    /// False if it has none.
    pub async fn remove_second_factor(
        &self,
        account: String,
        act: Act,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = format!(
                "SELECT account.id, public_id FROM account JOIN second_factor ON account_id = account.id
                 WHERE confirmed_at IS NOT NULL AND {NAMED}"
            );
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let found = transaction.row(&sql, values![named(&account)], read)?;
            let (id, public_id): (_, Option<String>) = found.unzip();
            if let (Some(id), Some(public_id)) = (id, &public_id) {
                remove(transaction, id)?;
                forget_guesses(transaction, id)?;
                release(transaction, public_id)?;
            }
            record_command(transaction, "account.second_factor_removed", public_id, &act)
        })
        .await
    }
}

/// Whether a code counts for an account: one of the app's once, and none before it any more; a recovery code once. A
/// wrong one is counted, and in the audit.
pub(super) fn try_code(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
    code: &str,
    act: &Act,
) -> Result<Result<(), CodeRefused>, StoreError> {
    let Some(found) = transaction.row(CONFIRMED, values![account], read_sealed)? else {
        return Ok(Err(CodeRefused::NotAsked));
    };
    let address = act.address.map(|address| familiar_key(account, address));
    let is_familiar = match &address {
        Some(address) => is_familiar(transaction, account, address, act.now)?,
        None => false,
    };
    let charges = code_charges(account, act.address, is_familiar);
    let budgets = charges.each_ref().map(|charge| (charge.key, charge.budget));
    let spent = match spent(transaction, &budgets, act.now)? {
        Ok(spent) => spent,
        Err(wait) => return Ok(Err(CodeRefused::TooMany(wait))),
    };
    let public_id = public_id(transaction, account)?;
    if counts(transaction, sealer, account, &found, code, act)? {
        for charge in charges.iter().filter(|charge| charge.is_of_a_row) {
            let sql = "DELETE FROM budget WHERE key = ?1";
            transaction.execute(sql, values![charge.key])?;
        }
        return Ok(Ok(()));
    }
    let now = micros(act.now);
    let ends = |(charge, (_, full_at)): (&(_, crate::limit::Budget), &(Hash, i64))| {
        charge.1.spend(*full_at, now).is_err()
    };
    if budgets.iter().zip(&spent).skip(1).any(ends) {
        let account = public_id.clone();
        transaction.on_commit(move || {
            tracing::error!(account, "somebody who has the password guesses codes");
        });
    }
    keep(transaction, &spent)?;
    let visitor = Act {
        // The row is about the account, which has its mode.
        actor: Actor::Visitor(None),
        ..*act
    };
    record(
        transaction,
        "sign_in.wrong_code",
        Some(&public_id),
        &visitor,
    )?;
    Ok(Err(CodeRefused::Wrong))
}

/// Uses a code up, if it is one.
fn counts(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
    found: &Sealed,
    code: &str,
    act: &Act,
) -> Result<bool, StoreError> {
    if code.len() == DIGITS {
        let step = found.open(sealer)?.step_of(code, found.last_step, act.now);
        let Some(step) = step else {
            return Ok(false);
        };
        let sql = "UPDATE second_factor SET last_step = ?2 WHERE account_id = ?1";
        return Ok(transaction.execute(sql, values![account, step])? == 1);
    }
    let sql = "DELETE FROM recovery_code WHERE hash = ?1 AND account_id = ?2";
    let hash = recovery_hash(sealer, account, code);
    if transaction.execute(sql, values![hash, account])? == 0 {
        return Ok(false);
    }
    let act = Act {
        actor: Actor::Account(account),
        ..*act
    };
    let public_id = public_id(transaction, account)?;
    record(
        transaction,
        "sign_in.recovery_code_used",
        Some(&public_id),
        &act,
    )?;
    Ok(true)
}

/// Forgets how many wrong codes were tried.
pub(super) fn forget_guesses(
    transaction: &Transaction<'_>,
    account: i64,
) -> Result<(), StoreError> {
    let [strange, familiar] = lasting_code_keys(account);
    let sql = "DELETE FROM budget WHERE key IN (?1, ?2)";
    transaction.execute(sql, values![strange, familiar])?;
    Ok(())
}

/// Forgets the secrets made before a moment that no code has confirmed.
pub(super) fn purge_unconfirmed(
    transaction: &Transaction<'_>,
    before: Timestamp,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM second_factor WHERE confirmed_at IS NULL AND created_at <= ?1";
    transaction.execute(sql, values![before])?;
    Ok(())
}

fn remove(transaction: &Transaction<'_>, account: i64) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM second_step WHERE account_id = ?1",
        "DELETE FROM recovery_code WHERE account_id = ?1",
        "DELETE FROM second_factor WHERE account_id = ?1",
    ] {
        transaction.execute(sql, values![account])?;
    }
    Ok(())
}

fn renew_recovery_codes(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
) -> Result<Vec<String>, StoreError> {
    let sql = "DELETE FROM recovery_code WHERE account_id = ?1";
    transaction.execute(sql, values![account])?;
    let mut codes = HashSet::new();
    while codes.len() < RECOVERY_CODES {
        codes.insert(random_digits(RECOVERY_DIGITS));
    }
    let sql = "INSERT INTO recovery_code (hash, account_id) VALUES (?1, ?2)";
    for code in &codes {
        let hash = recovery_hash(sealer, account, code);
        transaction.execute(sql, values![hash, account])?;
    }
    Ok(codes.into_iter().collect())
}

/// With the key of the fingerprints: without it, so few digits would be found by trying all.
fn recovery_hash(sealer: &Sealer, account: i64, code: &str) -> Hash {
    let text = format!("{account} {code}");
    sealer.fingerprint(Purpose::RecoveryCode, text.as_bytes())
}

fn public_id(transaction: &Transaction<'_>, account: i64) -> Result<String, StoreError> {
    let sql = "SELECT public_id FROM account WHERE id = ?1";
    transaction.one(sql, values![account], |row| row.get(0))
}

fn read_sealed(row: &Row<'_>) -> Result<Sealed, StoreError> {
    Ok(Sealed {
        hash: row.get(0)?,
        sealed: row.get(1)?,
        last_step: row.get(2)?,
    })
}

impl Sealed {
    fn open(&self, sealer: &Sealer) -> Result<Secret, StoreError> {
        let opened = sealer.open(Purpose::SecondFactor, &self.hash, &self.sealed)?;
        let secret = Secret::from_bytes(&opened);
        secret.ok_or(StoreError::Fault("a secret of another length".into()))
    }
}

//! Codes and passkeys of a second factor: which ones count, and how often one may be tried.

use super::StoreError;
use super::account::public_id;
use super::audit::{Act, Actor, record};
use super::budget::{keep, spent};
use super::passkey::{self, PasskeyAnswer};
use super::sign_in::is_familiar;
use crate::seal::Purpose;
use crate::sign_in::{CodeBudgets, code_budgets, familiar_key, lasting_code_keys};
use crate::token::{Hash, random_digits};
use crate::totp::{DIGITS, Secret};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use std::collections::HashSet;

/// Recovery codes that an account gets at once.
const RECOVERY_CODES: usize = 10;
/// Digits of a recovery code: more than the app's codes have, so that one field takes both.
const RECOVERY_DIGITS: usize = 12;

/// Why a code or passkey does not count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CodeRefused {
    /// It is none of the account's, or has counted before.
    Wrong,
    /// There were too many wrong ones; the seconds to wait.
    TooMany(u64),
    /// The page is too old or was sent before, the sign-in has ended, or the account asks for none.
    NotAsked,
}

/// What is shown beside the password.
pub enum Proof {
    /// The digits of a code: the app's, or a recovery code.
    Code(String),
    /// A passkey.
    Passkey(PasskeyAnswer),
}

impl Proof {
    /// The event of a wrong one.
    const fn wrong(&self) -> &'static str {
        match self {
            Self::Code(_) => "sign_in.wrong_code",
            Self::Passkey(_) => "sign_in.wrong_passkey",
        }
    }
}

/// A secret as the database has it.
pub(super) struct SealedSecret {
    hash: Hash,
    sealed: Vec<u8>,
    last_step: i64,
}

impl SealedSecret {
    /// Reads `hash, sealed, last_step`.
    pub(super) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            hash: row.get(0)?,
            sealed: row.get(1)?,
            last_step: row.get(2)?,
        })
    }

    pub(super) fn open(&self, sealer: &Sealer) -> Result<Secret, StoreError> {
        let opened = sealer.open(Purpose::SecondFactor, &self.hash, &self.sealed)?;
        let secret = Secret::from_bytes(&opened);
        secret.ok_or(StoreError::Fault("a secret of another length".into()))
    }

    /// The time step of a code of the app's that counts now.
    pub(super) fn step_of(
        &self,
        sealer: &Sealer,
        code: &str,
        act: &Act,
    ) -> Result<Option<i64>, StoreError> {
        Ok(self.open(sealer)?.step_of(code, self.last_step, act.now))
    }
}

/// Whether a proof counts for an account: a code of the app's once, and none before it any more; a recovery code once;
/// a passkey once for each page. A wrong one is counted, and in the audit.
pub(super) fn try_proof(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
    proof: &Proof,
    act: &Act,
) -> Result<Result<(), CodeRefused>, StoreError> {
    let sql = "SELECT hash, sealed, last_step FROM second_factor
         WHERE account_id = ?1 AND confirmed_at IS NOT NULL";
    let Some(secret) = transaction.row(sql, values![account], SealedSecret::read)? else {
        return Ok(Err(CodeRefused::NotAsked));
    };
    let is_familiar = match act.address.map(|address| familiar_key(account, address)) {
        Some(address) => is_familiar(transaction, account, &address, act.now)?,
        None => false,
    };
    let CodeBudgets { in_a_row, lasting } = code_budgets(account, act.address, is_familiar);
    let charged = match spent(transaction, &[in_a_row, lasting], act.now)? {
        Ok(charged) => charged,
        Err(wait) => return Ok(Err(CodeRefused::TooMany(wait))),
    };
    let public_id = public_id(transaction, account)?;
    // The rows are about the account, which has its mode.
    let actor = Actor::Visitor(None);
    let visitor = Act { actor, ..*act };
    let counts = match proof {
        Proof::Code(code) => use_up(transaction, sealer, account, &secret, code, act)?,
        Proof::Passkey(answer) => passkey::use_up(transaction, sealer, account, answer, &visitor)?,
    };
    if counts {
        let sql = "DELETE FROM budget WHERE key = ?1";
        transaction.execute(sql, values![in_a_row.0])?;
        return Ok(Ok(()));
    }
    keep(transaction, &charged)?;
    record(transaction, proof.wrong(), Some(&public_id), &visitor)?;
    let is_used_up = spent(transaction, &[lasting], act.now)?.is_err();
    if is_used_up {
        transaction.on_commit(move || {
            tracing::error!(
                account = public_id,
                "somebody who has the password guesses the second step"
            );
        });
    }
    Ok(Err(CodeRefused::Wrong))
}

/// Uses a code up, if it is one.
fn use_up(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
    secret: &SealedSecret,
    code: &str,
    act: &Act,
) -> Result<bool, StoreError> {
    if code.len() == DIGITS {
        let Some(step) = secret.step_of(sealer, code, act)? else {
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
    let actor = Actor::Account(account);
    let merchant = Act { actor, ..*act };
    let (event, public_id) = (
        "sign_in.recovery_code_used",
        public_id(transaction, account)?,
    );
    record(transaction, event, Some(&public_id), &merchant)?;
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

/// Makes the recovery codes of an account; those of before are over.
pub(super) fn renew_recovery_codes(
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

/// The hash of a recovery code, with the key of the fingerprints: without it, so few digits would be found by trying
/// all.
fn recovery_hash(sealer: &Sealer, account: i64, code: &str) -> Hash {
    let text = format!("{account} {code}");
    sealer.fingerprint(Purpose::RecoveryCode, text.as_bytes())
}

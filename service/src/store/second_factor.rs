//! The second factor of an account with a password: how it is turned on and off.

use super::account::{NAMED, is_current, named, public_id, release};
use super::audit::{Act, record, record_command};
use super::budget::{factor_changes, spend};
use super::second_factor_code::{
    CodeRefused, Proof, SealedSecret, forget_guesses, renew_recovery_codes, try_proof,
};
use super::sign_in::remember;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::sign_in::{SignedIn, familiar_key};
use crate::token::{Hash, random_text};
use crate::totp::Secret;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;

/// A second factor that is on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SecondFactor {
    /// Recovery codes that nobody has used.
    pub recovery_codes: i64,
}

/// A secret that waits for its first code.
pub struct SetUp {
    /// What the merchant's app is to have.
    pub(crate) secret: Secret,
    /// Shows that a page has begun this set-up: another page of the account never sees the secret.
    pub(crate) value: String,
}

/// Finds a secret that waits for its first code, by its account and its page's value.
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

    /// Makes the secret that the merchant's app is to have, in the place of one that no code has confirmed. `None`
    /// where it is on already, for an account without a password, and if the sign-in counts no more.
    pub async fn begin_second_factor(
        &self,
        who: SignedIn,
        now: Timestamp,
    ) -> Result<Option<SetUp>, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            if !is_current(transaction, who)? {
                return Ok(None);
            }
            let (secret, value) = (Secret::new(), random_text(20));
            let hash = Hash::of(&value);
            let sealed = sealer.seal(Purpose::SecondFactor, &hash, secret.bytes())?;
            let sql = "INSERT INTO second_factor (account_id, hash, sealed, created_at)
                 SELECT id, ?2, ?3, ?4 FROM account WHERE id = ?1 AND password_hash IS NOT NULL
                 ON CONFLICT (account_id) DO UPDATE
                   SET hash = excluded.hash, sealed = excluded.sealed, created_at = excluded.created_at
                   WHERE second_factor.confirmed_at IS NULL";
            let changed = transaction.execute(sql, values![who.account, hash, sealed, now])?;
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
        let Some(found) = self.row(UNCONFIRMED, values, SealedSecret::read).await? else {
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
        who: SignedIn,
        set_up: &str,
        code: String,
        act: Act,
    ) -> Result<Result<Vec<String>, CodeRefused>, StoreError> {
        let (sealer, hash) = (self.sealer.clone(), Hash::of(set_up));
        self.write(move |transaction| {
            if let Err(refused) = may_change(transaction, who, act.now)? {
                return Ok(Err(refused));
            }
            let account = who.account;
            let values = values![account, hash];
            let Some(secret) = transaction.row(UNCONFIRMED, values, SealedSecret::read)? else {
                return Ok(Err(CodeRefused::NotAsked));
            };
            let Some(step) = secret.step_of(&sealer, &code, &act)? else {
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
                let address = familiar_key(account, address);
                remember(transaction, account, &address, act.now)?;
            }
            let event = "second_factor.turned_on";
            record(transaction, event, Some(&public_id), &act)?;
            renew_recovery_codes(transaction, &sealer, account).map(Ok)
        })
        .await
    }

    /// Turns the second factor off, for a code.
    pub async fn turn_off_second_factor(
        &self,
        who: SignedIn,
        code: String,
        act: Act,
    ) -> Result<Result<(), CodeRefused>, StoreError> {
        let (sealer, code) = (self.sealer.clone(), Proof::Code(code));
        self.write(move |transaction| {
            if let Err(refused) = may_change(transaction, who, act.now)? {
                return Ok(Err(refused));
            }
            let account = who.account;
            let tried = try_proof(transaction, &sealer, account, &code, &act)?;
            if tried.is_ok() {
                remove(transaction, account)?;
                let public_id = public_id(transaction, account)?;
                let event = "second_factor.turned_off";
                record(transaction, event, Some(&public_id), &act)?;
            }
            Ok(tried)
        })
        .await
    }

    /// Makes new recovery codes, for a code; those of before are over.
    pub async fn renew_recovery_codes(
        &self,
        who: SignedIn,
        code: String,
        act: Act,
    ) -> Result<Result<Vec<String>, CodeRefused>, StoreError> {
        let (sealer, code) = (self.sealer.clone(), Proof::Code(code));
        self.write(move |transaction| {
            if let Err(refused) = may_change(transaction, who, act.now)? {
                return Ok(Err(refused));
            }
            let account = who.account;
            if let Err(refused) = try_proof(transaction, &sealer, account, &code, &act)? {
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

/// Counts a change of the second factor, if the sign-in still does.
pub(super) fn may_change(
    transaction: &Transaction<'_>,
    who: SignedIn,
    now: Timestamp,
) -> Result<Result<(), CodeRefused>, StoreError> {
    if !is_current(transaction, who)? {
        return Ok(Err(CodeRefused::NotAsked));
    }
    let counted = spend(transaction, &[factor_changes(who.account)], now)?;
    Ok(counted.map_err(CodeRefused::TooMany))
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
        "DELETE FROM passkey_challenge WHERE account_id = ?1",
        "DELETE FROM passkey WHERE account_id = ?1",
        "DELETE FROM recovery_code WHERE account_id = ?1",
        "DELETE FROM second_factor WHERE account_id = ?1",
    ] {
        transaction.execute(sql, values![account])?;
    }
    Ok(())
}

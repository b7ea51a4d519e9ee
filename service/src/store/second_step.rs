//! Sign-ins between password and code.

use super::account::{is_current, read_account};
use super::audit::{Act, Actor, record};
use super::passkey::{ask, forget_challenge, purge_challenges};
use super::second_factor::purge_unconfirmed;
use super::second_factor_code::{CodeRefused, Proof, try_proof};
use super::sign_in::{SUCCEEDED, remember};
use super::{Account, Store, StoreError};
use crate::clock::{Timestamp, millis};
use crate::sign_in::{SignedIn, familiar_key};
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use std::time::Duration;
use webauthn_rs::prelude::Webauthn;

/// How long the code may take after the password.
pub(super) const LIFETIME: Duration = Duration::from_secs(10 * 60);
/// How long the app may take to get its secret.
const SET_UP: Duration = Duration::from_secs(60 * 60);
/// Sign-ins of an account that may await their code at once; the oldest gives way.
const UNDERWAY: u32 = 16;

/// A page that asks for a code.
#[derive(Clone, Copy)]
pub struct SecondStep {
    /// Hash of its one-time value.
    pub hash: Hash,
    /// What is to be connected; `None` on the list of connections.
    pub integration: Option<Hash>,
}

const SURPLUS: &str = "DELETE FROM second_step WHERE hash IN (SELECT hash FROM second_step
     WHERE account_id = ?1 ORDER BY created_at DESC LIMIT 1000000 OFFSET ?2) RETURNING hash";

impl Store {
    /// Remembers a page that asks for the code of an account whose password was right, or for one of its passkeys.
    /// Gives what the page says to the browser about those, as JSON, empty without; `None` if the password
    /// counts no more.
    pub async fn open_second_step(
        &self,
        step: SecondStep,
        who: SignedIn,
        relying_party: Option<Webauthn>,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            if !is_current(transaction, who)? {
                return Ok(None);
            }
            let surplus = values![who.account, UNDERWAY - 1];
            for page in transaction.rows(SURPLUS, surplus, |row| row.get(0))? {
                forget_challenge(transaction, page)?;
            }
            open(transaction, step, who.account, now)?;
            let page = (step.hash, who.account);
            ask(transaction, &sealer, relying_party.as_ref(), page, now).map(Some)
        })
        .await
    }

    /// Uses up such a page, and the proof, and signs in; or remembers the next page, which lives no longer. A refusal
    /// has the account's mode, if there is an account, and what the next page says to the browser.
    pub async fn try_second_step(
        &self,
        step: SecondStep,
        next: Hash,
        proof: Proof,
        relying_party: Option<Webauthn>,
        act: Act,
    ) -> Result<Result<Account, (CodeRefused, Option<(Mode, String)>)>, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            let oldest = Timestamp(act.now.0 - millis(LIFETIME));
            let sql = "DELETE FROM second_step WHERE hash = ?1 AND integration_hash IS NOT DISTINCT FROM ?2
                 AND created_at > ?3 RETURNING account_id, created_at";
            let read = |row: &Row<'_>| Ok((row.get::<i64>(0)?, row.get::<Timestamp>(1)?));
            let taken = values![step.hash, step.integration, oldest];
            let Some((id, began_at)) = transaction.row(sql, taken, read)? else {
                return Ok(Err((CodeRefused::NotAsked, None)));
            };
            let sql = "SELECT id, name, email, password_hash, logo, sign_in_generation, mode, public_id FROM account
                 WHERE id = ?1 AND disabled_at IS NULL";
            let read = |row: &Row<'_>| Ok((read_account(row)?, row.get::<String>(7)?));
            let Some((account, public_id)) = transaction.row(sql, values![id], read)? else {
                return Ok(Err((CodeRefused::NotAsked, None)));
            };
            let tried = try_proof(transaction, &sealer, id, &proof, &act)?;
            // Where a code was sent, or a passkey that was not looked at.
            forget_challenge(transaction, step.hash)?;
            let refused = match tried {
                Ok(()) => {
                    if let Some(address) = act.address {
                        remember(transaction, id, &familiar_key(id, address), act.now)?;
                    }
                    let actor = Actor::Account(id);
                    record(transaction, SUCCEEDED, Some(&public_id), &Act { actor, ..act })?;
                    return Ok(Ok(account));
                }
                Err(refused) => refused,
            };
            if refused == CodeRefused::NotAsked {
                return Ok(Err((refused, None)));
            }
            let next = SecondStep { hash: next, ..step };
            open(transaction, next, id, began_at)?;
            let asked = ask(transaction, &sealer, relying_party.as_ref(), (next.hash, id), act.now)?;
            Ok(Err((refused, Some((account.mode, asked)))))
        })
        .await
    }
}

fn open(
    transaction: &Transaction<'_>,
    step: SecondStep,
    account: i64,
    at: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO second_step (hash, integration_hash, account_id, created_at) VALUES (?1, ?2, ?3, ?4)";
    transaction.execute(sql, values![step.hash, step.integration, account, at])?;
    Ok(())
}

/// Forgets the sign-ins whose code took too long, and the secrets that no app has shown to have.
pub(super) fn purge_second_steps(
    transaction: &Transaction<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let oldest = Timestamp(now.0 - millis(LIFETIME));
    let sql = "DELETE FROM second_step WHERE created_at <= ?1";
    transaction.execute(sql, values![oldest])?;
    purge_challenges(transaction, now)?;
    purge_unconfirmed(transaction, now.before(SET_UP))
}

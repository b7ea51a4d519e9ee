//! Passkeys (WebAuthn, Level 3): how an account gets one, and how one stands for a code.

use super::account::{is_current, public_id};
use super::audit::{Act, record};
use super::second_factor::may_change;
use super::second_factor_code::{CodeRefused, Proof, try_proof};
use super::second_step::LIFETIME;
use super::{Store, StoreError, json};
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::sign_in::SignedIn;
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use serde::Serialize;
use serde::de::DeserializeOwned;
use webauthn_rs::prelude::{
    Passkey, PasskeyAuthentication, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Uuid, Webauthn, WebauthnError,
};

/// Passkeys that an account may have.
pub const MOST_PASSKEYS: usize = 10;

/// A passkey on the list of its account.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PasskeySummary {
    /// Its row number.
    pub id: i64,
    /// When it was added.
    pub created_at: Timestamp,
}

/// A browser's answer to what a page has asked it for.
pub struct PasskeyAnswer {
    /// Hash of the page's one-time value.
    pub page: Hash,
    /// Whose passkeys they are; `None`, which refuses the answer, at an address without.
    pub relying_party: Option<Webauthn>,
    /// The credential, as JSON.
    pub credential: String,
}

impl Store {
    /// The passkeys of an account, oldest first.
    pub async fn passkeys(&self, account: i64) -> Result<Vec<PasskeySummary>, StoreError> {
        let sql = "SELECT id, created_at FROM passkey WHERE account_id = ?1 ORDER BY id";
        let read = |row: &Row<'_>| {
            Ok(PasskeySummary {
                id: row.get(0)?,
                created_at: row.get(1)?,
            })
        };
        self.rows(sql, values![account], read).await
    }

    /// Asks a browser for a new passkey, for a code. Gives what the page, whose one-time value is hashed, has to say to
    /// it, as JSON.
    pub async fn begin_passkey(
        &self,
        who: SignedIn,
        page: Hash,
        relying_party: Webauthn,
        code: String,
        act: Act,
    ) -> Result<Result<String, CodeRefused>, StoreError> {
        let (sealer, proof) = (self.sealer.clone(), Proof::Code(code));
        self.write(move |transaction| {
            let account = who.account;
            if let Err(refused) = may_change(transaction, who, act.now)? {
                return Ok(Err(refused));
            }
            // Before a code is used up for nothing.
            if is_full(transaction, account)? {
                return Ok(Err(CodeRefused::NotAsked));
            }
            if let Err(refused) = try_proof(transaction, &sealer, account, &proof, &act)? {
                return Ok(Err(refused));
            }
            let known = stored(transaction, &sealer, account)?;
            let known = known.iter().map(|one| one.cred_id().clone()).collect();
            let sql = "SELECT coalesce(email, login), name FROM account WHERE id = ?1";
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let (login, name): (String, String) = transaction.one(sql, values![account], read)?;
            let user = user(&sealer, account);
            let asked = relying_party.start_passkey_registration(user, &login, &name, Some(known));
            let (options, state) = asked.map_err(fault)?;
            keep(transaction, &sealer, (page, account), &state, act.now)?;
            text(&options.public_key).map(Ok)
        })
        .await
    }

    /// Keeps the passkey that a browser has made. False if it is no answer to what the page has asked for, or too late,
    /// or if an account has that passkey already, or as many as it may have.
    pub async fn add_passkey(
        &self,
        who: SignedIn,
        answer: PasskeyAnswer,
        act: Act,
    ) -> Result<bool, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            let account = who.account;
            if !is_current(transaction, who)? {
                return Ok(false);
            }
            let (page, now) = (answer.page, act.now);
            let Some(state) =
                take::<PasskeyRegistration>(transaction, &sealer, (page, account), now)?
            else {
                return Ok(false);
            };
            let credential: Option<RegisterPublicKeyCredential> =
                serde_json::from_str(&answer.credential).ok();
            let made = answer.relying_party.as_ref().zip(credential);
            let made = made
                .and_then(|(party, made)| party.finish_passkey_registration(&made, &state).ok());
            let is_added = match &made {
                Some(passkey) if !is_full(transaction, account)? => {
                    insert(transaction, &sealer, account, passkey, now)?
                }
                _ => false,
            };
            let event = match is_added {
                true => "passkey.added",
                false => "passkey.refused",
            };
            record(
                transaction,
                event,
                Some(&public_id(transaction, account)?),
                &act,
            )?;
            Ok(is_added)
        })
        .await
    }

    /// Removes a passkey of the account's. False if it has none of that number.
    pub async fn remove_passkey(
        &self,
        who: SignedIn,
        id: i64,
        act: Act,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = "DELETE FROM passkey WHERE id = ?1 AND account_id = ?2";
            let is_removed = is_current(transaction, who)?
                && transaction.execute(sql, values![id, who.account])? == 1;
            if is_removed {
                let account = public_id(transaction, who.account)?;
                record(transaction, "passkey.removed", Some(&account), &act)?;
            }
            Ok(is_removed)
        })
        .await
    }
}

/// What the page of a second step says to a browser, as JSON; empty if the account has no passkey.
pub(super) fn ask(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    relying_party: Option<&Webauthn>,
    page: (Hash, i64),
    now: Timestamp,
) -> Result<String, StoreError> {
    let known = stored(transaction, sealer, page.1)?;
    let Some(relying_party) = relying_party.filter(|_| !known.is_empty()) else {
        return Ok(String::new());
    };
    let asked = relying_party.start_passkey_authentication(&known);
    let (options, state) = asked.map_err(fault)?;
    keep(transaction, sealer, page, &state, now)?;
    text(&options.public_key)
}

/// Whether a passkey of the account's has signed what the page has asked for, after all that it has signed before.
pub(super) fn use_up(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
    answer: &PasskeyAnswer,
    act: &Act,
) -> Result<bool, StoreError> {
    let page = (answer.page, account);
    let state = take::<PasskeyAuthentication>(transaction, sealer, page, act.now)?;
    let credential = serde_json::from_str::<PublicKeyCredential>(&answer.credential).ok();
    let asked = state.zip(answer.relying_party.as_ref());
    let Some(((state, relying_party), credential)) = asked.zip(credential) else {
        return Ok(false);
    };
    let hash = sealer.fingerprint(Purpose::Passkey, &credential.raw_id);
    let is_used = match relying_party.finish_passkey_authentication(&credential, &state) {
        Ok(signed) => {
            let sql = "UPDATE passkey SET counter = ?3
                 WHERE hash = ?1 AND account_id = ?2 AND (counter < ?3 OR (counter = 0 AND ?3 = 0))";
            let counter = i64::from(signed.counter());
            transaction.execute(sql, values![hash, account, counter])? == 1
        }
        Err(WebauthnError::CredentialPossibleCompromise) => false,
        Err(_) => return Ok(false),
    };
    let sql = "SELECT 1 FROM passkey WHERE hash = ?1 AND account_id = ?2";
    if !is_used && transaction.exists(sql, values![hash, account])? {
        let account = public_id(transaction, account)?;
        let event = "sign_in.passkey_counter_went_back";
        record(transaction, event, Some(&account), act)?;
        transaction.on_commit(move || tracing::error!(account, "a passkey may have a copy"));
    }
    Ok(is_used)
}

/// Forgets what a page has asked a browser for.
pub(super) fn forget_challenge(
    transaction: &Transaction<'_>,
    page: Hash,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM passkey_challenge WHERE hash = ?1";
    transaction.execute(sql, values![page])?;
    Ok(())
}

/// Forgets what browsers have not answered.
pub(super) fn purge_challenges(
    transaction: &Transaction<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM passkey_challenge WHERE created_at <= ?1";
    transaction.execute(sql, values![now.before(LIFETIME)])?;
    Ok(())
}

/// Whether an account has as many passkeys as it may have.
fn is_full(transaction: &Transaction<'_>, account: i64) -> Result<bool, StoreError> {
    let sql = "SELECT count(*) FROM passkey WHERE account_id = ?1";
    let count: i64 = transaction.one(sql, values![account], |row| row.get(0))?;
    Ok(usize::try_from(count).is_ok_and(|count| count >= MOST_PASSKEYS))
}

/// The passkeys of an account. One that cannot be read holds up no code.
fn stored(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
) -> Result<Vec<Passkey>, StoreError> {
    let sql = "SELECT hash, sealed FROM passkey WHERE account_id = ?1 ORDER BY id";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let rows: Vec<(Hash, Vec<u8>)> = transaction.rows(sql, values![account], read)?;
    let open = |(hash, sealed): (Hash, Vec<u8>)| opened(sealer, Purpose::Passkey, &hash, &sealed);
    Ok(rows.into_iter().filter_map(open).collect())
}

/// A value that was sealed as JSON. `None`, and an error in the log, if it cannot be read.
fn opened<T: DeserializeOwned>(
    sealer: &Sealer,
    purpose: Purpose,
    row: &Hash,
    sealed: &[u8],
) -> Option<T> {
    let plain = sealer.open(purpose, row, sealed).ok();
    let value = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
    if value.is_none() {
        tracing::error!(row = %row.label(), "a passkey, or what was asked of one, cannot be read");
    }
    value
}

/// False if an account has it.
fn insert(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    account: i64,
    passkey: &Passkey,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let hash = sealer.fingerprint(Purpose::Passkey, passkey.cred_id());
    let sealed = sealer.seal(Purpose::Passkey, &hash, &json(passkey)?)?;
    // The sealed value has the counter that it began with, which is never more than the next one.
    let sql = "INSERT INTO passkey (account_id, hash, sealed, counter, created_at) VALUES (?1, ?2, ?3, 0, ?4)
         ON CONFLICT (hash) DO NOTHING";
    Ok(transaction.execute(sql, values![account, hash, sealed, now])? == 1)
}

/// Remembers what the page of an account has asked for.
fn keep(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    (page, account): (Hash, i64),
    state: &impl Serialize,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sealed = sealer.seal(Purpose::PasskeyChallenge, &page, &json(state)?)?;
    let sql = "INSERT INTO passkey_challenge (account_id, hash, sealed, created_at) VALUES (?1, ?2, ?3, ?4)";
    transaction.execute(sql, values![account, page, sealed, now])?;
    Ok(())
}

/// Uses up what the page of an account has asked for.
fn take<T: DeserializeOwned>(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    (page, account): (Hash, i64),
    now: Timestamp,
) -> Result<Option<T>, StoreError> {
    let sql =
        "DELETE FROM passkey_challenge WHERE hash = ?1 AND account_id = ?2 AND created_at > ?3
         RETURNING sealed";
    let values = values![page, account, now.before(LIFETIME)];
    let sealed: Option<Vec<u8>> = transaction.row(sql, values, |row| row.get(0))?;
    Ok(sealed.and_then(|sealed| opened(sealer, Purpose::PasskeyChallenge, &page, &sealed)))
}

/// Names the account to authenticators, and says nothing about it.
fn user(sealer: &Sealer, account: i64) -> Uuid {
    let hash = sealer.fingerprint(Purpose::Passkey, format!("user {account}").as_bytes());
    Uuid::from_bytes(hash.bytes().first_chunk().copied().unwrap_or_default())
}

fn text(options: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(options).map_err(fault)
}

fn fault(error: impl std::fmt::Display) -> StoreError {
    StoreError::Fault(error.to_string())
}

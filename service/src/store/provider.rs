//! Sign-ins with the operator's provider: those that are on their way, and the accounts that come of them.

use super::account::{read_account, release};
use super::audit::{Act, Actor, record};
use super::budget::spend;
use super::sign_in::record_stranger;
use super::{Account, Store, StoreError};
use crate::clock::{Timestamp, millis};
use crate::limit::Budget;
use crate::oidc::{Profile, ProfileStore};
use crate::token::{Hash, random_text};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use std::collections::HashMap;
use std::time::Duration;

/// How long a merchant may take at the provider.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
/// Sign-ins of one integration that may be on their way at once; the oldest gives way.
const UNDERWAY: u32 = 16;
/// Successes for one account, as with a password: a burst, and one more for each time that passes.
const SUCCESSES: (u32, Duration) = (200, Duration::from_secs(10));

/// A sign-in that goes to a provider.
#[derive(Clone, Debug)]
pub struct ProviderLogin {
    /// Hash of the `state`.
    pub state: Hash,
    /// Hash of the secret in the browser's cookie.
    pub browser: Hash,
    /// What is to be connected; `None` on the list of connections.
    pub integration: Option<Hash>,
    /// The provider.
    pub issuer: String,
    /// When the browser left.
    pub began_at: Timestamp,
}

/// What a `state` that came back belongs to.
#[derive(Debug)]
pub enum LoginFound {
    /// A sign-in of this browser; it is used up now.
    Own(ProviderLogin),
    /// Another browser's; it stays open there. Says what was to be connected.
    OtherBrowser(Option<Hash>),
    /// None that is open: it was used, is too old, or was made up.
    Unknown,
}

/// What came of a sign-in that the provider vouches for.
pub enum ProviderSignIn {
    /// The account, which may be new.
    Account(Account),
    /// The operator lets nobody sign in with it.
    Disabled,
    /// It was signed in to too often; the seconds to wait.
    TooMany(u64),
}

const SURPLUS: &str =
    "DELETE FROM provider_login WHERE hash IN (SELECT hash FROM provider_login WHERE integration_hash = ?1
     ORDER BY created_at DESC LIMIT 1000000 OFFSET ?2)";

impl Store {
    /// Remembers a sign-in that goes to a provider.
    pub async fn open_login(&self, login: ProviderLogin) -> Result<(), StoreError> {
        self.write(move |transaction| {
            purge_logins(transaction, login.began_at)?;
            let surplus = values![login.integration, UNDERWAY - 1];
            transaction.execute(SURPLUS, surplus)?;
            let sql = "INSERT INTO provider_login (hash, browser_hash, integration_hash, issuer, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5)";
            let values = values![
                login.state,
                login.browser,
                login.integration,
                login.issuer,
                login.began_at
            ];
            transaction.execute(sql, values)?;
            Ok(())
        })
        .await
    }

    /// Uses up a sign-in that came back to its browser.
    pub async fn take_login(
        &self,
        state: Hash,
        browser: Option<Hash>,
        now: Timestamp,
    ) -> Result<LoginFound, StoreError> {
        self.write(move |transaction| {
            let sql =
                "SELECT browser_hash, integration_hash, issuer, created_at FROM provider_login
                 WHERE hash = ?1 AND created_at > ?2";
            let oldest = Timestamp(now.0 - millis(LIFETIME));
            let found = transaction.row(sql, values![state, oldest], |row| {
                Ok(ProviderLogin {
                    state,
                    browser: row.get(0)?,
                    integration: row.get(1)?,
                    issuer: row.get(2)?,
                    began_at: row.get(3)?,
                })
            })?;
            let Some(login) = found else {
                return Ok(LoginFound::Unknown);
            };
            if !browser.is_some_and(|browser| browser.matches(&login.browser)) {
                return Ok(LoginFound::OtherBrowser(login.integration));
            }
            let sql = "DELETE FROM provider_login WHERE hash = ?1";
            transaction.execute(sql, values![state])?;
            Ok(LoginFound::Own(login))
        })
        .await
    }

    /// Notes in the audit that a sign-in with a provider came to nothing.
    pub async fn refuse_login(
        &self,
        event: &'static str,
        integration: Option<Hash>,
        act: Act,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let label = integration.map(|hash| hash.label());
            record_stranger(transaction, event, label.as_deref(), &act)
        })
        .await
    }

    /// Ends the pages on which the account of this subject is signed in, if there is one.
    pub async fn sign_out(
        &self,
        issuer: String,
        subject: String,
        act: Act,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT id, public_id FROM account WHERE issuer = ?1 AND subject = ?2";
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<String>(1)?));
            let found = transaction.row(sql, values![issuer, subject], read)?;
            let Some((account, public_id)) = found else {
                return Ok(());
            };
            release(transaction, &public_id)?;
            let act = Act {
                actor: Actor::Account(account),
                ..act
            };
            record(transaction, "sign_out.succeeded", Some(&public_id), &act)
        })
        .await
    }

    /// Signs in who the provider vouches for. Makes the account at the first time; brings its name and its stores up to
    /// date at each.
    pub async fn sign_in_by_provider(
        &self,
        issuer: String,
        profile: Profile,
        act: Act,
    ) -> Result<ProviderSignIn, StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT id, disabled_at IS NOT NULL FROM account WHERE issuer = ?1 AND subject = ?2";
            let known = transaction.row(sql, values![issuer, profile.subject], |row| {
                Ok((row.get::<i64>(0)?, row.get::<bool>(1)?))
            })?;
            let account = match known {
                Some((_, true)) => return Ok(ProviderSignIn::Disabled),
                Some((id, false)) => id,
                None => insert(transaction, &issuer, &profile, &act)?,
            };
            let (burst, refill) = SUCCESSES;
            let key = Hash::of(&format!("sign-ins with a provider to {account}"));
            let budget = [(key, Budget::new(burst, refill))];
            if let Err(wait) = spend(transaction, &budget, act.now)? {
                return Ok(ProviderSignIn::TooMany(wait));
            }
            let sql = "UPDATE account SET name = ?2, login = ?3 WHERE id = ?1";
            transaction.execute(sql, values![account, profile.name, profile.login])?;
            update_stores(transaction, account, &profile.stores, act.now)?;
            let sql = "SELECT id, name, login, password_hash, logo, sign_in_generation, mode, public_id FROM account
                 WHERE id = ?1";
            let read = |row: &Row<'_>| Ok((read_account(row)?, row.get::<String>(7)?));
            let (found, public_id) = transaction.one(sql, values![account], read)?;
            let act = Act {
                actor: Actor::Account(account),
                ..act
            };
            record(transaction, "sign_in.succeeded", Some(&public_id), &act)?;
            Ok(ProviderSignIn::Account(found))
        })
        .await
    }
}

/// Forgets the sign-ins that took too long.
pub(super) fn purge_logins(
    transaction: &Transaction<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let oldest = Timestamp(now.0 - millis(LIFETIME));
    let sql = "DELETE FROM provider_login WHERE created_at <= ?1";
    transaction.execute(sql, values![oldest])?;
    Ok(())
}

/// A new account, whose name and stores follow. Gives its row number.
fn insert(
    transaction: &Transaction<'_>,
    issuer: &str,
    profile: &Profile,
    act: &Act,
) -> Result<i64, StoreError> {
    let public_id = format!("acc_{}", random_text(20));
    let sql = "INSERT INTO account (public_id, name, created_at, issuer, subject, login, mode)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'live') RETURNING id";
    let Profile {
        subject,
        name,
        login,
        ..
    } = profile;
    let values = values![public_id, name, act.now, issuer, subject, login];
    let id = transaction.one(sql, values, |row| row.get(0))?;
    record(transaction, "account.added", Some(&public_id), act)?;
    Ok(id)
}

/// Stores that the provider names no more stay, for what is connected, and cannot be connected again.
fn update_stores(
    transaction: &Transaction<'_>,
    account: i64,
    named: &[ProfileStore],
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "SELECT external_id, name, withdrawn_at IS NOT NULL FROM store
         WHERE account_id = ?1 AND external_id IS NOT NULL";
    let read = |row: &Row<'_>| {
        let store = (row.get::<String>(1)?, row.get::<bool>(2)?);
        Ok((row.get::<String>(0)?, store))
    };
    let rows = transaction.rows(sql, values![account], read)?;
    let mut known: HashMap<String, (String, bool)> = rows.into_iter().collect();
    for store in named {
        match known.remove(&store.id) {
            Some((name, false)) if name == store.name => {}
            Some(_) => {
                let sql = "UPDATE store SET name = ?3, withdrawn_at = NULL WHERE account_id = ?1 AND external_id = ?2";
                transaction.execute(sql, values![account, store.id, store.name])?;
            }
            None => {
                let public_id = format!("sto_{}", random_text(20));
                let sql = "INSERT INTO store (account_id, external_id, name, public_id) VALUES (?1, ?2, ?3, ?4)";
                transaction.execute(sql, values![account, store.id, store.name, public_id])?;
            }
        }
    }
    let gone = known.into_iter().filter(|(_, (_, withdrawn))| !withdrawn);
    for (id, _) in gone {
        let sql = "UPDATE store SET withdrawn_at = ?3 WHERE account_id = ?1 AND external_id = ?2";
        transaction.execute(sql, values![account, id, now])?;
    }
    Ok(())
}

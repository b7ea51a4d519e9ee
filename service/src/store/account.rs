//! Accounts of merchants and their stores.

use super::audit::{Act, record, record_command};
use super::mode::read_mode;
use super::second_factor_code::forget_guesses;
use super::{Listing, Store, StoreError};
use crate::logo::Logo;
use crate::sign_in::{SignedIn, lasting_keys};
use crate::token::random_text;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A merchant's account.
#[derive(Clone, Debug)]
pub struct Account {
    /// Row number.
    pub id: i64,
    /// Name for people.
    pub name: String,
    /// What the merchant signs in with: the email, or what the provider calls them. May be empty.
    pub login: String,
    /// argon2id, as a PHC string; `None` in an account of a provider's.
    pub password_hash: Option<String>,
    /// Its logo, as a `data:` URI.
    pub logo: Option<String>,
    /// As [`SignedIn`] has it.
    pub generation: i64,
    /// Whether it is real.
    pub mode: Mode,
}

impl Account {
    /// The sign-in that it was read for.
    pub const fn signed_in(&self) -> SignedIn {
        SignedIn {
            account: self.id,
            generation: self.generation,
        }
    }

    /// The same for whoever has just ended all other sign-ins to it.
    pub(crate) fn alone(&self) -> Self {
        Self {
            generation: self.generation + 1,
            ..self.clone()
        }
    }
}

/// One store of an account.
#[derive(Clone, Debug)]
pub struct AccountStore {
    /// Identifier on the wire.
    pub public_id: String,
    /// Name for people.
    pub name: String,
}

/// What the operator says about a new account.
pub struct NewAccount {
    /// What the merchant signs in with; letter case does not count.
    pub email: String,
    /// Name for people.
    pub name: String,
    /// Whether it is real.
    pub mode: Mode,
    /// argon2id, as a PHC string.
    pub password_hash: String,
    /// Names of its stores, at least one.
    pub stores: Vec<String>,
}

/// An account as the operator sees it.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountSummary {
    /// Row number.
    #[serde(skip)]
    pub row: i64,
    /// Public id.
    pub id: String,
    /// What the merchant signs in with; `None` in an account of a provider's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The provider, and its ID for the account.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderAccount>,
    /// Name for people.
    pub name: String,
    /// Whether it is real.
    pub mode: Mode,
    /// Whether nobody can sign in with it.
    pub disabled: bool,
    /// Its stores, in the order they were added.
    pub stores: Vec<StoreSummary>,
}

/// Whose account it is, where a provider has it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ProviderAccount {
    /// The provider.
    pub issuer: String,
    /// Its ID for the account.
    pub subject: String,
}

/// A store as the operator sees it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct StoreSummary {
    /// Public id.
    pub id: String,
    /// Name for people.
    pub name: String,
}

/// Finds the account that a command names, as [`named`] has it.
pub(super) const NAMED: &str = "(account.email = ?1 OR account.public_id = ?1)";

/// What a command names an account by: its email address, or its public id.
pub(super) fn named(text: &str) -> String {
    match text.contains('@') {
        true => normalized(text),
        false => text.trim().to_owned(),
    }
}

/// How an email address is kept and compared.
pub fn normalized(email: &str) -> String {
    email.trim().to_lowercase()
}

impl Store {
    /// Adds an account and its stores; answers its public id.
    pub async fn add_account(&self, new: NewAccount, act: Act) -> Result<String, StoreError> {
        self.write(move |transaction| {
            let public_id = format!("{}acc_{}", new.mode.prefix(), random_text(20));
            let sql =
                "INSERT INTO account (public_id, email, name, password_hash, created_at, mode)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (email) DO NOTHING RETURNING id";
            let values = values![
                public_id,
                normalized(&new.email),
                new.name,
                new.password_hash,
                act.now,
                new.mode.as_str()
            ];
            let account = transaction.row(sql, values, |row| row.get(0))?;
            let account = account.ok_or(StoreError::Exists)?;
            insert_stores(transaction, account, &new.stores)?;
            record(transaction, "account.added", Some(&public_id), &act)?;
            Ok(public_id)
        })
        .await
    }

    /// Changes the password of an account that signs in with an email address, which has this address or id. False if
    /// there is no such account.
    pub async fn set_password(
        &self,
        account: String,
        password_hash: String,
        act: Act,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = format!("SELECT email FROM account WHERE {NAMED} AND email IS NOT NULL");
            let email = transaction.row(&sql, values![named(&account)], |row| row.get(0))?;
            let Some(email): Option<String> = email else {
                return Ok(false);
            };
            // Whoever knew the old password may have made an address familiar.
            let sql = "DELETE FROM familiar_address WHERE account_id = (SELECT id FROM account WHERE email = ?1)";
            transaction.execute(sql, values![&email])?;
            let [guessed, right] = lasting_keys(&email);
            let sql = "DELETE FROM sign_in_budget WHERE key IN (?1, ?2)";
            transaction.execute(sql, values![guessed, right])?;
            release(transaction, &email)?;
            let sql = "UPDATE account SET password_hash = ?2 WHERE email = ?1 RETURNING public_id, id";
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let (public_id, id) = transaction.row(sql, values![email, password_hash], read)?.unzip();
            if let Some(id) = id {
                forget_guesses(transaction, id)?;
            }
            record_command(transaction, "account.password_set", public_id, &act)
        })
        .await
    }

    /// Lets nobody sign in with an account, or somebody again. False if there is no such account.
    pub async fn set_account_disabled(
        &self,
        account: String,
        is_disabled: bool,
        act: Act,
    ) -> Result<bool, StoreError> {
        let sql = format!("UPDATE account SET disabled_at = ?2 WHERE {NAMED} RETURNING public_id");
        let values = values![named(&account), is_disabled.then_some(act.now)];
        let event = match is_disabled {
            true => "account.disabled",
            false => "account.enabled",
        };
        self.command(sql, values, event, act).await
    }

    /// Says to which countries an account's messages go, as `IL US`; `None`: to those of the service. False if there is
    /// no such account.
    pub async fn set_message_regions(
        &self,
        account: String,
        regions: Option<String>,
        act: Act,
    ) -> Result<bool, StoreError> {
        let set = "UPDATE account SET message_regions = ?2";
        let sql = format!("{set} WHERE {NAMED} RETURNING public_id");
        let values = values![named(&account), regions];
        self.command(sql, values, "account.regions_changed", act)
            .await
    }

    /// Gives an account a logo, or takes it away. False if there is no such account.
    pub async fn set_account_logo(
        &self,
        account: String,
        logo: Option<Logo>,
        act: Act,
    ) -> Result<bool, StoreError> {
        let sql = format!("UPDATE account SET logo = ?2 WHERE {NAMED} RETURNING public_id");
        let values = values![named(&account), logo.as_ref().map(Logo::uri)];
        self.command(sql, values, "account.logo_set", act).await
    }

    /// Accounts, oldest first.
    pub async fn accounts(&self, part: Listing) -> Result<Vec<AccountSummary>, StoreError> {
        let sql =
            "SELECT id, public_id, email, name, disabled_at IS NOT NULL, issuer, subject, mode
             FROM account
             WHERE id > ?1 ORDER BY id LIMIT ?2";
        let account = |row: &Row<'_>| {
            let provider: (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
            let provider = match provider {
                (Some(issuer), Some(subject)) => Some(ProviderAccount { issuer, subject }),
                _ => None,
            };
            let row_number = row.get(0)?;
            let summary = AccountSummary {
                row: row_number,
                id: row.get(1)?,
                email: row.get(2)?,
                provider,
                name: row.get(3)?,
                mode: read_mode(row, 7)?,
                disabled: row.get(4)?,
                stores: Vec::new(),
            };
            Ok((row_number, summary))
        };
        let mut accounts: BTreeMap<_, _> = self
            .rows(sql, values![part.after, part.limit], account)
            .await?
            .into_iter()
            .collect();
        let last = accounts.keys().next_back().copied();
        let sql = "SELECT account_id, public_id, name FROM store
             WHERE account_id > ?1 AND account_id <= ?2 ORDER BY id";
        let store = |row: &Row<'_>| {
            let (id, name) = (row.get(1)?, row.get(2)?);
            Ok((row.get::<i64>(0)?, StoreSummary { id, name }))
        };
        for (account, store) in self
            .rows(sql, values![part.after, last.unwrap_or(0)], store)
            .await?
        {
            if let Some(account) = accounts.get_mut(&account) {
                account.stores.push(store);
            }
        }
        Ok(accounts.into_values().collect())
    }

    /// The account that signs in with an email address; a disabled one is as one that is not there.
    pub async fn account_by_email(&self, email: &str) -> Result<Option<Account>, StoreError> {
        let sql =
            "SELECT id, name, email, password_hash, logo, sign_in_generation, mode FROM account
             WHERE email = ?1 AND disabled_at IS NULL";
        self.row(sql, values![normalized(email)], read_account)
            .await
    }

    /// The account that is signed in to, while that counts; a disabled one is as one that is not there.
    pub async fn account(&self, who: SignedIn) -> Result<Option<Account>, StoreError> {
        let sql =
            "SELECT id, name, coalesce(email, login), password_hash, logo, sign_in_generation, mode
             FROM account
             WHERE id = ?1 AND sign_in_generation = ?2 AND disabled_at IS NULL";
        let values = values![who.account, who.generation];
        self.row(sql, values, read_account).await
    }

    /// The stores of an account that can be connected, in the order they were added.
    pub async fn stores(&self, account: i64) -> Result<Vec<AccountStore>, StoreError> {
        let sql = "SELECT public_id, name FROM store WHERE account_id = ?1 AND withdrawn_at IS NULL ORDER BY id";
        self.rows(sql, values![account], |row| {
            Ok(AccountStore {
                public_id: row.get(0)?,
                name: row.get(1)?,
            })
        })
        .await
    }
}

/// Ends what was signed in to and not yet decided: pages that are open, and whose integration it is.
pub(super) fn release(transaction: &Transaction<'_>, account: &str) -> Result<(), StoreError> {
    let id = format!("(SELECT id FROM account WHERE {NAMED})");
    for sql in [
        format!("DELETE FROM form WHERE account_id = {id}"),
        format!("DELETE FROM second_step WHERE account_id = {id}"),
        format!("DELETE FROM passkey_challenge WHERE account_id = {id}"),
        format!(
            "UPDATE integration SET owner_id = NULL WHERE status = 'pending' AND owner_id = {id}"
        ),
        // What is signed in and has no row at this moment.
        format!("UPDATE account SET sign_in_generation = sign_in_generation + 1 WHERE {NAMED}"),
    ] {
        transaction.execute(&sql, values![account])?;
    }
    Ok(())
}

/// Whether a sign-in counts still.
pub(super) fn is_current(transaction: &Transaction<'_>, who: SignedIn) -> Result<bool, StoreError> {
    let sql =
        "SELECT 1 FROM account WHERE id = ?1 AND sign_in_generation = ?2 AND disabled_at IS NULL";
    transaction.exists(sql, values![who.account, who.generation])
}

/// The public id of the account in a row.
pub(super) fn public_id(transaction: &Transaction<'_>, account: i64) -> Result<String, StoreError> {
    let sql = "SELECT public_id FROM account WHERE id = ?1";
    transaction.one(sql, values![account], |row| row.get(0))
}

pub(super) fn read_account(row: &Row<'_>) -> Result<Account, StoreError> {
    Ok(Account {
        id: row.get(0)?,
        name: row.get(1)?,
        login: row.get(2)?,
        password_hash: row.get(3)?,
        logo: row.get(4)?,
        generation: row.get(5)?,
        mode: read_mode(row, 6)?,
    })
}

fn insert_stores(
    transaction: &Transaction<'_>,
    account: i64,
    names: &[String],
) -> Result<(), StoreError> {
    let sql = "INSERT INTO store (public_id, account_id, name) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    for name in names {
        transaction.execute(
            sql,
            values![format!("sto_{}", random_text(20)), account, name],
        )?;
    }
    Ok(())
}

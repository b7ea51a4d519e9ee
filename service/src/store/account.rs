//! Accounts of merchants and their stores.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::sign_in::lasting_key;
use crate::token::random_text;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;

/// A merchant's account.
#[derive(Clone, Debug)]
pub struct Account {
    /// Row number.
    pub id: i64,
    /// Name for people.
    pub name: String,
    /// What the merchant signs in with.
    pub email: String,
    /// argon2id, as a PHC string.
    pub password_hash: String,
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
    /// argon2id, as a PHC string.
    pub password_hash: String,
    /// Names of its stores, at least one.
    pub stores: Vec<String>,
}

/// An account as the operator sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountSummary {
    /// Public id.
    pub id: String,
    /// What the merchant signs in with.
    pub email: String,
    /// Name for people.
    pub name: String,
    /// Whether nobody can sign in with it.
    pub disabled: bool,
    /// Its stores, in the order they were added.
    pub stores: Vec<StoreSummary>,
}

/// A store as the operator sees it.
#[derive(Debug, Serialize)]
pub struct StoreSummary {
    /// Public id.
    pub id: String,
    /// Name for people.
    pub name: String,
}

/// How an email address is kept and compared.
pub fn normalized(email: &str) -> String {
    email.trim().to_lowercase()
}

impl Store {
    /// Adds an account and its stores; answers its public id.
    pub async fn add_account(&self, new: NewAccount, now: Timestamp) -> Result<String, StoreError> {
        self.write(move |transaction| {
            let public_id = format!("acc_{}", random_text(20));
            let inserted = transaction.execute(
                "INSERT INTO account (public_id, email, name, password_hash, created_at) VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT (email) DO NOTHING",
                params![public_id, normalized(&new.email), new.name, new.password_hash, now],
            )?;
            if inserted == 0 {
                return Err(StoreError::Exists);
            }
            insert_stores(transaction, transaction.last_insert_rowid(), &new.stores)?;
            Ok(public_id)
        })
        .await
    }

    /// Changes an account's password. False if there is no such account.
    pub async fn set_password(
        &self,
        email: String,
        password_hash: String,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let email = normalized(&email);
            // Whoever knew the old password may have made an address familiar.
            transaction.execute(
                "DELETE FROM familiar_address WHERE account_id = (SELECT id FROM account WHERE email = ?)",
                [&email],
            )?;
            transaction.execute(
                "DELETE FROM sign_in_budget WHERE key = ?",
                [lasting_key(&email)],
            )?;
            release(transaction, &email)?;
            let sql = "UPDATE account SET password_hash = ?2 WHERE email = ?1";
            Ok(transaction.execute(sql, params![email, password_hash])? == 1)
        })
        .await
    }

    /// Lets nobody sign in with an account, or somebody again. False if there is no such account.
    pub async fn set_account_disabled(
        &self,
        email: String,
        disabled: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE account SET disabled_at = ?2 WHERE email = ?1";
            Ok(transaction.execute(sql, params![normalized(&email), disabled])? == 1)
        })
        .await
    }

    /// Every account, oldest first.
    pub fn accounts(&self) -> Result<Vec<AccountSummary>, StoreError> {
        self.read(|connection| {
            let mut stores = connection
                .prepare("SELECT public_id, name FROM store WHERE account_id = ? ORDER BY id")?;
            let mut stores_of = |account: i64| -> rusqlite::Result<Vec<_>> {
                let read = |row: &Row<'_>| {
                    Ok(StoreSummary {
                        id: row.get(0)?,
                        name: row.get(1)?,
                    })
                };
                stores.query_map([account], read)?.collect()
            };
            connection
                .prepare("SELECT public_id, email, name, disabled_at IS NOT NULL, id FROM account ORDER BY id")?
                .query_map([], |row| {
                    Ok(AccountSummary {
                        id: row.get(0)?,
                        email: row.get(1)?,
                        name: row.get(2)?,
                        disabled: row.get(3)?,
                        stores: stores_of(row.get(4)?)?,
                    })
                })?
                .collect()
        })
    }

    /// The account that signs in with an email address; a disabled one is as one that is not there.
    pub fn account_by_email(&self, email: &str) -> Result<Option<Account>, StoreError> {
        let sql = "SELECT id, name, email, password_hash FROM account WHERE email = ? AND disabled_at IS NULL";
        self.read(|connection| {
            connection
                .prepare_cached(sql)?
                .query_row([normalized(email)], read_account)
                .optional()
        })
    }

    /// An account by its row number; a disabled one is as one that is not there.
    pub fn account(&self, id: i64) -> Result<Option<Account>, StoreError> {
        let sql = "SELECT id, name, email, password_hash FROM account WHERE id = ? AND disabled_at IS NULL";
        self.read(|connection| {
            connection
                .prepare_cached(sql)?
                .query_row([id], read_account)
                .optional()
        })
    }

    /// The public id of an account.
    pub fn account_name(&self, id: i64) -> Result<Option<String>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT public_id FROM account WHERE id = ?")?
                .query_row([id], |row| row.get(0))
                .optional()
        })
    }

    /// The stores of an account, in the order they were added.
    pub fn stores(&self, account: i64) -> Result<Vec<AccountStore>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT public_id, name FROM store WHERE account_id = ? ORDER BY id",
                )?
                .query_map([account], |row| {
                    Ok(AccountStore {
                        public_id: row.get(0)?,
                        name: row.get(1)?,
                    })
                })?
                .collect()
        })
    }
}

/// Ends what was signed in to and not yet decided: pages that are open, and whose integration it is.
pub(super) fn release(transaction: &Transaction<'_>, email: &str) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM form WHERE account_id = (SELECT id FROM account WHERE email = ?)",
        "UPDATE integration SET owner_id = NULL WHERE status = 'pending'
           AND owner_id = (SELECT id FROM account WHERE email = ?)",
    ] {
        transaction.execute(sql, [email])?;
    }
    Ok(())
}

fn read_account(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account {
        id: row.get(0)?,
        name: row.get(1)?,
        email: row.get(2)?,
        password_hash: row.get(3)?,
    })
}

fn insert_stores(
    transaction: &Transaction<'_>,
    account: i64,
    names: &[String],
) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO store (public_id, account_id, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    for name in names {
        transaction.execute(
            sql,
            params![format!("sto_{}", random_text(20)), account, name],
        )?;
    }
    Ok(())
}

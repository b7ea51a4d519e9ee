//! One-time values of the connect frame's pages.

use super::account::is_current;
use super::{Store, StoreError};
use crate::clock::{Timestamp, millis};
use crate::sign_in::SignedIn;
use crate::token::Hash;
use pos_connect_foundation::values;
use std::time::Duration;

/// How long a page may stay open before it is sent.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
/// Pages of one integration that may be open at once; the oldest gives way, so that reloading forever fills nothing.
/// Before and after signing in they are counted apart: a stranger who has the URL cannot push out the owner's page.
const OPEN_PAGES: u32 = 16;

/// A page that is about to be shown.
#[derive(Clone, Copy)]
pub struct FormPage {
    /// Hash of its one-time value.
    pub hash: Hash,
    /// What it is about; `None` on the merchant's own page.
    pub integration: Option<Hash>,
    /// Who signed in, if somebody did.
    pub account: Option<SignedIn>,
}

/// A page that was sent, for the first and only time.
#[derive(Clone, Copy, Debug)]
pub struct TakenForm {
    /// Who had signed in, if somebody had.
    pub account: Option<SignedIn>,
}

/// The pages of an integration that have to give way to one more.
const SURPLUS: &str =
    "DELETE FROM form WHERE hash IN (SELECT hash FROM form WHERE integration_hash = ?1
     AND (account_id IS NOT NULL) = ?2 ORDER BY created_at DESC LIMIT 1000000 OFFSET ?3)";
/// The lists of an account that have to give way to one more.
const SURPLUS_LISTS: &str =
    "DELETE FROM form WHERE hash IN (SELECT hash FROM form WHERE integration_hash IS NULL
     AND account_id = ?1 ORDER BY created_at DESC LIMIT 1000000 OFFSET ?2)";

impl Store {
    /// Remembers a page, and forgets the ones that are too old to be sent. False if the sign-in counts no more.
    pub async fn open_form(&self, page: FormPage, now: Timestamp) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            if let Some(who) = page.account
                && !is_current(transaction, who)?
            {
                return Ok(false);
            }
            let account = page.account.map(|who| who.account);
            let oldest = Timestamp(now.0 - millis(LIFETIME));
            let too_old = "DELETE FROM form WHERE created_at <= ?1";
            transaction.execute(too_old, values![oldest])?;
            match page.integration {
                Some(integration) => {
                    let (signed_in, kept) = (account.is_some(), OPEN_PAGES - 1);
                    transaction.execute(SURPLUS, values![integration, signed_in, kept])?;
                }
                None => {
                    transaction.execute(SURPLUS_LISTS, values![account, OPEN_PAGES - 1])?;
                }
            }
            let sql = "INSERT INTO form (hash, integration_hash, account_id, created_at) VALUES (?1, ?2, ?3, ?4)";
            let values = values![page.hash, page.integration, account, now];
            transaction.execute(sql, values)?;
            Ok(true)
        })
        .await
    }

    /// Uses up the one-time value of a page that was sent. `None` if it was used before, is too old, or is another
    /// integration's.
    pub async fn take_form(
        &self,
        hash: Hash,
        integration: Option<Hash>,
        now: Timestamp,
    ) -> Result<Option<TakenForm>, StoreError> {
        self.write(move |transaction| {
            let oldest = Timestamp(now.0 - millis(LIFETIME));
            let sql =
                "DELETE FROM form WHERE hash = ?1 AND integration_hash IS NOT DISTINCT FROM ?2
                         AND created_at > ?3 RETURNING account_id,
                         (SELECT sign_in_generation FROM account WHERE id = account_id)";
            transaction.row(sql, values![hash, integration, oldest], |row| {
                let found: (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
                let account = found.0.zip(found.1);
                let account = account.map(|(account, generation)| SignedIn {
                    account,
                    generation,
                });
                Ok(TakenForm { account })
            })
        })
        .await
    }
}

//! Integrations: the point read that every call makes, and the transitions, each a single conditional statement.

use super::account::is_current;
use super::audit::{Act, record};
use super::event::{EventKind, HAS_WEBHOOK, add_decision, add_expiry};
use super::{Store, StoreError, Vendor};
use crate::clock::Timestamp;
use crate::integration::{Integration, code};
use crate::sign_in::SignedIn;
use crate::token::{Hash, Kind};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use pos_connect_protocol::{Status, StatusReason};

/// A vendor, and the integration if it exists and is this vendor's.
pub struct Lookup {
    /// Who calls.
    pub vendor: Vendor,
    /// What it asks about.
    pub integration: Option<Integration>,
}

/// What the merchant chose.
pub struct Consent {
    /// The integration.
    pub integration: Hash,
    /// Who consents; must be the owner.
    pub who: SignedIn,
    /// Public id of the store; must be the account's.
    pub store: String,
    /// Whether the till offers e-receipts.
    pub ereceipt: bool,
}

/// How often four digits are looked for that are free; at 8,000 of 10,000 taken, six in ten million find none.
const MINTED: usize = 64;

impl Store {
    /// An enabled vendor and one of its integrations, in one point read.
    pub async fn lookup(
        &self,
        client_id: &str,
        integration: Option<&Hash>,
    ) -> Result<Option<Lookup>, StoreError> {
        // The constant keeps the statement's text the same for every call, so that it stays prepared.
        const SQL: &str = "SELECT vendor.id, vendor.mode, vendor.secret_hash, vendor.previous_secret_hash,
                vendor.previous_secret_until, i.hash, i.status, i.reason, i.expires_at, i.pickup_until, i.claimed_at,
                i.owner_id, i.opened_at
             FROM vendor LEFT JOIN integration i ON i.hash = ?2 AND i.vendor_id = vendor.id
             WHERE vendor.client_id = ?1 AND vendor.disabled_at IS NULL";
        self.row(SQL, values![client_id, integration], |row| {
            Ok(Lookup {
                vendor: Vendor::read(row)?,
                integration: read_integration(row)?,
            })
        })
        .await
    }

    /// The status of an integration at a moment.
    pub async fn status(
        &self,
        integration: &Hash,
        now: Timestamp,
    ) -> Result<Option<Status>, StoreError> {
        let sql = "SELECT CASE WHEN status = 'pending' AND expires_at <= ?2 THEN 'cancelled' ELSE status END
             FROM integration WHERE hash = ?1";
        let values = values![integration, now];
        let word: Option<String> = self.row(sql, values, |row| row.get(0)).await?;
        Ok(word.and_then(|word| Status::parse(&word)))
    }

    /// Creates a pending integration and gives its token. Its four digits are those of no other pending one of the
    /// vendor's; `None` if none were found.
    pub async fn create_integration(
        &self,
        vendor: i64,
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        self.write(move |transaction| {
            let sql = format!(
                "INSERT INTO integration (hash, vendor_id, status, created_at, expires_at, code)
                 VALUES (?1, ?2, 'pending', ?3, ?4, ?5) ON CONFLICT DO NOTHING RETURNING {HAS_WEBHOOK}"
            );
            for _ in 0..MINTED {
                let token = Kind::Integration.mint();
                let hash = Hash::of(&token);
                let code: i64 = code(&token).parse().unwrap_or_default();
                let insert = || {
                    let values = values![hash, vendor, now, expires_at, code];
                    transaction.row(&sql, values, |row| row.get(0))
                };
                let mut has_webhook: Option<bool> = insert()?;
                if has_webhook.is_none() && release(transaction, vendor, code, now)? {
                    has_webhook = insert()?;
                }
                match has_webhook {
                    None => {}
                    Some(true) => {
                        add_expiry(transaction, &hash, expires_at)?;
                        return Ok(Some(token));
                    }
                    Some(false) => return Ok(Some(token)),
                }
            }
            Ok(None)
        })
        .await
    }

    /// How many integrations of a vendor are pending, and when the first of them expires.
    pub async fn pending(
        &self,
        vendor: i64,
        now: Timestamp,
    ) -> Result<(i64, Option<Timestamp>), StoreError> {
        // SQLite takes an index that leaves rows out only for words that say the same.
        let sql = "SELECT count(*), min(expires_at) FROM integration
             WHERE vendor_id = ?1 AND status = 'pending' AND code IS NOT NULL AND expires_at > ?2";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        self.one(sql, values![vendor, now], read).await
    }

    /// Notes that the connect page is open where the till's page is not around it.
    pub async fn note_opened(&self, integration: Hash, now: Timestamp) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE integration SET opened_at = ?2 WHERE hash = ?1 AND opened_at IS NULL";
            transaction.execute(sql, values![integration, now])?;
            Ok(())
        })
        .await
    }

    /// Moves a pending integration to `cancelled`. False if it was not pending any more.
    pub async fn cancel(
        &self,
        integration: Hash,
        reason: StatusReason,
        act: Act,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = format!(
                "UPDATE integration SET status = 'cancelled', reason = ?2, decided_at = ?3
                 WHERE hash = ?1 AND status = 'pending' AND expires_at > ?3 RETURNING {HAS_WEBHOOK}"
            );
            let values = values![integration, reason.as_str(), act.now];
            let has_webhook: Option<bool> = transaction.row(&sql, values, |row| row.get(0))?;
            if let Some(has_webhook) = has_webhook {
                record(
                    transaction,
                    "integration.cancelled",
                    Some(&integration.label()),
                    &act,
                )?;
                if has_webhook {
                    let kind = EventKind::Cancelled(reason);
                    add_decision(transaction, &integration, kind, act.now)?;
                }
            }
            Ok(has_webhook.is_some())
        })
        .await
    }

    /// Makes the account that is signed in to the owner of a pending integration, unless another one is, the vendor has
    /// another mode, or the sign-in counts no more. Answers who owns it now.
    pub async fn own(&self, integration: Hash, who: SignedIn) -> Result<Option<i64>, StoreError> {
        self.write(move |transaction| {
            if is_current(transaction, who)? {
                let sql =
                    "UPDATE integration SET owner_id = ?2 WHERE hash = ?1 AND status = 'pending'
                     AND owner_id IS NULL AND (SELECT mode FROM vendor WHERE id = integration.vendor_id)
                       = (SELECT mode FROM account WHERE id = ?2)";
                transaction.execute(sql, values![integration, who.account])?;
            }
            let sql = "SELECT owner_id FROM integration WHERE hash = ?1";
            let owner = transaction.row(sql, values![integration], |row| row.get(0))?;
            owner.ok_or(StoreError::Fault("an integration that is gone".into()))
        })
        .await
    }

    /// Makes a pending integration nobody's again, if the account is its owner.
    pub async fn disown(&self, integration: Hash, account: i64) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE integration SET owner_id = NULL
                 WHERE hash = ?1 AND status = 'pending' AND owner_id = ?2";
            transaction.execute(sql, values![integration, account])?;
            Ok(())
        })
        .await
    }

    /// Moves a pending integration to `finished`. False if it was not pending any more, not this account's, or the
    /// store is not, and if the sign-in counts no more.
    pub async fn finish(
        &self,
        consent: Consent,
        act: Act,
        pickup_until: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let Consent { integration, who, store, ereceipt } = &consent;
            if !is_current(transaction, *who)? {
                return Ok(false);
            }
            let sql = format!(
                "UPDATE integration SET status = 'finished', store_id = store.id, ereceipt = ?4, decided_at = ?5,
                 pickup_until = ?6
                 FROM store WHERE integration.hash = ?1 AND status = 'pending' AND expires_at > ?5 AND owner_id = ?2
                 AND store.public_id = ?3 AND store.account_id = ?2 AND withdrawn_at IS NULL RETURNING {HAS_WEBHOOK}"
            );
            let values = values![integration, who.account, store, ereceipt, act.now, pickup_until];
            let has_webhook: Option<bool> = transaction.row(&sql, values, |row| row.get(0))?;
            if let Some(has_webhook) = has_webhook {
                record(transaction, "integration.consented", Some(&integration.label()), &act)?;
                if has_webhook {
                    add_decision(transaction, integration, EventKind::Finished, act.now)?;
                }
            }
            Ok(has_webhook.is_some())
        })
        .await
    }
}

/// Takes the four digits from a pending integration that has expired.
fn release(
    transaction: &Transaction<'_>,
    vendor: i64,
    code: i64,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE integration SET code = NULL
         WHERE vendor_id = ?1 AND code = ?2 AND status = 'pending' AND expires_at <= ?3";
    Ok(transaction.execute(sql, values![vendor, code, now])? == 1)
}

fn read_integration(row: &Row<'_>) -> Result<Option<Integration>, StoreError> {
    let Some(hash) = row.get(5)? else {
        return Ok(None);
    };
    let unknown = || StoreError::Fault("an integration with an unknown word".into());
    let status: String = row.get(6)?;
    let reason: Option<String> = row.get(7)?;
    Ok(Some(Integration {
        hash,
        status: Status::parse(&status).ok_or_else(unknown)?,
        reason: reason
            .map(|text| StatusReason::parse(&text).ok_or_else(unknown))
            .transpose()?,
        expires_at: row.get(8)?,
        pickup_until: row.get(9)?,
        claimed: row.get::<Option<Timestamp>>(10)?.is_some(),
        owner: row.get(11)?,
        is_opened: row.get::<Option<Timestamp>>(12)?.is_some(),
    }))
}

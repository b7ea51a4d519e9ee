//! Where vendors are told what happened, and the secrets that those calls are signed with.

use super::audit::{Act, record};
use super::event::{EventKind, test_event};
use super::mode::read_mode;
use super::{Store, StoreError, json};
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::token::{Hash, random_text};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long the secret before the last one still signs, too.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);

/// Where one vendor is told. No `Debug`: it holds secrets.
pub struct Endpoint {
    /// A checked address.
    pub url: String,
    /// The newest first; two while one replaces the other.
    pub secrets: Vec<String>,
    /// The vendor's.
    pub mode: Mode,
}

/// What is sealed.
#[derive(Deserialize, Serialize)]
struct Secrets {
    current: String,
    previous: Option<Previous>,
}

#[derive(Deserialize, Serialize)]
struct Previous {
    secret: String,
    until: i64,
}

/// A vendor's webhook, as the operator sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSummary {
    /// The vendor.
    pub client_id: String,
    /// The address, which may hold a secret of its receiver: only the operator sees it.
    pub url: String,
    /// Events that wait; a hundred thousand at most are counted.
    pub queued: i64,
    /// Events that are tried no more, counted so, too.
    pub failed: i64,
    /// Since when nothing is sent, because the receiver answered 410.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<String>,
}

/// What lies ahead is not walked through: there is one for each pending integration.
pub(super) const WEBHOOKS: &str = "SELECT v.client_id, w.url,
       (SELECT count(*) FROM (SELECT 1 FROM event e WHERE e.vendor_id = w.vendor_id AND e.state = 'queued'
         AND e.state <> 'sent' AND e.at <= ?1 LIMIT 100000) AS waiting),
       (SELECT count(*) FROM (SELECT 1 FROM event e WHERE e.vendor_id = w.vendor_id AND e.state = 'failed'
         AND e.state <> 'sent' AND e.at <= ?1 LIMIT 100000) AS failed),
       w.disabled_at
     FROM webhook w JOIN vendor v ON v.id = w.vendor_id ORDER BY v.id";

impl Store {
    /// Tells a vendor at this address from now on, signed with this secret; the one before signs, too, for a day. False
    /// if there is no such vendor.
    pub async fn set_webhook(
        &self,
        client_id: String,
        url: String,
        secret: String,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            let Some(vendor) = vendor_of(transaction, &client_id)? else {
                return Ok(false);
            };
            let sql = "SELECT hash, sealed FROM webhook WHERE vendor_id = ?1";
            let before: Option<(Hash, Vec<u8>)> =
                transaction.row(sql, values![vendor], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let opened = before.and_then(|(hash, sealed)| {
                let plain = sealer.open(Purpose::WebhookSecrets, &hash, &sealed).ok()?;
                serde_json::from_slice::<Secrets>(&plain).ok()
            });
            let secrets = Secrets {
                current: secret.clone(),
                previous: opened.map(|before| Previous { secret: before.current, until: now.after(OVERLAP).0 }),
            };
            let hash = Hash::of(&random_text(20));
            let sealed = sealer.seal(Purpose::WebhookSecrets, &hash, &json(&secrets)?)?;
            let sql = "INSERT INTO webhook (vendor_id, url, sealed, hash) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (vendor_id) DO UPDATE
                         SET url = excluded.url, sealed = excluded.sealed, hash = excluded.hash, quiet_until = 0,
                           silences = 0, disabled_at = NULL";
            transaction.execute(sql, values![vendor, url, sealed, hash])?;
            record(transaction, "webhook.set", Some(&client_id), &Act::operator(now))?;
            Ok(true)
        })
        .await
    }

    /// Tells a vendor nothing any more; what waits is dropped. False if it has no webhook.
    pub async fn remove_webhook(
        &self,
        client_id: String,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let Some(vendor) = vendor_of(transaction, &client_id)? else {
                return Ok(false);
            };
            let sql = "DELETE FROM webhook WHERE vendor_id = ?1";
            let is_there = transaction.execute(sql, values![vendor])? == 1;
            if is_there {
                // What was told stays as long as its integration.
                let waiting = "DELETE FROM event WHERE vendor_id = ?1 AND state <> 'sent'";
                transaction.execute(waiting, values![vendor])?;
                let act = Act::operator(now);
                record(transaction, "webhook.removed", Some(&client_id), &act)?;
            }
            Ok(is_there)
        })
        .await
    }

    /// Sends to a receiver again that had wanted it no more, with all that waits. False if the vendor has no webhook.
    pub async fn enable_webhook(
        &self,
        client_id: String,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE webhook SET disabled_at = NULL, quiet_until = 0
                   WHERE vendor_id = (SELECT id FROM vendor WHERE client_id = ?1) RETURNING CAST(?1 AS text)";
        self.command(
            sql.into(),
            values![client_id],
            "webhook.enabled",
            Act::operator(now),
        )
        .await
    }

    /// How many webhooks are disabled.
    pub async fn disabled_webhooks(&self) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM webhook WHERE disabled_at IS NOT NULL";
        self.one(sql, values![], |row| row.get(0)).await
    }

    /// Has a vendor told that this is a test; gives the event's id. `None` if it has no webhook.
    pub async fn test_webhook(
        &self,
        client_id: String,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT w.vendor_id FROM webhook w JOIN vendor v ON v.id = w.vendor_id WHERE v.client_id = ?1";
            let vendor: Option<i64> = transaction.row(sql, values![client_id], |row| row.get(0))?;
            let Some(vendor) = vendor else {
                return Ok(None);
            };
            // Whoever tries it does not want to wait until the vendor is tried again.
            transaction.execute("UPDATE webhook SET quiet_until = 0 WHERE vendor_id = ?1", values![vendor])?;
            record(transaction, "webhook.tested", Some(&client_id), &Act::operator(now))?;
            test_event(transaction, vendor, EventKind::Test, now).map(Some)
        })
        .await
    }

    /// Where a vendor is told, if it is.
    pub(crate) async fn webhook(
        &self,
        vendor: i64,
        now: Timestamp,
    ) -> Result<Option<Endpoint>, StoreError> {
        let sql = "SELECT url, hash, sealed, vendor.mode FROM webhook JOIN vendor ON vendor.id = vendor_id
             WHERE vendor_id = ?1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, read_mode(row, 3)?));
        let found: Option<(String, Hash, Vec<u8>, Mode)> =
            self.row(sql, values![vendor], read).await?;
        let Some((url, hash, sealed, mode)) = found else {
            return Ok(None);
        };
        let plain = self.sealer.open(Purpose::WebhookSecrets, &hash, &sealed)?;
        let unreadable = |_| StoreError::Fault("the secrets of a webhook cannot be read".into());
        let secrets: Secrets = serde_json::from_slice(&plain).map_err(unreadable)?;
        let previous = secrets.previous.filter(|previous| now.0 < previous.until);
        let secrets = [secrets.current]
            .into_iter()
            .chain(previous.map(|previous| previous.secret));
        Ok(Some(Endpoint {
            url,
            secrets: secrets.collect(),
            mode,
        }))
    }

    /// Every webhook, by vendor.
    pub async fn webhooks(&self, now: Timestamp) -> Result<Vec<WebhookSummary>, StoreError> {
        self.rows(WEBHOOKS, values![now], |row| {
            Ok(WebhookSummary {
                client_id: row.get(0)?,
                url: row.get(1)?,
                queued: row.get(2)?,
                failed: row.get(3)?,
                disabled_at: row.get::<Option<Timestamp>>(4)?.map(|at| at.to_string()),
            })
        })
        .await
    }
}

fn vendor_of(transaction: &Transaction<'_>, client_id: &str) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT id FROM vendor WHERE client_id = ?1";
    transaction.row(sql, values![client_id], |row| row.get(0))
}

//! Vendors, their secrets and their origins.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::origin::Origin;
use crate::token::Hash;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;

/// What a call needs to know about the vendor it names.
#[derive(Debug)]
pub struct Vendor {
    /// Row number.
    pub id: i64,
    secret: Hash,
    previous: Option<(Hash, Timestamp)>,
}

impl Vendor {
    /// Reads the columns id, secret_hash, previous_secret_hash, previous_secret_until.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let previous: Option<Hash> = row.get(2)?;
        let until: Option<Timestamp> = row.get(3)?;
        Ok(Self {
            id: row.get(0)?,
            secret: row.get(1)?,
            previous: previous.zip(until),
        })
    }

    /// Whether a secret is one of the vendor's live ones; takes as long for a wrong one.
    pub fn proves(&self, secret: &Hash, now: Timestamp) -> bool {
        let current = self.secret.matches(secret);
        let (previous, until) = self.previous.unwrap_or((self.secret, now));
        current | (previous.matches(secret) & (now < until))
    }
}

/// A new secret for a vendor.
pub struct Rotation {
    /// Hash of the new secret.
    pub secret: Hash,
    /// How long the one before still works.
    pub previous_until: Timestamp,
    /// Whether a secret of an earlier rotation that still works may end at once.
    pub ends_older: bool,
}

/// What became of a rotation.
#[derive(Debug, Eq, PartialEq)]
pub enum Rotated {
    /// The new secret works.
    Done,
    /// There is no such vendor.
    Unknown,
    /// Two secrets work until then: the older one may be in use.
    Underway(Timestamp),
}

/// A vendor as the operator sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VendorSummary {
    /// Identifier.
    pub client_id: String,
    /// Name for people.
    pub name: String,
    /// Registered origins.
    pub origins: Vec<String>,
    /// Whether its calls are refused.
    pub disabled: bool,
    /// How many secrets are live: 2 during a rotation.
    pub live_secrets: u8,
}

impl Store {
    /// Adds a vendor.
    pub async fn add_vendor(
        &self,
        client_id: String,
        name: String,
        secret: Hash,
        origins: Vec<Origin>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let inserted = transaction.execute(
                "INSERT INTO vendor (client_id, name, secret_hash, created_at) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO NOTHING",
                params![client_id, name, secret, now],
            )?;
            if inserted == 0 {
                return Err(StoreError::Exists);
            }
            insert_origins(transaction, transaction.last_insert_rowid(), &origins)
        })
        .await
    }

    /// Gives a vendor a new secret; the one before works until `rotation.previous_until`. The one before that ends at
    /// once, so it has to be over, or given up.
    pub async fn rotate_secret(
        &self,
        client_id: String,
        rotation: Rotation,
        now: Timestamp,
    ) -> Result<Rotated, StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT previous_secret_until FROM vendor WHERE client_id = ?";
            let found: Option<Option<Timestamp>> = transaction
                .query_row(sql, [&client_id], |row| row.get(0))
                .optional()?;
            match found {
                None => return Ok(Rotated::Unknown),
                Some(Some(until)) if until > now && !rotation.ends_older => {
                    return Ok(Rotated::Underway(until));
                }
                Some(_) => {}
            }
            transaction.execute(
                "UPDATE vendor SET previous_secret_hash = secret_hash, previous_secret_until = ?3, secret_hash = ?2
                 WHERE client_id = ?1",
                params![client_id, rotation.secret, rotation.previous_until],
            )?;
            Ok(Rotated::Done)
        })
        .await
    }

    /// Replaces a vendor's origins. False if there is no such vendor.
    pub async fn set_origins(
        &self,
        client_id: String,
        origins: Vec<Origin>,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let id = "SELECT id FROM vendor WHERE client_id = ?";
            let id: Option<i64> = transaction
                .query_row(id, [client_id], |row| row.get(0))
                .optional()?;
            let Some(id) = id else { return Ok(false) };
            transaction.execute("DELETE FROM vendor_origin WHERE vendor_id = ?", [id])?;
            insert_origins(transaction, id, &origins)?;
            Ok(true)
        })
        .await
    }

    /// Refuses every further call of a vendor, or answers it again. False if there is no such vendor.
    pub async fn set_vendor_disabled(
        &self,
        client_id: String,
        disabled: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE vendor SET disabled_at = ?2 WHERE client_id = ?1";
            Ok(transaction.execute(sql, params![client_id, disabled])? == 1)
        })
        .await
    }

    /// Every vendor, oldest first.
    pub fn vendors(&self, now: Timestamp) -> Result<Vec<VendorSummary>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT client_id, name, disabled_at IS NOT NULL, 1 + coalesce(previous_secret_until > ?, 0), id
                 FROM vendor ORDER BY id",
            )?;
            let mut origins =
                connection.prepare("SELECT origin FROM vendor_origin WHERE vendor_id = ? ORDER BY origin")?;
            statement
                .query_map([now], |row| {
                    let listed = origins.query_map([row.get::<_, i64>(4)?], |row| row.get(0))?;
                    Ok(VendorSummary {
                        client_id: row.get(0)?,
                        name: row.get(1)?,
                        origins: listed.collect::<Result<_, _>>()?,
                        disabled: row.get(2)?,
                        live_secrets: row.get(3)?,
                    })
                })?
                .collect()
        })
    }

    /// Whether an `Origin` header is one of the vendor's, byte for byte.
    pub fn has_origin(&self, vendor: i64, origin: &str) -> Result<bool, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT 1 FROM vendor_origin WHERE vendor_id = ? AND origin = ?")?
                .exists(params![vendor, origin])
        })
    }

    /// A vendor's name, for the connect page.
    pub fn vendor_name(&self, vendor: i64) -> Result<String, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT name FROM vendor WHERE id = ?")?
                .query_row([vendor], |row| row.get(0))
        })
    }

    /// A vendor's origins, for the headers of the connect page.
    pub fn origins(&self, vendor: i64) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT origin FROM vendor_origin WHERE vendor_id = ? ORDER BY origin",
                )?
                .query_map([vendor], |row| row.get(0))?
                .collect()
        })
    }
}

fn insert_origins(
    transaction: &Transaction<'_>,
    vendor: i64,
    origins: &[Origin],
) -> Result<(), StoreError> {
    let sql = "INSERT INTO vendor_origin (vendor_id, origin) VALUES (?, ?) ON CONFLICT DO NOTHING";
    let mut statement = transaction.prepare_cached(sql)?;
    for origin in origins {
        statement.execute(params![vendor, origin.as_str()])?;
    }
    Ok(())
}

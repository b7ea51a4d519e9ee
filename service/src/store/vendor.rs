//! Vendors, their secrets and their origins.

use super::audit::{Act, record};
use super::mode::read_mode;
use super::{Listing, Store, StoreError};
use crate::clock::Timestamp;
use crate::logo::Logo;
use crate::origin::Origin;
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a call needs to know about the vendor it names.
#[derive(Debug)]
pub struct Vendor {
    /// Row number.
    pub id: i64,
    /// Whether it is real.
    pub mode: Mode,
    secret: Hash,
    previous: Option<(Hash, Timestamp)>,
}

impl Vendor {
    /// Reads the columns id, mode, secret_hash, previous_secret_hash, previous_secret_until.
    pub(super) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let previous: Option<Hash> = row.get(3)?;
        let until: Option<Timestamp> = row.get(4)?;
        Ok(Self {
            id: row.get(0)?,
            mode: read_mode(row, 1)?,
            secret: row.get(2)?,
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
    /// The new secret works, and the one before it until then.
    Done(Timestamp),
    /// There is no such vendor.
    Unknown,
    /// Two secrets work until then: the older one may be in use.
    Underway(Timestamp),
}

/// A vendor as the operator sees it.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VendorSummary {
    /// Row number.
    #[serde(skip)]
    pub row: i64,
    /// Identifier.
    pub client_id: String,
    /// Name for people.
    pub name: String,
    /// Whether it is real.
    pub mode: Mode,
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
        mode: Mode,
        secret: Hash,
        origins: Vec<Origin>,
        act: Act,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "INSERT INTO vendor (client_id, name, mode, secret_hash, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT DO NOTHING RETURNING id";
            let values = values![client_id, name, mode.as_str(), secret, act.now];
            let id = transaction.row(sql, values, |row| row.get(0))?;
            insert_origins(transaction, id.ok_or(StoreError::Exists)?, &origins)?;
            record(transaction, "vendor.added", Some(&client_id), &act)
        })
        .await
    }

    /// Gives a vendor a new secret; the one before works until `rotation.previous_until`. The one before that ends at
    /// once, so it has to be over, or given up.
    pub async fn rotate_secret(
        &self,
        client_id: String,
        rotation: Rotation,
        act: Act,
    ) -> Result<Rotated, StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT previous_secret_until FROM vendor WHERE client_id = ?1";
            let found: Option<Option<Timestamp>> =
                transaction.row(sql, values![client_id], |row| row.get(0))?;
            match found {
                None => return Ok(Rotated::Unknown),
                Some(Some(until)) if until > act.now && !rotation.ends_older => {
                    return Ok(Rotated::Underway(until));
                }
                Some(_) => {}
            }
            let sql =
                "UPDATE vendor SET previous_secret_hash = secret_hash, previous_secret_until = ?3,
                   secret_hash = ?2
                 WHERE client_id = ?1";
            transaction.execute(
                sql,
                values![client_id, rotation.secret, rotation.previous_until],
            )?;
            record(transaction, "vendor.secret_rotated", Some(&client_id), &act)?;
            Ok(Rotated::Done(rotation.previous_until))
        })
        .await
    }

    /// Replaces a vendor's origins. False if there is no such vendor.
    pub async fn set_origins(
        &self,
        client_id: String,
        origins: Vec<Origin>,
        act: Act,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let id = "SELECT id FROM vendor WHERE client_id = ?1";
            let id: Option<i64> = transaction.row(id, values![client_id], |row| row.get(0))?;
            let Some(id) = id else { return Ok(false) };
            transaction.execute(
                "DELETE FROM vendor_origin WHERE vendor_id = ?1",
                values![id],
            )?;
            insert_origins(transaction, id, &origins)?;
            record(transaction, "vendor.origins_set", Some(&client_id), &act)?;
            Ok(true)
        })
        .await
    }

    /// Refuses every further call of a vendor, or answers it again. False if there is no such vendor.
    pub async fn set_vendor_disabled(
        &self,
        client_id: String,
        is_disabled: bool,
        act: Act,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE vendor SET disabled_at = ?2 WHERE client_id = ?1 RETURNING client_id";
        let values = values![client_id, is_disabled.then_some(act.now)];
        let event = match is_disabled {
            true => "vendor.disabled",
            false => "vendor.enabled",
        };
        self.command(sql.into(), values, event, act).await
    }

    /// Gives a vendor a logo, or takes it away. False if there is no such vendor.
    pub async fn set_vendor_logo(
        &self,
        client_id: String,
        logo: Option<Logo>,
        act: Act,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE vendor SET logo = ?2 WHERE client_id = ?1 RETURNING client_id";
        let values = values![client_id, logo.as_ref().map(Logo::uri)];
        self.command(sql.into(), values, "vendor.logo_set", act)
            .await
    }

    /// Vendors, oldest first.
    pub async fn vendors(
        &self,
        now: Timestamp,
        part: Listing,
    ) -> Result<Vec<VendorSummary>, StoreError> {
        let sql = "SELECT id, client_id, name, disabled_at IS NOT NULL,
                     CASE WHEN previous_secret_until > ?1 THEN 2 ELSE 1 END, mode
                   FROM vendor WHERE id > ?2 ORDER BY id LIMIT ?3";
        let vendor = |row: &Row<'_>| {
            let row_number = row.get(0)?;
            let summary = VendorSummary {
                row: row_number,
                client_id: row.get(1)?,
                name: row.get(2)?,
                mode: read_mode(row, 5)?,
                origins: Vec::new(),
                disabled: row.get(3)?,
                live_secrets: row.get(4)?,
            };
            Ok((row_number, summary))
        };
        let mut vendors: BTreeMap<_, _> = self
            .rows(sql, values![now, part.after, part.limit], vendor)
            .await?
            .into_iter()
            .collect();
        let last = vendors.keys().next_back().copied();
        let sql = "SELECT vendor_id, origin FROM vendor_origin
             WHERE vendor_id > ?1 AND vendor_id <= ?2 ORDER BY origin";
        let origin = |row: &Row<'_>| Ok((row.get::<i64>(0)?, row.get(1)?));
        for (vendor, origin) in self
            .rows(sql, values![part.after, last.unwrap_or(0)], origin)
            .await?
        {
            if let Some(vendor) = vendors.get_mut(&vendor) {
                vendor.origins.push(origin);
            }
        }
        Ok(vendors.into_values().collect())
    }

    /// Whether an `Origin` header is one of the vendor's, byte for byte.
    pub async fn has_origin(&self, vendor: i64, origin: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM vendor_origin WHERE vendor_id = ?1 AND origin = ?2";
        self.exists(sql, values![vendor, origin]).await
    }

    /// A vendor's name, and its logo as a `data:` URI, for the connect page.
    pub async fn vendor_name_and_logo(
        &self,
        vendor: i64,
    ) -> Result<(String, Option<String>), StoreError> {
        let sql = "SELECT name, logo FROM vendor WHERE id = ?1";
        self.one(sql, values![vendor], |row| Ok((row.get(0)?, row.get(1)?)))
            .await
    }

    /// A vendor's origins, for the headers of the connect page.
    pub async fn origins(&self, vendor: i64) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT origin FROM vendor_origin WHERE vendor_id = ?1 ORDER BY origin";
        self.rows(sql, values![vendor], |row| row.get(0)).await
    }
}

fn insert_origins(
    transaction: &Transaction<'_>,
    vendor: i64,
    origins: &[Origin],
) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO vendor_origin (vendor_id, origin) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    for origin in origins {
        transaction.execute(sql, values![vendor, origin.as_str()])?;
    }
    Ok(())
}

//! Admin keys: what back offices of the operator's may call with.

use super::audit::{Act, record};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_foundation::database::Row;
use pos_connect_foundation::values;
use pos_connect_protocol::admin::Scope;

/// An admin key, by its hash.
#[derive(Clone, Debug)]
pub struct AdminKey {
    /// Row number.
    pub id: i64,
    /// What the audit and `admin-key list` call it; nothing to guess it by.
    pub label: String,
    /// Its hash.
    pub key: Hash,
    /// Name for people.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was added.
    pub created_at: Timestamp,
    /// Whether it is refused.
    pub revoked: bool,
}

const ADMIN_KEY: &str =
    "SELECT id, label, key_hash, name, scopes, created_at, revoked_at IS NOT NULL FROM admin_key";

fn read(row: &Row<'_>) -> Result<AdminKey, StoreError> {
    let scopes: String = row.get(4)?;
    Ok(AdminKey {
        id: row.get(0)?,
        label: row.get(1)?,
        key: row.get(2)?,
        name: row.get(3)?,
        // A word of another release's allows nothing.
        scopes: scopes.split(' ').filter_map(Scope::parse).collect(),
        created_at: row.get(5)?,
        revoked: row.get(6)?,
    })
}

impl Store {
    /// Adds an admin key; false if its label is taken.
    pub async fn add_admin_key(
        &self,
        key: Hash,
        name: String,
        scopes: &[Scope],
        act: Act,
    ) -> Result<bool, StoreError> {
        let words: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
        let (label, words) = (key.label(), words.join(" "));
        self.write(move |transaction| {
            let sql = "INSERT INTO admin_key (label, key_hash, name, scopes, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT DO NOTHING";
            let row = values![label, key, name, words, act.now];
            let is_added = transaction.execute(sql, row)? == 1;
            if is_added {
                record(transaction, "admin_key.added", Some(&label), &act)?;
            }
            Ok(is_added)
        })
        .await
    }

    /// The admin key with a label, revoked ones too.
    pub async fn admin_key(&self, label: &str) -> Result<Option<AdminKey>, StoreError> {
        let sql = format!("{ADMIN_KEY} WHERE label = ?1");
        self.row(&sql, values![label], read).await
    }

    /// All admin keys, oldest first.
    pub async fn admin_keys(&self) -> Result<Vec<AdminKey>, StoreError> {
        let sql = format!("{ADMIN_KEY} ORDER BY id");
        self.rows(&sql, values![], read).await
    }

    /// Refuses an admin key from now on, in the middle of a call, too. False if there is no such key.
    pub async fn revoke_admin_key(&self, label: String, act: Act) -> Result<bool, StoreError> {
        let sql = "UPDATE admin_key SET revoked_at = coalesce(revoked_at, ?2) WHERE label = ?1 RETURNING label";
        let values = values![label, act.now];
        self.command(sql.into(), values, "admin_key.revoked", act)
            .await
    }
}

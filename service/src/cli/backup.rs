//! `backup` and `restore`.

use super::{Common, Failure, output};
use crate::clock::Clock;
use crate::store::{Act, Opening, Store, note_backup};
use clap::Args;
use pos_connect_foundation::command::BackupOptions;
use pos_connect_foundation::database::{Count, counts};
use serde_json::{Map, json};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Backup {
    #[command(flatten)]
    options: BackupOptions,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct Restore {
    /// The copy that `backup` has made
    #[arg(value_name = "FILE")]
    from: PathBuf,
    /// The file with the private key of age, as age-keygen writes it, if the copy is encrypted
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// Move a database that is there aside
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    common: Common,
}

impl Backup {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (named, now) = (self.common.named()?, Clock::system().now());
        let copied = named.back_up(&self.options, now)?;
        // The copy is what counts: one is made before an upgrade, too, when there is no room for the row yet.
        if let Err(error) = note_backup(named.url(), now).await {
            tracing::warn!(%error, "the audit does not tell of this copy");
        }
        output::print(self.common.json, &copied, || copied.to_string())
    }
}

impl Restore {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let named = self.common.named()?;
        let _exclusive = named.exclusive()?;
        let staged = named.stage(&self.from, self.identity.as_deref(), self.replace)?;
        let url = staged.url();
        // The key is beside the place, not beside the copy.
        let key = self.common.storage_key_of(&named)?;
        let opened = Store::open(&url, Some(key), Opening::Prepare).await;
        let store = opened.map_err(|error| format!("the copy cannot be used: {error}"))?;
        let (version, key) = (store.schema_version(), store.key_id());
        let counts = counts(&url)?;
        let now = Clock::system().now();
        store
            .record("database.restored", None, Act::operator(now))
            .await?;
        drop(store);
        let time = now.to_string().replace(':', "");
        let before = staged.put(&format!(".before-{time}"))?;
        let value = json!({ "rows": by_table(&counts), "schemaVersion": version, "storageKey": key, "before": before });
        output::print(self.common.json, &value, || {
            let before =
                before.map(|file| format!("; the database of before is {}", file.display()));
            format!(
                "restored {}; schema version {version}, storage key {key}{}",
                listed(&counts),
                before.unwrap_or_default()
            )
        })
    }
}

/// `12 rows: 3 vendor, 9 account`.
pub(super) fn listed(counts: &[Count]) -> String {
    let all: u64 = counts.iter().map(|(_, rows)| rows).sum();
    let tables = counts.iter().filter(|(_, rows)| *rows > 0);
    let tables: Vec<_> = tables
        .map(|(table, rows)| format!("{rows} {table}"))
        .collect();
    format!("{all} rows: {}", tables.join(", "))
}

pub(super) fn by_table(counts: &[Count]) -> Map<String, serde_json::Value> {
    let pairs = counts
        .iter()
        .map(|(table, rows)| (table.clone(), json!(rows)));
    pairs.collect()
}

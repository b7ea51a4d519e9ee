//! `migrate`.

use super::backup::{by_table, listed};
use super::{Common, Failure, note, output};
use crate::clock::Clock;
use crate::service::Settings;
use crate::store::{Act, Opening, SCHEMA, Store};
use clap::Args;
use pos_connect_foundation::database::{Database, holds_password, is_postgres, shown};
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::sqlite::{nothing_at, sqlite_file};
use serde_json::json;

/// A command line can be read by everybody on the machine.
const TO_VARIABLE: &str = "POS_CONNECT_SERVICE_MIGRATE_TO";

#[derive(Args)]
pub(super) struct Migrate {
    /// Move the SQLite database, while the service is stopped, to this empty one: postgres://USER@HOST/NAME; a URL with
    /// a password is read from POS_CONNECT_SERVICE_MIGRATE_TO
    #[arg(long, value_name = "URL")]
    to: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Migrate {
    pub(super) async fn run(self) -> Result<(), Failure> {
        if self.to.as_deref().is_some_and(holds_password) {
            return Err(format!("put a URL with a password into {TO_VARIABLE}").into());
        }
        match self.to.clone().or_else(|| std::env::var(TO_VARIABLE).ok()) {
            Some(to) => self.move_to(&to).await,
            None => self.prepare().await,
        }
    }

    async fn prepare(self) -> Result<(), Failure> {
        let common = self.common;
        let service = common
            .open_with(Settings::default(), Opening::Prepare)
            .await?;
        let version = service.store.schema_version();
        note(&service, "database.migrated", version.to_string()).await?;
        let named = common.named()?;
        output::print(common.json, &json!({ "schemaVersion": version }), || {
            format!("{} has schema version {version}", named.shown())
        })
    }

    async fn move_to(self, to: &str) -> Result<(), Failure> {
        let named = self.common.named()?;
        if !is_postgres(to) || is_postgres(named.url()) {
            return Err("`--to` moves a SQLite database to postgres://…".into());
        }
        // A mistyped path must not become an empty database, which is moved in no time.
        let file = sqlite_file(named.url())?;
        if !file.exists() {
            return Err(nothing_at(&file).into());
        }
        let _exclusive = named.exclusive()?;
        let key = self.common.storage_key_of(&named)?;
        // The key is the right one, and the file as this program needs it.
        drop(
            Store::open(named.url(), Some(key.clone()), Opening::Prepare)
                .await
                .map_err(|error| named.unopened(error))?,
        );
        let unopened = |error| Failure::from(format!("cannot open {}: {error}", shown(to)));
        let target = Database::open(to, &SCHEMA, Opening::Prepare)
            .await
            .map_err(unopened)?;
        let url = named.url().to_owned();
        let moved = target
            .write(move |transaction| transaction.take_all(&url))
            .await;
        let counts = moved.map_err(|error| format!("nothing was moved: {error}"))?;
        let is_in_file = matches!(key, StorageKey::File(_));
        let store = Store::with_key(target, to, Some(key)).await?;
        let act = Act::operator(Clock::system().now());
        store.record("database.moved", None, act).await?;
        let value = json!({ "rows": by_table(&counts), "storageKey": store.key_id() });
        output::print(self.common.json, &value, || {
            let file = if is_in_file {
                ", and with its key file in `--key-file`"
            } else {
                ""
            };
            format!(
                "moved and compared {}; start the service with this database{file}. \
                 The file is as it was: take it away",
                listed(&counts)
            )
        })
    }
}

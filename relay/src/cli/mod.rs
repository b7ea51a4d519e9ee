//! The command line.

mod audit;
mod fleet_key;
mod key;
mod merchant;
mod secret;
mod serve;
mod till;

use crate::seal::PROGRAM;
use crate::store::Store;
use clap::{Args, Parser, Subcommand};
use pos_connect_foundation::clock::Clock;
use pos_connect_foundation::command::{self as output, BackupOptions, Failure, Telemetry};
use pos_connect_foundation::configuration;
use pos_connect_foundation::database::{Named, Naming};
use pos_connect_foundation::sqlite::Opening;
use pos_connect_foundation::token::Kind;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

const DATABASE: Naming = Naming {
    variable: "POS_CONNECT_RELAY_DATABASE",
    default: "sqlite://pos-connect-relay.db",
    schema: "pos_connect_relay",
};
/// The prefix of the variables that stand for options of `serve`.
const PREFIX: &str = "POS_CONNECT_RELAY";

/// The vendor's relay: adds the client secret, keeps the tokens.
#[derive(Parser)]
#[command(name = "pos-connect-relay", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer tills
    Serve(Box<serve::Serve>),
    /// Tills: who may call
    #[command(subcommand)]
    Till(till::TillCommand),
    /// Fleet keys: which servers may add and revoke tills
    #[command(subcommand)]
    FleetKey(fleet_key::FleetKeyCommand),
    /// Merchants: who is connected
    #[command(subcommand)]
    Merchant(merchant::MerchantCommand),
    /// Show who did what, and when
    Audit(audit::Audit),
    /// Make the database, or bring its schema up to date (serve does so too)
    Migrate(Common),
    /// Copy a SQLite database to a new file, also while the relay runs; the storage key is not in it
    Backup(Backup),
    /// Encrypt everything with the first storage key in the key file, once each relay was started with it
    RotateKey(RotateKey),
    /// Make a storage key and print it
    Key {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
struct Backup {
    #[command(flatten)]
    options: BackupOptions,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct RotateKey {
    /// The key file, unless POS_CONNECT_RELAY_KEY is in the environment [default: pos-connect-relay.key]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Options of every command that needs the database.
#[derive(Args)]
struct Common {
    /// The database: sqlite://FILE or postgres://USER@HOST/NAME; the environment's POS_CONNECT_RELAY_DATABASE if not
    /// given here [default: sqlite://pos-connect-relay.db]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Common {
    fn named(&self) -> Result<Named, Failure> {
        DATABASE.find(self.database.as_deref())
    }

    async fn open(&self, opening: Opening) -> Result<Store, Failure> {
        let named = self.named()?;
        let opened = Store::open(named.url(), opening).await;
        opened.map_err(|error| named.unopened(error))
    }
}

impl Backup {
    fn run(self) -> Result<(), Failure> {
        let now = Clock::system().now();
        let copied = self.common.named()?.back_up(&self.options, now)?;
        output::print(self.common.json, &copied, || copied.to_string())
    }
}

impl RotateKey {
    async fn run(self) -> Result<(), Failure> {
        let store = self.common.open(Opening::Existing).await?;
        let sealer = Arc::new(secret::storage_key(self.key_file).sealer(PROGRAM, false)?);
        let changed = store.rotate_key(&sealer, &Clock::system()).await?;
        let key = sealer.id();
        let answer = json!({ "storageKey": key, "changed": changed });
        output::print(self.common.json, &answer, || {
            format!(
                "{changed} values were encrypted again; all are with the key {key}. Older keys open older backups only"
            )
        })
    }
}

/// The command line, as it is read.
pub fn command() -> clap::Command {
    configuration::command::<Cli>(PREFIX)
}

/// Runs the program.
pub fn run() -> ExitCode {
    let cli = configuration::parse::<Cli>(PREFIX);
    let telemetry = match &cli.command {
        Command::Serve(serve) => serve.telemetry.clone(),
        _ => Telemetry::default(),
    };
    output::run(env!("CARGO_PKG_NAME"), &telemetry, cli.command.run())
}

impl Command {
    async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Serve(serve) => serve.run().await,
            Self::Till(command) => command.run().await,
            Self::FleetKey(command) => command.run().await,
            Self::Merchant(command) => command.run().await,
            Self::Audit(audit) => audit.run().await,
            Self::Migrate(common) => {
                let version = common.open(Opening::Prepare).await?.schema_version();
                let named = common.named()?;
                output::print(common.json, &json!({ "schemaVersion": version }), || {
                    format!("{} has schema version {version}", named.shown())
                })
            }
            Self::Backup(backup) => backup.run(),
            Self::RotateKey(rotate) => rotate.run().await,
            Self::Key { json } => {
                let key = Kind::Storage.mint();
                output::print(json, &json!({ "key": key }), || key.clone())
            }
        }
    }
}

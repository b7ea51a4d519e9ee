//! The command line.

mod account;
mod admin_key;
mod audit;
mod backup;
mod brand;
mod doctor;
mod erase;
mod message;
mod messages;
mod migrate;
mod order;
mod provider;
mod public_url;
mod purge;
mod sealing_key;
mod serve;
mod token_set;
mod vendor;
mod webhook;

use crate::clock::Clock;
use crate::service::{Service, Settings};
use crate::store::{Act, Opening, key_beside};
use crate::token::Kind;
use clap::{Args, Parser, Subcommand};
use pos_connect_foundation::command::{self as output, Failure, Telemetry};
use pos_connect_foundation::configuration;
use pos_connect_foundation::database::{Named, Naming};
use pos_connect_foundation::secret::StorageKey;
use pos_connect_protocol::Mode;
use pos_connect_protocol::text::is_name;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

const DATABASE: Naming = Naming {
    variable: "POS_CONNECT_SERVICE_DATABASE",
    default: "sqlite://pos-connect.db",
    schema: "pos_connect_service",
};
/// The prefix of the variables that stand for options of `serve`.
const PREFIX: &str = "POS_CONNECT_SERVICE";
const KEY_VARIABLE: &str = "POS_CONNECT_SERVICE_KEY";

/// The integration authorization service.
#[derive(Parser)]
#[command(name = "pos-connect-service", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer tills and merchants
    Serve(Box<serve::Serve>),
    /// Examine the settings of serve, the database, keys, clock, TLS, proxy and outlets, and say what to do
    Doctor(Box<doctor::Doctor>),
    /// Vendors: who may call
    #[command(subcommand)]
    Vendor(vendor::VendorCommand),
    /// Accounts: who may sign in on the connect page
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Keys of your back office, for the admin API
    #[command(subcommand)]
    AdminKey(admin_key::AdminKeyCommand),
    /// Tokens that vendors hold
    #[command(subcommand)]
    TokenSet(token_set::TokenSetCommand),
    /// Orders that tills sent
    #[command(subcommand)]
    Order(order::OrderCommand),
    /// Customers that tills sent
    #[command(subcommand)]
    Customer(erase::CustomerCommand),
    /// Text messages that were not delivered
    #[command(subcommand)]
    Message(message::MessageCommand),
    /// Keys that tills seal shoppers' numbers for
    #[command(subcommand)]
    SealingKey(sealing_key::SealingKeyCommand),
    /// Where vendors are told what happens to their integrations
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Show who did what, when and from where
    Audit(audit::Audit),
    /// Make the database, or bring its schema up to date (serve does so too), or move it to PostgreSQL
    Migrate(migrate::Migrate),
    /// Erase what is over, as serve does by itself; give it the same --keep options
    Purge(purge::Purge),
    /// Copy the database to a new file, also while the service runs; the storage key is not in it
    Backup(backup::Backup),
    /// Put a copy into the place of the database, while the service is stopped
    Restore(backup::Restore),
    /// Encrypt everything with the first storage key in the key file, once each service was started with it
    RotateKey(Common),
    /// Make a storage key
    Key {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Options of every command.
#[derive(Args)]
struct Common {
    /// The database: sqlite://FILE or postgres://USER@HOST/NAME; the environment's POS_CONNECT_SERVICE_DATABASE if not
    /// given here [default: sqlite://pos-connect.db]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// A file with the key that personal data is encrypted with; others in further lines only decrypt. It is made with
    /// the database, unless POS_CONNECT_SERVICE_KEY is in the environment [default on SQLite: pos-connect.db.key]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Common {
    /// The database, for a command beside the service: it has to be there.
    async fn open(&self) -> Result<Service, Failure> {
        self.open_with(Settings::default(), Opening::Existing).await
    }

    /// The database, for a command that contains an incident: a full disk does not stop it.
    async fn open_to_contain(&self) -> Result<Service, Failure> {
        self.open_with(Settings::default(), Opening::Contain).await
    }

    async fn open_with(&self, settings: Settings, opening: Opening) -> Result<Service, Failure> {
        let named = self.named()?;
        let settings = Settings {
            storage_key: self.storage_key(),
            ..settings
        };
        let opened = Service::open_as(opening, named.url(), settings, Clock::system()).await;
        opened.map_err(|error| named.unopened(error))
    }

    fn storage_key(&self) -> Option<StorageKey> {
        let key = || std::env::var(KEY_VARIABLE).ok().map(StorageKey::Text);
        self.key_file.clone().map(StorageKey::File).or_else(key)
    }

    /// The storage key that was given, or the one beside that database.
    fn storage_key_of(&self, named: &Named) -> Result<StorageKey, Failure> {
        Ok(self
            .storage_key()
            .map_or_else(|| key_beside(named.url()), Ok)?)
    }

    fn named(&self) -> Result<Named, Failure> {
        DATABASE.find(self.database.as_deref())
    }
}

async fn rotate_key(common: &Common) -> Result<(), Failure> {
    let service = common.open().await?;
    let changed = service.store.rotate_key(&service.clock).await?;
    let key = service.store.key_id();
    let answer = json!({ "storageKey": key, "changed": changed });
    output::print(common.json, &answer, || {
        format!(
            "{changed} values were encrypted again; all are with the key {key}. Older keys open older backups only"
        )
    })
}

/// A name that merchants or shoppers read.
fn name(text: &str) -> Result<String, String> {
    match is_name(text) {
        true => Ok(text.to_owned()),
        false => {
            Err("a name shows something, and has no control characters and no outer spaces".into())
        }
    }
}

/// Reads a [`Mode`].
fn mode(word: &str) -> Result<Mode, String> {
    Mode::parse(word).ok_or_else(|| "must be live or test".into())
}

/// The error for a name that no vendor or account (`noun`) has.
fn unknown(noun: &str, name: &str) -> Failure {
    format!("there is no {noun} {name}; `{noun} list` shows them").into()
}

/// What a vendor or an account is.
const fn state(disabled: bool) -> &'static str {
    match disabled {
        true => "disabled",
        false => "enabled",
    }
}

/// Tells the audit of a command.
async fn note(service: &Service, event: &'static str, subject: String) -> Result<(), Failure> {
    let act = Act::operator(service.clock.now());
    Ok(service.store.record(event, Some(subject), act).await?)
}

/// The command line, as it is read.
pub fn command() -> clap::Command {
    configuration::command::<Cli>(PREFIX)
}

/// Runs the program.
pub fn run() -> ExitCode {
    let cli: Cli = configuration::parse(PREFIX);
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
            Self::Doctor(doctor) => doctor.run().await,
            Self::Vendor(command) => command.run().await,
            Self::Account(command) => command.run().await,
            Self::AdminKey(command) => command.run().await,
            Self::TokenSet(command) => command.run().await,
            Self::Customer(command) => command.run().await,
            Self::Message(command) => command.run().await,
            Self::Order(command) => command.run().await,
            Self::SealingKey(command) => command.run().await,
            Self::Webhook(command) => command.run().await,
            Self::Audit(audit) => audit.run().await,
            Self::Purge(purge) => purge.run().await,
            Self::Backup(backup) => backup.run().await,
            Self::Restore(restore) => restore.run().await,
            Self::RotateKey(common) => rotate_key(&common).await,
            Self::Migrate(migrate) => migrate.run().await,
            Self::Key { json } => {
                let key = Kind::Storage.mint();
                output::print(json, &json!({ "key": key }), || key.clone())
            }
        }
    }
}

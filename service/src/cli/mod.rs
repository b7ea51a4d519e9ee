//! The command line.

mod account;
mod message;
mod serve;
mod vendor;

use crate::clock::Clock;
use crate::service::{Service, Settings};
use crate::store::Store;
use crate::token::Kind;
use clap::{Args, Parser, Subcommand};
use pos_connect_foundation::command::{self as output, Failure};
use pos_connect_foundation::secret::storage_key;
use pos_connect_foundation::sqlite::Exclusive;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

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
    /// Vendors: who may call
    #[command(subcommand)]
    Vendor(vendor::VendorCommand),
    /// Accounts: who may sign in on the connect page
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Text messages that were not delivered
    #[command(subcommand)]
    Message(message::MessageCommand),
    /// Bring the database's schema up to date (serve does so too)
    Migrate(Common),
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
    /// The database
    #[arg(long, value_name = "URL", default_value = "sqlite://pos-connect.db")]
    database: String,
    /// A file with the key that personal data is sealed with; made if it is not there, unless POS_CONNECT_SERVICE_KEY is
    /// in the environment [default: pos-connect.db.key]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Common {
    fn open(&self) -> Result<Service, Failure> {
        self.open_with(Settings::default())
    }

    /// So that nobody else serves this database.
    fn exclusive(&self) -> Result<Exclusive, Failure> {
        Ok(Exclusive::take(&self.database).map_err(|error| error.to_string())?)
    }

    fn open_with(&self, settings: Settings) -> Result<Service, Failure> {
        let storage_key = match &self.key_file {
            Some(file) => Some(storage_key(file)?),
            None => std::env::var(KEY_VARIABLE).ok(),
        };
        let settings = Settings {
            storage_key,
            ..settings
        };
        Service::open(&self.database, settings, Clock::system())
            .map_err(|error| format!("cannot open {}: {error}", self.database).into())
    }
}

/// Runs the program.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    output::log_to_stderr();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Failure::from)
        .and_then(|runtime| runtime.block_on(cli.command.run()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

impl Command {
    async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Serve(serve) => serve.run().await,
            Self::Vendor(command) => command.run().await,
            Self::Account(command) => command.run().await,
            Self::Message(command) => command.run().await,
            Self::Migrate(common) => {
                common.open()?;
                let version = Store::schema_version();
                output::print(common.json, &json!({ "schemaVersion": version }), || {
                    format!("{} has schema version {version}", common.database)
                })
            }
            Self::Key { json } => {
                let key = Kind::Storage.mint();
                output::print(json, &json!({ "key": key }), || key.clone())
            }
        }
    }
}

//! The integration authorization service.
//!
//! A request's way: [`server`] accepts it, [`http`] reads it strictly and checks who calls, [`integration`] and
//! [`poll`] decide, [`store`] remembers; the connect frame's pages go the same way. Decisions ask [`clock`] for the
//! time, so a test can move it.
//!
//! ```
//! use pos_connect_service::clock::Clock;
//! use pos_connect_service::{Service, Settings, router};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::env::temp_dir().join(format!("pos-connect-doc-{}.db", std::process::id()));
//! let database = format!("sqlite://{}", file.display());
//! let service = Service::open(&database, Settings::default(), Clock::system()).await?;
//! let router = router(service);
//! # drop(router);
//! # std::fs::remove_file(file.with_extension("db.key"))?;
//! # std::fs::remove_file(file)?;
//! # Ok(())
//! # }
//! ```

pub mod account;
pub mod admin;
pub mod admin_key;
pub mod brand;
pub mod cli;
mod connect;
mod date;
pub mod demo;
mod doctor;
pub mod http;
pub mod integration;
mod language;
pub mod logo;
pub mod message;
pub mod oidc;
mod outcome;
pub mod password;
mod pending;
pub mod poll;
mod purge;
pub mod quota;
mod receipt;
mod retry;
mod router;
mod seal;
mod sealing;
pub mod service;
pub mod sign_in;
pub mod store;
pub mod token_set;
mod totp;
pub mod vendor;
pub mod webhook;

pub use pos_connect_foundation::{clock, limit, origin, server, token};
pub use router::router;
pub use service::{Service, Settings};

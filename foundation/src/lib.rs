//! What the authorization service and the relay both stand on. Nothing here knows of integrations.
//!
//! [`clock`] tells the time, [`token`] mints and recognizes random values, [`origin`] reads web origins, [`query`]
//! query strings, [`idempotency_key`] and [`bearer`] read headers, [`address`] tells who calls, [`audit`] shows who did
//! what, [`answer`] has what all answers share, [`refusal`] why a call is refused, [`page`] which page calls.
//! [`server`] accepts connections, [`limit`] counts calls, [`shares`] has so many places for each key, [`client`] makes
//! calls, [`trace`] follows both, [`command`] prints, [`configuration`] reads the options, [`metrics`] counts,
//! [`openapi`] says what a program answers. [`private`] makes files for their owner only, [`secret`] reads secrets from
//! files, [`seal`] encrypts, [`trust`] has the certificates that servers are known by. [`sqlite`] and [`postgres`] keep
//! what outlives the process; [`database`] is either of them, and [`storage_key`] changes the key that it is sealed
//! with.

pub mod address;
pub mod answer;
pub mod audit;
pub mod bearer;
pub mod client;
pub mod clock;
pub mod command;
pub mod configuration;
pub mod database;
pub mod idempotency_key;
pub mod limit;
pub mod metrics;
pub mod openapi;
pub mod origin;
pub mod page;
pub mod postgres;
pub mod private;
pub mod query;
pub mod refusal;
pub mod seal;
pub mod secret;
pub mod server;
pub mod shares;
pub mod sqlite;
pub mod storage_key;
pub mod token;
pub mod trace;
pub mod trust;

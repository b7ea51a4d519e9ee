//! The relay: a vendor's own back end half. Tills speak the service's protocol to it, without the client secret.
//!
//! A request's way: [`http`] reads it strictly and checks who calls, [`pickup`] decides what the service's answers
//! mean, [`keeper`] acts on it, [`upstream`] calls the service, [`store`] remembers, with everything secret sealed by
//! [`seal`].

mod checked;
pub mod cli;
pub mod fleet_key;
pub mod http;
pub mod keeper;
pub mod pickup;
pub mod refusal;
pub mod relay;
pub mod seal;
mod single_flight;
pub mod store;
pub mod till;
pub mod tokens;
pub mod upstream;

pub use relay::{Relay, Settings};

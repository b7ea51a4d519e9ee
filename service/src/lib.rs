//! The integration authorization service.

pub mod cli;
pub mod clock;
mod connect;
pub mod demo;
pub mod http;
pub mod integration;
pub mod limit;
pub mod origin;
pub mod password;
pub mod poll;
pub mod server;
pub mod service;
pub mod store;
pub mod token;

pub use service::{Service, Settings};

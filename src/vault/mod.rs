//! What is kept of a vendor account and store in this browser, and the locks between its pages.

pub mod record;
pub mod text;

#[cfg(target_arch = "wasm32")]
pub(crate) mod connection_record;
#[cfg(target_arch = "wasm32")]
mod database;
#[cfg(target_arch = "wasm32")]
mod indexed_db;
#[cfg(target_arch = "wasm32")]
pub(crate) mod lock;
#[cfg(target_arch = "wasm32")]
mod memory;
#[cfg(target_arch = "wasm32")]
pub(crate) mod mutex;
#[cfg(target_arch = "wasm32")]
mod request;
#[cfg(target_arch = "wasm32")]
pub(crate) mod seal;
#[cfg(target_arch = "wasm32")]
mod vault;

#[cfg(target_arch = "wasm32")]
pub(crate) use vault::{Action, Found, Range, StorageError, Vault};

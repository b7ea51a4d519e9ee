//! What is kept of a vendor account and store in this browser, and the locks between its pages.

pub mod lease;
pub mod memory;
pub mod mutex;
pub mod record;
pub mod storage;

#[cfg(target_arch = "wasm32")]
pub(crate) mod connection_record;
#[cfg(target_arch = "wasm32")]
mod database;
#[cfg(target_arch = "wasm32")]
mod indexed_db;
#[cfg(target_arch = "wasm32")]
pub(crate) mod lock;
#[cfg(target_arch = "wasm32")]
mod request;
#[cfg(target_arch = "wasm32")]
pub(crate) mod seal;
#[cfg(target_arch = "wasm32")]
mod vault;

#[cfg(target_arch = "wasm32")]
pub(crate) use vault::{StorageError, Vault};

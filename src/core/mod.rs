//! What every feature stands on: errors, options, and what the browser has.

pub mod error;
pub mod failure;
pub mod labels;
pub mod named_enum;
pub mod notify;
pub mod options;

#[cfg(target_arch = "wasm32")]
mod allocator;
#[cfg(target_arch = "wasm32")]
pub(crate) mod cancellation;
#[cfg(target_arch = "wasm32")]
pub(crate) mod channel;
#[cfg(target_arch = "wasm32")]
pub(crate) mod console;
#[cfg(target_arch = "wasm32")]
pub(crate) mod elements;
#[cfg(target_arch = "wasm32")]
pub(crate) mod global;
#[cfg(target_arch = "wasm32")]
pub(crate) mod listener;
#[cfg(target_arch = "wasm32")]
pub(crate) mod nodes;
#[cfg(target_arch = "wasm32")]
pub(crate) mod object;
#[cfg(target_arch = "wasm32")]
pub(crate) mod popover;
#[cfg(target_arch = "wasm32")]
pub(crate) mod reader;
#[cfg(target_arch = "wasm32")]
pub(crate) mod single_flight;
#[cfg(target_arch = "wasm32")]
pub(crate) mod task;
#[cfg(target_arch = "wasm32")]
mod thrown;
#[cfg(target_arch = "wasm32")]
pub(crate) mod timer;
#[cfg(target_arch = "wasm32")]
pub(crate) mod weak;

use std::pin::Pin;

/// A future behind a pointer, for what many callers wait for: each of them would carry a copy of its machinery.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

//! One call: whom it goes to, its headers, its time limit, and what a refusal means.

pub mod call;
pub mod config;
pub mod endpoint;

#[cfg(target_arch = "wasm32")]
pub(crate) mod headers;
#[cfg(target_arch = "wasm32")]
mod http;

pub use call::{Body, Call};
#[cfg(target_arch = "wasm32")]
pub(crate) use http::{Http, read};

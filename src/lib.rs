#![doc = include_str!("../README.md")]
//!
//! # Module map
//!
//! A folder holds one feature: what it decides is plain Rust and runs under `cargo test`; what it performs, and what it
//! exports to JavaScript, is there in a browser only. A folder uses only those above it in this list.

#[cfg(target_arch = "wasm32")]
pub mod client;
pub mod connect;
pub mod core;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod crash;
pub mod http;
pub mod keypad;
pub mod orders;
pub mod platform;
pub mod vault;

#[cfg(target_arch = "wasm32")]
pub use client::{PosConnect, format_phone_as_you_type, parse_phone};
#[cfg(target_arch = "wasm32")]
pub use connect::Integration;
#[cfg(target_arch = "wasm32")]
pub use keypad::exports::define_keypad;
pub use pos_connect_phone as phone;

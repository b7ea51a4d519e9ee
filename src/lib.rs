#![doc = include_str!("../README.md")]
//!
//! # Module map
//!
//! Decisions are plain Rust and run under `cargo test`; `browser` performs them; `bindings` hands them to JavaScript.

pub mod clean;
pub mod config;
pub mod endpoint;
pub mod error;
pub mod frame;
pub mod hpke;
pub mod integration;
pub mod keypad;
pub mod labels;
pub mod options;
pub mod order;
pub mod outbox;
pub mod pickup;
pub mod poll;
pub mod vault;

pub use pos_connect_phone as phone;

#[cfg(target_arch = "wasm32")]
mod allocator;
#[cfg(target_arch = "wasm32")]
pub mod bindings;
#[cfg(target_arch = "wasm32")]
#[cfg_attr(not(feature = "keypad"), allow(dead_code))]
mod browser;

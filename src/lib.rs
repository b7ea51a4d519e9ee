#![doc = include_str!("../README.md")]
//!
//! # Module map
//!
//! Decisions are plain Rust and run under `cargo test`; `browser` performs them; `bindings` hands them to JavaScript.

pub mod config;
pub mod decode;
pub mod error;
pub mod expiration;
pub mod faults;
pub mod frame;
pub mod integration;
pub mod keypad;
pub mod lines;
pub mod loose;
pub mod phone;
pub mod pickup;
pub mod poll;
pub mod vault;

#[cfg(target_arch = "wasm32")]
mod allocator;
#[cfg(target_arch = "wasm32")]
pub mod bindings;
#[cfg(target_arch = "wasm32")]
#[cfg_attr(not(feature = "keypad"), allow(dead_code))]
mod browser;

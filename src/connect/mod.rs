//! The way to a connected merchant (§2.1, §4): an integration, its frame, the pick-up and the hand-over of the tokens, and what
//! is known about the connection.

pub mod frame;
pub mod integration;
pub mod poll;
pub mod retry;

#[cfg(target_arch = "wasm32")]
pub(crate) mod connection;
#[cfg(target_arch = "wasm32")]
mod decision;
#[cfg(target_arch = "wasm32")]
pub(crate) mod enabled;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(target_arch = "wasm32")]
pub(crate) mod flow;
#[cfg(target_arch = "wasm32")]
pub(crate) mod hand_over;
#[cfg(target_arch = "wasm32")]
pub(crate) mod integrations;
#[cfg(target_arch = "wasm32")]
pub(crate) mod observer;
#[cfg(target_arch = "wasm32")]
pub(crate) mod pick_up;
#[cfg(target_arch = "wasm32")]
pub(crate) mod session;
#[cfg(target_arch = "wasm32")]
pub(crate) mod tokens;

#[cfg(target_arch = "wasm32")]
pub use exports::Integration;

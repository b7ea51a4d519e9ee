//! The way to a connected merchant (§2.1, §4): an integration, its frame, the pick-up and the hand-over of the tokens,
//! and what is known about the connection.

pub mod decision;
pub mod frame;
pub mod hand_over;
pub mod integration;
pub mod integrations;
pub mod pick_up;
pub mod poll;
pub mod retry;
pub mod session;
pub mod session_page;

#[cfg(target_arch = "wasm32")]
pub(crate) mod connection;
#[cfg(target_arch = "wasm32")]
pub(crate) mod enabled;
#[cfg(target_arch = "wasm32")]
pub(crate) mod exports;
#[cfg(target_arch = "wasm32")]
pub(crate) mod flow;
#[cfg(target_arch = "wasm32")]
pub(crate) mod observer;
#[cfg(target_arch = "wasm32")]
pub(crate) mod page;
#[cfg(target_arch = "wasm32")]
pub(crate) mod tokens;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

#[cfg(target_arch = "wasm32")]
pub use exports::Integration;

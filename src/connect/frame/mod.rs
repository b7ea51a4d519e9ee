//! The connect frame (§4.3).

pub mod appearance;
pub mod message;
pub mod options;
pub mod texts;

#[cfg(target_arch = "wasm32")]
mod alternatives;
#[cfg(target_arch = "wasm32")]
mod elements;
#[cfg(target_arch = "wasm32")]
mod events;
#[cfg(target_arch = "wasm32")]
pub(crate) mod exports;
#[cfg(target_arch = "wasm32")]
mod frame;
#[cfg(target_arch = "wasm32")]
pub(crate) mod success_card;
#[cfg(target_arch = "wasm32")]
mod view;
#[cfg(target_arch = "wasm32")]
mod window;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

#[cfg(target_arch = "wasm32")]
pub(crate) use frame::{Frame, Signal, SignalHandler};

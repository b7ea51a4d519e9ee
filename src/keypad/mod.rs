//! The e-receipt keypad (§2.3). `prompt` decides what a key, a touch or the clock means; `keypad` performs it in the
//! page.

pub mod entry;
pub mod key;
pub mod part;
pub mod paste;
pub mod prompt;
pub mod reason;
pub mod scanner;
pub mod settings;
pub mod taps;
pub mod texts;
pub mod time;
pub mod view;

#[cfg(target_arch = "wasm32")]
mod code;
#[cfg(target_arch = "wasm32")]
mod dom;
#[cfg(target_arch = "wasm32")]
pub(crate) mod element;
#[cfg(target_arch = "wasm32")]
mod events;
#[cfg(target_arch = "wasm32")]
pub(crate) mod exports;
#[cfg(target_arch = "wasm32")]
mod feedback;
#[cfg(target_arch = "wasm32")]
mod focus_restore;
#[cfg(target_arch = "wasm32")]
mod keypad;
#[cfg(target_arch = "wasm32")]
mod languages;
#[cfg(target_arch = "wasm32")]
mod names;
#[cfg(target_arch = "wasm32")]
mod notice;
#[cfg(target_arch = "wasm32")]
mod result;
#[cfg(target_arch = "wasm32")]
mod sending;

#[cfg(target_arch = "wasm32")]
pub(crate) use keypad::Keypad;

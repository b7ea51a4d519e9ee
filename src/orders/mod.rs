//! The operations for a connected merchant (§1): the outbox, which no order leaves before the service has it, a sale in
//! one call, the profile of the store and the customers.

pub mod clean;
pub mod hpke;
pub mod order;
pub mod outbox;
pub mod outbox_page;
pub mod pick;
pub mod place;
pub mod queue;
pub mod queued_order;
pub mod sale;
pub mod sender;

#[cfg(target_arch = "wasm32")]
pub(crate) mod charge;
#[cfg(target_arch = "wasm32")]
pub(crate) mod draft;
#[cfg(target_arch = "wasm32")]
pub(crate) mod exports;
#[cfg(target_arch = "wasm32")]
pub(crate) mod merchant;
#[cfg(target_arch = "wasm32")]
pub(crate) mod page;
#[cfg(target_arch = "wasm32")]
mod sealing;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

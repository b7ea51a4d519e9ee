//! The storage, the network, the clock and the tasks, for what connects a merchant and for what sends orders: those of
//! the browser, or those of a test.

mod platform;

#[cfg(target_arch = "wasm32")]
mod browser;

#[cfg(target_arch = "wasm32")]
pub(crate) use browser::Browser;
pub use platform::{LockOf, Platform};

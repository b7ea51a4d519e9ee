//! The whole flow in a page, without a server: `fetch` is a service that follows the specification, or an order.
//! `wasm-pack test --headless --chrome` runs it.
#![cfg(target_arch = "wasm32")]
// Tests say what they expect by failing, and are nobody's public API.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

#[path = "flow/support.rs"]
pub mod support;

#[path = "flow/connect.rs"]
pub mod connect;
#[path = "flow/connection.rs"]
pub mod connection;
#[path = "flow/done.rs"]
pub mod done;
#[path = "flow/hand_over.rs"]
pub mod hand_over;
#[path = "flow/merchant.rs"]
pub mod merchant;
#[path = "flow/order_faults.rs"]
pub mod order_faults;
#[path = "flow/orders.rs"]
pub mod orders;
#[path = "flow/outbox.rs"]
pub mod outbox;
#[path = "flow/pickup.rs"]
pub mod pickup;
#[path = "flow/receipt.rs"]
pub mod receipt;
#[path = "flow/refusal.rs"]
pub mod refusal;
#[path = "flow/steps.rs"]
pub mod steps;
#[path = "flow/storage.rs"]
pub mod storage;
